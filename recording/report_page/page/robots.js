// The robots of a bundle with their columns unfolded, and what says which sign means what.

function unfold(bundle, robot) {
  const texts = bundle.header.texts;
  const { name, role, radius, colour, source, camera, notes, extent, silences } = robot;
  const opened = { name, role, radius, colour, source, camera, notes, extent, silences, texts };
  for (const name of ["track", "ticks", "measured", "commands", "bumpers", "detections", "scans"]) {
    opened[name] = bundle.table(robot[name]);
  }
  for (const name of ["believed", "fence"]) if (robot[name]) opened[name] = bundle.table(robot[name]);
  opened.sensors = Object.fromEntries(Object.entries(robot.sensors).map(
    ([key, { units, columns }]) => [key, { units, columns: bundle.table(columns) }],
  ));
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
