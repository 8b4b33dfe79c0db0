// The map: x to the right, y up, metres; it can be zoomed and moved.

const NEAR_M = 4;

class MapView {
  constructor(canvas, header, robots) {
    this.canvas = canvas;
    this.header = header;
    this.robots = robots;
    this.world = wholeShapes(header.shapes, header.defaults);
    this.game = new ShapeFrames(header.game, header.defaults);
    this.pen = new ShapePen(this, robots.map((robot) => robot.name));
    this.zoom = 1;
    this.shift = { x: 0, y: 0 };
    this.bounds = this.measure();
    this.listen();
  }

  measure() {
    const box = { left: Infinity, right: -Infinity, low: Infinity, high: -Infinity };
    const take = (x, y) => {
      box.left = Math.min(box.left, x); box.right = Math.max(box.right, x);
      box.low = Math.min(box.low, y); box.high = Math.max(box.high, y);
    };
    for (const shape of [...this.world, ...this.game.shapes]) for (const [x, y] of cornersOf(shape)) take(x, y);
    for (const { extent } of this.robots) {
      if (!extent) continue;
      take(extent[0], extent[2]);
      take(extent[1], extent[3]);
    }
    if (!this.world.length) for (const robot of this.robots) measureScans(robot, take);
    if (box.left > box.right) take(0, 0);
    const room = this.world.length ? 0.15 : 0.5;
    return { left: box.left - room, right: box.right + room, low: box.low - room, high: box.high + room };
  }

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoomAbout(event.offsetX, event.offsetY, Math.exp(-event.deltaY * 0.0015));
    }, { passive: false });
    let held = null;
    canvas.addEventListener("pointerdown", (event) => {
      held = { x: event.clientX, y: event.clientY };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!held) return;
      this.shift.x += event.clientX - held.x;
      this.shift.y += event.clientY - held.y;
      held = { x: event.clientX, y: event.clientY };
      this.redraw();
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { held = null; });
    canvas.addEventListener("dblclick", () => {
      this.zoom = 1;
      this.shift = { x: 0, y: 0 };
      this.redraw();
    });
  }

  zoomAbout(x, y, factor) {
    const zoom = Math.min(Math.max(this.zoom * factor, 0.2), 60);
    const real = zoom / this.zoom;
    const middle = { x: this.canvas.clientWidth / 2, y: this.canvas.clientHeight / 2 };
    this.shift.x = (x - middle.x) * (1 - real) + this.shift.x * real;
    this.shift.y = (y - middle.y) * (1 - real) + this.shift.y * real;
    this.zoom = zoom;
    this.redraw();
  }

  redraw() {
    if (this.now !== undefined) this.draw(this.now);
  }

  // Sizes the canvas, and draws what lies under the robots.
  drawGround() {
    const { context, width, height } = fitCanvas(this.canvas);
    this.context = context;
    const { left, right, low, high } = this.bounds;
    this.scale = Math.min((width - 16) / (right - left), (height - 16) / (high - low)) * this.zoom;
    this.origin = {
      x: width / 2 + this.shift.x - (left + right) / 2 * this.scale,
      y: height / 2 + this.shift.y + (low + high) / 2 * this.scale,
    };
    this.taken = [];
    this.waiting = [];
    context.clearRect(0, 0, width, height);
    const texts = this.grid(width, height);
    this.pen.draw(this.world);
    this.axisTexts(texts);
  }

  px(x, y) {
    return [this.origin.x + x * this.scale, this.origin.y - y * this.scale];
  }

  grid(width, height) {
    const context = this.context;
    const step = [0.1, 0.5, 1, 2, 5, 10, 50, 100, 1000, 1e4, 1e5, 1e6].find((metres) => metres * this.scale >= 48) || 1e7;
    context.lineWidth = 1;
    context.strokeStyle = colour("--grid");
    context.font = "11px system-ui, sans-serif";
    context.beginPath();
    const texts = [];
    for (let x = Math.ceil(-this.origin.x / this.scale / step) * step; this.px(x, 0)[0] < width; x += step) {
      const at = Math.round(this.px(x, 0)[0]) + 0.5;
      context.moveTo(at, 0);
      context.lineTo(at, height);
      if (at > 30 && at < width - 24) texts.push([short(x, step), at + 3, height - 5]);
    }
    for (let y = Math.ceil((this.origin.y - height) / this.scale / step) * step; this.px(0, y)[1] > 0; y += step) {
      const at = Math.round(this.px(0, y)[1]) + 0.5;
      context.moveTo(0, at);
      context.lineTo(width, at);
      if (at > 20 && at < height - 24) texts.push([short(y, step), 5, at - 3]);
    }
    context.stroke();
    return [...texts, ["m", 5, height - 5]];
  }

  axisTexts(texts) {
    const { context } = this;
    context.fillStyle = colour("--muted");
    context.strokeStyle = colour("--card");
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.textAlign = "left";
    for (const [text, x, y] of texts) {
      context.strokeText(text, x, y);
      context.fillText(text, x, y);
    }
  }

  // Above or below what it names, or else further away, where nothing else is written.
  label({ text, x, y, away, font, above }) {
    const { context } = this;
    const wide = this.canvas.clientWidth;
    const shown = text.length > 32 ? `${text.slice(0, 31)}…` : text;
    context.font = `${font} system-ui, sans-serif`;
    const half = context.measureText(shown).width / 2 + 3;
    const middleX = Math.max(Math.min(x, wide - half), half);
    const first = above ? -1 : 1;
    const boxes = [1, -1, 1.5, -1.5, 2, -2, 3, -3, 4, -4].map((side) => {
      const middle = y + Math.sign(side) * first * (away + 18 * (Math.abs(side) - 1));
      return [middleX - half, middle - 9, middleX + half, middle + 9];
    });
    const crowded = ([left, top, right, low]) => this.taken.some(
      (other) => left < other[2] && other[0] < right && top < other[3] && other[1] < low);
    const box = boxes.find((one) => !crowded(one)) || boxes[0];
    this.taken.push(box);
    context.textAlign = "center";
    context.lineWidth = 4;
    context.lineJoin = "round";
    context.strokeStyle = colour("--card");
    context.strokeText(shown, middleX, box[1] + 13);
    context.fillStyle = colour("--ink");
    context.fillText(shown, middleX, box[1] + 13);
    context.textAlign = "left";
  }
}

