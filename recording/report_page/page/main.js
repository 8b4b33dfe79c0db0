// Opens the recording, and draws what belongs to an instant.

function unfold(bundle, robot) {
  const texts = bundle.header.texts;
  const { name, role, radius, colour, source, camera, notes, extent, silences } = robot;
  const opened = { name, role, radius, colour, source, camera, notes, extent, silences, texts };
  for (const name of ["track", "ticks", "measured", "commands", "bumpers", "battery", "detections", "scans"]) {
    opened[name] = bundle.table(robot[name]);
  }
  for (const name of ["believed", "fence", "turret"]) if (robot[name]) opened[name] = bundle.table(robot[name]);
  opened.detections.first = firsts(opened.detections.count);
  opened.scans.first = firsts(opened.scans.count);
  opened.tree = unfoldTree(bundle, robot.tree, opened.ticks.t.length);
  return opened;
}

function firsts(counts) {
  let sum = 0;
  return counts.map((count) => (sum += count) - count);
}

function unfoldTree(bundle, tree, ticks) {
  const width = tree.nodes.length;
  const statuses = new Uint8Array(ticks * width);
  const { tick, row, status } = bundle.table(tree.changes);
  let done = 0;
  for (let index = 0; index < ticks; index++) {
    if (index) statuses.copyWithin(index * width, (index - 1) * width, index * width);
    for (; done < tick.length && tick[done] === index; done++) statuses[index * width + row[done]] = status[done];
  }
  const said = [];
  const feedback = bundle.table(tree.feedback);
  for (let index = 0; index < feedback.tick.length; index++) {
    const one = said[feedback.row[index]] || (said[feedback.row[index]] = { ticks: [], texts: [] });
    one.ticks.push(feedback.tick[index]);
    one.texts.push(feedback.text[index]);
  }
  return { nodes: tree.nodes, statuses, said, tip: bundle.numbers(tree.tip) };
}

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

function fillLegend(element) {
  for (const [sign, name] of STATUSES) {
    const entry = make("span");
    const mark = make("span", "mark", sign);
    mark.dataset.status = String(STATUSES.findIndex((status) => status[1] === name));
    entry.append(mark, name);
    element.append(entry);
  }
}

function fillLayers(element, arena, robots) {
  const boxes = {};
  const has = {
    game: arena.game.frames.length > 0,
    lidar: robots.some(({ scans }) => scans.t.length),
    camera: robots.some(({ detections }) => detections.t.length),
    trails: true,
    believed: robots.some(({ believed }) => believed),
  };
  for (const [name, text] of LAYERS) {
    if (!has[name]) continue;
    const label = make("label");
    const box = make("input");
    box.type = "checkbox";
    box.checked = arena.layers[name];
    box.addEventListener("change", () => {
      arena.layers[name] = box.checked;
      arena.redraw();
    });
    label.append(box, ` ${text}`);
    element.append(label);
    boxes[name] = box;
  }
  return boxes;
}

// What the rings and cones on the map mean.
function fillKey(element, arena, robots) {
  const cameras = robots.filter(({ detections }) => detections.t.length);
  const reaches = cameras.filter(({ camera }) => camera.reach !== null);
  const entries = [["begin", "small ring: where a way begins"]];
  if (reaches.length) entries.push(["cone", reaches.map(({ name, camera }) => `cone of ${name}: sees ${camera.reach} m far`).join(", ")]);
  const others = cameras.filter(({ camera }) => camera.reach === null);
  if (others.length) entries.push(["cone", `${reaches.length ? "other cones" : "cone"}: direction and width of view, not how far`]);
  if (robots.some(({ bumpers, texts }) => bumpers.text.some((text) => texts[text]))) entries.push(["bump", "thick ring: bumper pressed"]);
  if (robots.some(({ believed }) => believed)) entries.push(["believed", "dashed ring: believed pose"]);
  const named = new Map();
  for (const { name, fill, line, colour: own } of [...arena.world, ...arena.game.shapes]) if (name) named.set(name, [own || fill || line, name]);
  for (const [sign, text] of [...entries, ...named.values()]) {
    const entry = make("span");
    const swatch = make("i", sign.startsWith("#") ? "shape" : sign);
    if (sign.startsWith("#")) swatch.style.background = sign;
    entry.append(swatch, text);
    element.append(entry);
  }
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
  document.getElementById("charts").append(...charts.map((chart) => chart.element));
  if (!charts.length) document.getElementById("charts").append(make("p", "card none", "The recording holds nothing to plot."));

  let theme = 0;
  const span = document.getElementById("span");
  const phase = document.getElementById("phase");
  const player = new Player(header.duration, header.begin, (now) => {
    arena.draw(now);
    for (const card of cards) card.draw(now);
    const wide = Number(span.value) * 1000 || header.duration;
    const begin = Math.min(Math.max(now - wide / 2, 0), Math.max(header.duration - wide, 0));
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
