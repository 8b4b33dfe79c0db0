// Lines over time, with a cursor; a click or a drag goes to that time.

const EDGE = { left: 40, right: 8, top: 6, bottom: 18 };
const HOLE_MS = 1500;

class Chart {
  // Lines: {label, t, v, colour, dashed, faint, held, spiky}; held values last until the next one, spikes of a spiky line
  // do not set the scale. Bands: {t, v}, drawn from -v to v. Silences: [begin, end], shaded.
  constructor(title, unit, lines, options = {}) {
    const { band = null } = options;
    this.unit = unit;
    this.element = make("figure", "card chart");
    this.element.append(make("h3", "", title));
    const key = make("div", "key");
    this.values = lines.map((line) => {
      const entry = make("span");
      const swatch = make("i", line.dashed ? "dashed" : line.faint ? "faint" : "");
      swatch.style.borderColor = `var(${line.colour})`;
      const value = make("span");
      entry.append(swatch, value);
      key.append(entry);
      return value;
    });
    if (band) {
      const entry = make("span");
      entry.append(make("i", "band"), "deadband: an error inside it is not corrected");
      key.append(entry);
    }
    this.cut = make("span", "cut");
    key.append(this.cut);
    this.canvas = make("canvas");
    this.canvas.setAttribute("aria-label", title);
    this.element.append(key, this.canvas);
    this.still = document.createElement("canvas");
    this.update(lines, options);
  }

  // Draws other values from now on, of as many lines.
  update(lines, { marks = [], band = null, silences = [] } = {}) {
    Object.assign(this, { lines, marks, band, silences, drawn: "" });
    this.limits = this.measure();
  }

  measure() {
    let low = 0, high = 0, spike = 0;
    for (const { v, spiky } of this.lines) {
      const spikes = spiky ? spikesOf(v) : new Set();
      for (let index = 0; index < v.length; index++) {
        const value = v[index];
        if (spikes.has(index)) {
          if (Math.abs(value) > Math.abs(spike)) spike = value;
        } else if (value < low) low = value;
        else if (value > high) high = value;
      }
    }
    if (spike < low || spike > high) show(this.cut, `spikes to ${number(spike)} ${this.unit} are cut off`);
    const room = (high - low) * 0.08 || 0.1;
    return { low: low < 0 ? low - room : low, high: high > 0 || low === 0 ? high + room : high };
  }

  onSeek(seek) {
    const go = (event) => {
      const share = (event.offsetX - EDGE.left) / (this.canvas.clientWidth - EDGE.left - EDGE.right);
      seek(this.range.begin + Math.min(Math.max(share, 0), 1) * (this.range.end - this.range.begin));
    };
    let held = false;
    this.canvas.addEventListener("pointerdown", (event) => {
      held = true;
      this.canvas.setPointerCapture(event.pointerId);
      go(event);
    });
    this.canvas.addEventListener("pointermove", (event) => { if (held) go(event); });
    for (const name of ["pointerup", "pointercancel"]) this.canvas.addEventListener(name, () => { held = false; });
  }

  // What does not depend on the cursor is drawn once for each range, size and theme.
  draw(now, range, theme) {
    const { context, width, height } = fitCanvas(this.canvas);
    const drawn = `${range.begin} ${range.end} ${this.canvas.width} ${this.canvas.height} ${theme}`;
    this.range = range;
    this.x = (t) => EDGE.left + (t - range.begin) / (range.end - range.begin) * (width - EDGE.left - EDGE.right);
    const { low, high } = this.limits;
    this.y = (v) => height - EDGE.bottom - (v - low) / (high - low) * (height - EDGE.top - EDGE.bottom);
    if (this.drawn !== drawn) {
      this.drawn = drawn;
      this.still.width = this.canvas.width;
      this.still.height = this.canvas.height;
      const still = this.still.getContext("2d");
      still.setTransform(context.getTransform());
      this.drawStill(still, width, height);
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.still, 0, 0);
    context.setTransform(this.canvas.width / width, 0, 0, this.canvas.height / height, 0, 0);
    context.fillStyle = colour("--gold");
    context.fillRect(this.x(now) - 0.75, EDGE.top, 1.5, height - EDGE.top - EDGE.bottom);
    this.lines.forEach((line, index) => {
      const at = before(line.t, now);
      const value = at < 0 ? NaN : line.v[at];
      if (Number.isNaN(value)) showAged(this.values[index], `${line.label} –`, 0);
      else showAged(this.values[index], `${line.label} ${number(value)} ${this.unit}`, now - line.t[at]);
    });
  }