// Where nothing else tells of the world, what is near in the scans does.
function measureScans({ scans, track, extent }, take) {
  const stride = Math.max(1, Math.floor(scans.t.length / 40));
  for (let index = 0; index < scans.t.length; index += stride) {
    const pose = poseAt(track, scans.measured[index]);
    // Where a spike put the robot, its scan is as far away.
    if (!pose || pose.x < extent[0] || pose.x > extent[1] || pose.y < extent[2] || pose.y > extent[3]) continue;
    for (const [x, y, range] of scanPoints(scans, track, index)) if (range < NEAR_M) take(x, y);
  }
}

// The points of a scan, (x, y, range) each, from where the robot was when it was measured.
function* scanPoints(scans, track, index) {
  const pose = poseAt(track, scans.measured[index]);
  if (!pose) return;
  const cosine = Math.cos(pose.yaw), sine = Math.sin(pose.yaw);
  const x = pose.x + cosine * scans.x[index] - sine * scans.y[index];
  const y = pose.y + sine * scans.x[index] + cosine * scans.y[index];
  for (let beam = 0; beam < scans.count[index]; beam++) {
    const range = scans.range[scans.first[index] + beam];
    const angle = pose.yaw + scans.angle[index] + beam * scans.turn[index];
    if (range > 0) yield [x + range * Math.cos(angle), y + range * Math.sin(angle), range];
  }
}

function short(value, step) {
  return step < 1 ? value.toFixed(1) : String(Math.round(value));
}
