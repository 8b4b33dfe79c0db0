// The chase's gauge: where on the image the target was seen, is filtered, and will be, and the error that is left alone.

class Gauge {
  constructor(robot, number) {
    this.robot = robot;
    this.own = `--robot${number % 8}`;
    this.element = make("figure", "card chart gauge");
    this.element.append(make("h3", "", `${robot.name}: target on the image`));
    const key = make("div", "key");
    for (const [sign, text] of [["dashed", "seen"], ["faint", "filtered"], ["", "look-ahead"], ["band", "deadband"]]) {
      const entry = make("span");
      const swatch = make("i", sign);
      swatch.style.borderColor = sign === "dashed" ? "var(--muted)" : `var(${this.own})`;
      entry.append(swatch, text);
      key.append(entry);
    }
    this.state = make("span", "cut");
    key.append(this.state);
    this.canvas = make("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${robot.name}: target on the image`);
    this.element.append(key, this.canvas);
  }

  static isFor({ ticks }) {
    return ticks.raw.some((value) => !Number.isNaN(value));
  }

  draw(now) {
    const { context, width, height } = fitCanvas(this.canvas);
    const { ticks, texts } = this.robot;
    const at = before(ticks.t, now);
    const tracks = at >= 0 && !Number.isNaN(ticks.raw[at]);
    show(this.state, tracks ? texts[ticks.state[at]] : "no target");
    context.clearRect(0, 0, width, height);
    const x = (error) => 10 + (error + 1) / 2 * (width - 20);
    context.fillStyle = colour("--grid");
    context.fillRect(x(-1), 0, x(1) - x(-1), height);
    if (tracks) {
      context.fillStyle = colour("--shade");
      context.fillRect(x(-ticks.deadband[at]), 0, x(ticks.deadband[at]) - x(-ticks.deadband[at]), height);
    }
    context.fillStyle = colour("--muted");
    context.fillRect(x(0) - 0.5, 0, 1, height);
    if (!tracks) return;
    const mark = (error, name, wide, alpha, dashes) => {
      const bounded = Math.min(Math.max(error, -1), 1);
      context.globalAlpha = alpha;
      context.strokeStyle = colour(name);
      context.lineWidth = wide;
      context.setLineDash(dashes);
      context.beginPath();
      context.moveTo(x(bounded), 3);
      context.lineTo(x(bounded), height - 3);
      context.stroke();
    };
    mark(ticks.raw[at], "--muted", 2, 1, [3, 3]);
    mark(ticks.filtered[at], this.own, 3, 0.45, []);
    mark(ticks.predicted[at], this.own, 4, 1, []);
    context.setLineDash([]);
    context.globalAlpha = 1;
  }
}