  drawStill(context, width, height) {
    context.font = "11px system-ui, sans-serif";
    this.drawAxes(context, width, height);
    context.save();
    context.beginPath();
    context.rect(EDGE.left, EDGE.top, width - EDGE.left - EDGE.right, height - EDGE.top - EDGE.bottom);
    context.clip();
    this.drawSilences(context, height);
    if (this.band) this.drawBand(context);
    for (const { t, v } of this.marks) this.drawMarks(context, t, v, height);
    for (const line of this.lines) this.drawLine(context, line);
    context.restore();
  }

  drawAxes(context, width, height) {
    const { begin, end } = this.range;
    context.lineWidth = 1;
    context.textBaseline = "middle";
    context.textAlign = "right";
    const step = nice((this.limits.high - this.limits.low) / 4);
    for (let v = Math.ceil(this.limits.low / step) * step; v <= this.limits.high; v += step) {
      const y = Math.round(this.y(v)) + 0.5;
      context.fillStyle = colour(Math.abs(v) < step / 2 ? "--muted" : "--grid");
      context.fillRect(EDGE.left, y - 0.5, width - EDGE.left - EDGE.right, 1);
      context.fillStyle = colour("--muted");
      context.fillText(tickText(v, step), EDGE.left - 5, y);
    }
    context.textBaseline = "alphabetic";
    context.textAlign = "center";
    const time = nice((end - begin) / 1000 / Math.max((width - EDGE.left) / 60, 1));
    for (let t = Math.ceil(begin / 1000 / time) * time; t <= end / 1000; t += time) {
      const x = this.x(t * 1000);
      context.fillStyle = colour("--grid");
      context.fillRect(x, EDGE.top, 1, height - EDGE.top - EDGE.bottom);
      context.fillStyle = colour("--muted");
      if (x < width - 14) context.fillText(tickText(t, time), x, height - 4);
    }
    context.textAlign = "left";
    context.fillText("s", 4, height - 4);
  }

  drawSilences(context, height) {
    context.fillStyle = colour("--muted");
    context.globalAlpha = 0.22;
    for (const [begin, end] of this.silences) {
      const x = this.x(begin);
      context.fillRect(x, EDGE.top, Math.max(this.x(end) - x, 1), height - EDGE.top - EDGE.bottom);
    }
    context.globalAlpha = 1;
  }

  drawBand(context) {
    const { t, v } = this.band;
    context.fillStyle = colour("--shade");
    for (const [first, last] of this.stretches(t, v)) {
      const x = this.x(t[first]);
      context.fillRect(x, this.y(v[first]), Math.max(this.x(t[last]) - x, 1), this.y(-v[first]) - this.y(v[first]));
    }
  }

  // Along the lower edge: when the gate took something away.
  drawMarks(context, t, v, height) {
    context.fillStyle = colour("--failure");
    for (let index = Math.max(before(t, this.range.begin), 0); index < t.length - 1 && t[index] < this.range.end; index++) {
      if (!v[index]) continue;
      const x = this.x(t[index]);
      context.fillRect(x, height - EDGE.bottom - 4, Math.max(this.x(t[index + 1]) - x, 0.6), 4);
    }
  }

  *stretches(t, v) {
    let first = -1;
    for (let index = 0; index <= t.length; index++) {
      const open = index < t.length && !Number.isNaN(v[index]);
      if (open && first < 0) first = index;
      if (!open && first >= 0) {
        yield [first, index - 1];
        first = -1;
      }
    }
  }

  drawLine(context, { t, v, colour: name, dashed, held, faint }) {
    context.strokeStyle = colour(name);
    context.globalAlpha = faint ? 0.4 : 1;
    context.lineWidth = faint || dashed ? 1.1 : 1.7;
    context.setLineDash(dashed ? [4, 3] : []);
    context.beginPath();
    let open = false;
    const last = Math.min(before(t, this.range.end) + 1, t.length - 1);
    for (let index = Math.max(before(t, this.range.begin), 0); index <= last; index++) {
      if (Number.isNaN(v[index]) || (!held && open && t[index] - t[index - 1] > HOLE_MS)) open = false;
      if (Number.isNaN(v[index])) continue;
      const x = this.x(t[index]), y = this.y(v[index]);
      if (open && held) context.lineTo(x, this.y(v[index - 1]));
      if (open) context.lineTo(x, y);
      else context.moveTo(x, y);
      open = true;
    }
    if (open && held && last >= 0) context.lineTo(this.x(this.range.end), this.y(v[last]));
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  }
}

