// Opens the recording, and draws what belongs to an instant.

function fillHead({ title, info, duration }) {
  const name = typeof info.scenario === "string" && !info.scenario.includes("\n") ? info.scenario : title;
  show(document.getElementById("title"), name);
  document.title = `${name}: a recorded run`;
  const facts = [];
  for (const key of ["arm", "trial", "seed", "strategy"]) {
    if (["string", "number"].includes(typeof info[key]) && info[key] !== "") facts.push(`${key} ${info[key]}`);
  }
  const end = info.end && typeof info.end.outcome === "string" ? info.end : null;
  const played = end && typeof end.ended_s === "number" ? 1000 * end.ended_s : duration;
  facts.push(`${end ? `${end.outcome} after ` : ""}${seconds(played)}`);
  if (typeof info.version === "string") facts.push(`Arena Trees ${info.version}`);
  show(document.getElementById("subtitle"), facts.join(" · "));
}

async function open() {
  performance.mark("report-begin");
  const store = document.getElementById("recording");
  const bundle = await openBundle(store.textContent);
  store.remove();
  const { header } = bundle;
  const robots = header.robots.map((robot) => unfold(bundle, robot));
  fillHead(header);
  fillLegend(document.getElementById("statuses"));
  const arena = new Arena(document.getElementById("arena"), header, robots);
  // Where nothing but scans tells of the world, they are shown.
  arena.layers.lidar = !header.shapes.length;
  const layers = fillLayers(document.getElementById("layers"), arena, robots);
  fillKey(document.getElementById("key"), arena, robots);
  const cards = robots.map((robot, index) => new TreeCard(robot, index, { follow: () => document.getElementById("follow").checked }));
  document.getElementById("robots").append(...cards.map((card) => card.element));
  const charts = makeCharts(robots);
  const gauges = robots.map((robot, index) => Gauge.isFor(robot) && new Gauge(robot, index)).filter(Boolean);
  document.getElementById("charts").append(...[...gauges, ...charts].map(({ element }) => element));
  if (!charts.length) document.getElementById("charts").append(make("p", "card none", "The recording holds nothing to plot."));

  let theme = 0;
  const span = document.getElementById("span");
  const phase = document.getElementById("phase");
  const player = new Player(header.duration, header.begin, (now) => {
    arena.draw(now);
    for (const card of cards) card.draw(now);
    const wide = Number(span.value) * 1000 || header.duration;
    const begin = Math.min(Math.max(now - wide / 2, 0), Math.max(header.duration - wide, 0));
    for (const gauge of gauges) gauge.draw(now);
    for (const chart of charts) chart.draw(now, { begin, end: begin + wide }, theme);
    bands.draw(now);
    events.draw(now);
    const text = phaseAt(header.events, now);
    phase.hidden = !text;
    show(phase, text);
  });
  const seek = (now) => player.seek(now);
  const bands = new Bands(document.getElementById("bands"), header, robots, seek);
  const events = new EventList(document.getElementById("list"), document.getElementById("kinds"), header, robots, seek);
  for (const chart of charts) chart.onSeek(seek);
  fillFacts(document.getElementById("about"), header, robots);

  span.addEventListener("change", () => player.show());
  document.getElementById("ticked").addEventListener("change", (event) => {
    document.getElementById("robots").classList.toggle("onlyticked", event.target.checked);
  });
  player.listen(events, () => { if (layers.lidar) layers.lidar.click(); });
  const redraw = () => {
    palette.clear();
    theme += 1;
    player.show();
  };
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  new ResizeObserver(redraw).observe(document.getElementById("main"));
  player.show();
  requestAnimationFrame(() => performance.mark("report-ready"));
}

open().catch((error) => {
  const failure = document.getElementById("failure");
  failure.hidden = false;
  failure.textContent = `This page cannot be shown: ${error.message}. It needs a browser of 2023 or newer.`;
  throw error;
});
