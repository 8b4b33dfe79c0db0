// What a game that goes on adds to the robots, shapes and events of its page.

const TABLES = ["track", "ticks", "measured", "commands", "bumpers", "detections", "scans", "believed", "fence"];
const BUFFERS = new WeakMap();

// Puts values behind those that an object's field has; the buffer behind the field doubles when it is full.
function grow(owner, name, values) {
  if (!values.length) return;
  const had = owner[name].length, wanted = had + values.length;
  const buffers = BUFFERS.get(owner) || BUFFERS.set(owner, {}).get(owner);
  let buffer = buffers[name];
  if (!buffer || buffer.length < wanted) {
    buffer = buffers[name] = new values.constructor(2 * wanted);
    buffer.set(owner[name]);
  }
  buffer.set(values, had);
  owner[name] = buffer.subarray(0, wanted);
}

function growTable(table, more) {
  for (const [name, values] of Object.entries(more)) grow(table, name, values);
}

function growRobot(robot, more) {
  more.detections.first = more.detections.first.map((first) => first + robot.detections.label.length);
  more.scans.first = more.scans.first.map((first) => first + robot.scans.range.length);
  const ticks = robot.ticks.t.length;
  for (const name of TABLES) {
    if (!more[name]) continue;
    if (robot[name]) growTable(robot[name], more[name]);
    else robot[name] = more[name];
  }
  for (const [key, sensor] of Object.entries(more.sensors)) {
    if (robot.sensors[key]) growTable(robot.sensors[key].columns, sensor.columns);
    else robot.sensors[key] = sensor;
  }
  grow(robot.tree, "statuses", more.tree.statuses);
  grow(robot.tree, "tip", more.tree.tip);
  more.tree.said.forEach(({ ticks: when, texts }, row) => {
    const said = robot.tree.said[row] || (robot.tree.said[row] = { ticks: [], texts: [] });
    said.ticks.push(...when.map((tick) => tick + ticks));
    said.texts.push(...texts);
  });
}

// Each different shape is kept once.
function growShapes(frames, { shapes, frames: more }, defaults) {
  if (!frames.numbers) frames.numbers = new Map(frames.shapes.map(({ plain }, number) => [JSON.stringify(plain), number]));
  const numbers = wholeShapes(shapes, defaults).map((shape) => {
    const key = JSON.stringify(shape.plain);
    if (!frames.numbers.has(key)) {
      frames.numbers.set(key, frames.shapes.length);
      frames.shapes.push(shape);
    }
    return frames.numbers.get(key);
  });
  more.forEach(([at, begin, gone, fresh], index) => {
    const before = index ? gone : frames.frames.reduce((sum, frame) => sum - frame[2] + frame[3].length, 0);
    frames.frames.push([at, begin, before, fresh.map((number) => numbers[number])]);
    frames.times.push(at);
  });
}

function growEvents(list, events) {
  for (const event of events) {
    const item = list.makeItem(event);
    item.item.hidden = list.hidden.has(item.kind);
    list.events.push(event);
    list.items.push(item);
    list.list.append(item.item);
  }
}