// Indices of values that stand alone, or with two others at most, far beyond what nearly all are.
function spikesOf(values) {
  const sorted = Float64Array.from(values).filter((value) => !Number.isNaN(value)).sort();
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))];
  const low = at(0.02), high = at(0.98), room = 2 * (high - low) + 0.05;
  const spikes = new Set();
  let run = [];
  for (let index = 0; index <= values.length; index++) {
    if (index < values.length && (values[index] < low - room || values[index] > high + room)) run.push(index);
    else {
      if (run.length <= 3) for (const one of run) spikes.add(one);
      run = [];
    }
  }
  return spikes;
}

function nice(raw) {
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= raw * 0.999) || 10 * power;
}

function tickText(value, step) {
  return (Math.abs(value) < step / 1000 ? 0 : value).toFixed(Math.max(0, Math.min(6, -Math.floor(Math.log10(step)))));
}

function number(value) {
  const text = Math.abs(value).toFixed(Math.abs(value) < 100 ? 2 : 0);
  return value < 0 && Number(text) ? `−${text}` : text;
}

// What is charted of robots: {title, unit, lines, options} each.
function chartsOf(robots) {
  const charts = [];
  robots.forEach((robot, index) => {
    const own = `--robot${index % 8}`;
    const { silences } = robot;
    for (const [axis, title, unit] of [["linear", "speed", "m/s"], ["angular", "turn rate", "rad/s"]]) {
      const lines = speedLines(robot, axis, own);
      const marks = [{ t: robot.ticks.t, v: robot.ticks.reasons }];
      if (lines.length) charts.push({ title: `${robot.name}: ${title}`, unit, lines, options: { marks, silences } });
    }
    for (const [key, { units, columns }] of Object.entries(robot.sensors)) {
      if (columns.shown) continue;
      for (const [name, unit] of Object.entries(units)) {
        charts.push({ title: `${robot.name}: ${key} ${name}`.replaceAll("_", " "), unit, lines: [{ label: "", t: columns.t, v: columns[name], colour: own }], options: { silences } });
      }
    }
    if (Gauge.isFor(robot)) {
      const { t, raw, predicted, deadband } = robot.ticks;
      const lines = [{ label: "raw", t, v: raw, colour: "--muted", dashed: true }, { label: "predicted", t, v: predicted, colour: own }];
      charts.push({ title: `${robot.name}: tracking error, half images`, unit: "", lines, options: { band: { t, v: deadband }, silences } });
    }
  });
  const fences = robots.map((robot, index) => [robot, index]).filter(([robot]) => robot.fence);
  if (fences.length) {
    const lines = fences.map(([robot, index]) => ({ label: robot.name, t: robot.fence.t, v: robot.fence.distance, colour: `--robot${index % 8}` }));
    charts.push({ title: "Distance inside the own fence", unit: "m", lines, options: {} });
  }
  const apart = distanceApart(robots);
  if (apart) charts.push({ title: `Distance from ${robots[0].name} to ${robots[1].name}`, unit: "m", lines: [apart], options: {} });
  return charts;
}

function makeCharts(robots) {
  return chartsOf(robots).map(({ title, unit, lines, options }) => new Chart(title, unit, lines, options));
}

function speedLines({ ticks, commands, measured }, axis, own) {
  const lines = [];
  if (measured.t.length) {
    lines.push({ label: "measured", t: measured.t, v: measured[axis], colour: own, faint: ticks.t.length > 0, spiky: true });
  }
  if (ticks.t.length) {
    lines.push({ label: "driven", t: ticks.t, v: ticks[`driven_${axis}`], colour: own });
    lines.push({ label: "asked", t: ticks.t, v: ticks[`asked_${axis}`], colour: "--muted", dashed: true });
  } else if (commands.t.length) {
    lines.push({ label: "commanded", t: commands.t, v: commands[axis], colour: "--muted", dashed: true, held: true });
  }
  return lines;
}

function distanceApart(robots) {
  if (robots.length !== 2 || robots.some(({ track, source }) => !track.t.length || source === "odometry")) return null;
  const [first, second] = robots;
  const { t } = first.track;
  const v = Float64Array.from(t, (now, index) => {
    const other = poseAt(second.track, now);
    return Math.hypot(first.track.x[index] - other.x, first.track.y[index] - other.y);
  });
  return { label: "", t, v, colour: "--ink" };
}
