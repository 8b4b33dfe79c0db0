// Under the slider, a band for each robot that has a tree: which leaf was active when.

const INSET = 8;

class Bands {
  constructor(element, header, robots, seek) {
    this.duration = header.duration;
    this.colours = new Map(header.leaves);
    this.bands = robots.map((robot, index) => [robot, index]).filter(([robot]) => robot.ticks.t.length).map(([robot, index]) => {
      const line = make("div", "track");
      const lane = make("span", "lane", robot.name);
      lane.title = robot.name;
      lane.style.setProperty("--own", `var(--robot${index % 8})`);
      const canvas = make("canvas");
      line.append(lane, canvas);
      element.append(line);
      canvas.addEventListener("pointerdown", (event) => seek(this.timeAt(event.offsetX, canvas)));
      const band = { canvas, robot, spans: this.spans(robot) };
      canvas.addEventListener("pointermove", (event) => {
        const now = this.timeAt(event.offsetX, canvas);
        const span = band.spans.find(({ begin, end }) => begin <= now && now < end);
        canvas.title = span ? `${span.name}, ${seconds(span.begin)} to ${seconds(span.end)}` : "";
      });
      return band;
    });
  }

  timeAt(x, canvas) {
    return Math.min(Math.max((x - INSET) / (canvas.clientWidth - 2 * INSET), 0), 1) * this.duration;
  }

  spans({ ticks, texts }) {
    const spans = [];
    for (let index = 0; index < ticks.t.length; index++) {
      const name = texts[ticks.fault[index]] ? "latched" : texts[ticks.active[index]];
      const newest = spans[spans.length - 1];
      if (newest) newest.end = ticks.t[index];
      if (!newest || newest.name !== name) spans.push({ name, begin: ticks.t[index], end: ticks.t[index] });
    }
    return spans;
  }

  draw(now) {
    for (const { canvas, spans } of this.bands) {
      const { context, width, height } = fitCanvas(canvas);
      const scale = (width - 2 * INSET) / this.duration;
      context.clearRect(0, 0, width, height);
      context.fillStyle = colour("--shade");
      context.fillRect(INSET, 1, width - 2 * INSET, height - 2);
      context.font = "11px system-ui, sans-serif";
      context.textBaseline = "middle";
      for (const { name, begin, end } of spans) {
        if (!name) continue;
        const x = INSET + begin * scale, wide = Math.max((end - begin) * scale, 0.8);
        context.fillStyle = this.colours.get(name);
        context.fillRect(x, 1, wide > 3 ? wide - 0.7 : wide, height - 2);
        if (wide < 26) continue;
        context.fillStyle = inkOn(this.colours.get(name));
        const text = fitted(context, name, wide - 7);
        if (text) context.fillText(text, x + 4, height / 2 + 0.5);
      }
      context.fillStyle = colour("--ink");
      context.fillRect(INSET + now * scale - 1, 0, 2, height);
    }
  }
}

function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  for (let length = Math.min(text.length - 1, 60); length > 1; length--) {
    const cut = `${text.slice(0, length)}…`;
    if (context.measureText(cut).width <= width) return cut;
  }
  return "";
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
