// Shapes: polygons, discs, paths and texts in metres of the map, drawn in their order.

// Groups of the world are drawn in the page's own colours, which follow the theme: inside and edge.
const THEMED = { solids: ["--wall", "--muted"], glass: ["--glass", "--muted"] };
const LAYER = { robots: 30, labels: 40 };
const FADES = 6;

function wholeShapes(shapes, defaults) {
  return shapes.map((shape) => ({ ...defaults[shape.kind], ...shape, plain: shape }));
}

// What a game shows: each frame says how its list of shapes follows from the one before.
class ShapeFrames {
  constructor({ shapes, frames }, defaults) {
    this.shapes = wholeShapes(shapes, defaults);
    this.frames = frames;
    this.times = frames.map((frame) => frame[0]);
    this.rewind();
  }

  rewind() {
    this.number = -1;
    this.shown = [];
  }

  at(now) {
    const wanted = before(this.times, now);
    if (wanted < this.number) this.rewind();
    while (this.number < wanted) {
      const [, begin, gone, fresh] = this.frames[++this.number];
      this.shown.splice(begin, gone, ...fresh.map((number) => this.shapes[number]));
    }
    return this.shown;
  }
}

function* cornersOf(shape) {
  const { kind, points, x, y, radius } = shape;
  if (points) for (let index = 0; index < points.length; index += 2) yield [points[index], points[index + 1]];
  else if (kind === "disc") yield* [[x - radius, y - radius], [x + radius, y + radius]];
  else yield [x, y];
}

class ShapePen {
  constructor(view, names) {
    this.view = view;
    this.names = names;
  }

  draw(shapes) {
    const { context } = this.view;
    context.save();
    context.lineJoin = context.lineCap = "round";
    for (const shape of shapes) {
      context.globalAlpha = shape.alpha;
      this[shape.kind](shape);
    }
    context.restore();
  }

  polygon(shape) {
    this.trace(shape.points);
    this.view.context.closePath();
    this.paint(shape);
  }

  disc(shape) {
    const { context, scale } = this.view;
    context.beginPath();
    context.arc(...this.view.px(shape.x, shape.y), Math.max(shape.radius * scale, 1), 0, 2 * Math.PI);
    this.paint(shape);
  }

  path(shape) {
    const { context } = this.view;
    this.stroke(shape, shape.colour);
    const count = shape.points.length / 2;
    const pieces = shape.fading && !shape.dash ? FADES : 1;
    for (let piece = 1; piece <= pieces; piece++) {
      const begin = Math.floor((piece - 1) / pieces * (count - 1)), end = Math.floor(piece / pieces * (count - 1));
      if (end <= begin) continue;
      context.globalAlpha = shape.alpha * (0.2 + 0.8 * piece / pieces);
      this.trace(shape.points, begin, end);
      context.stroke();
    }
    context.setLineDash([]);
  }

  text(shape) {
    const { context, scale, taken } = this.view;
    const size = Math.min(Math.max(shape.size * scale, 9), 80);
    context.font = `${shape.bold ? "700 " : ""}${size}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    // A text of no colour of its own is written in the page's ink, which follows the theme.
    context.fillStyle = shape.plain.colour || colour("--ink");
    const lines = shape.text.split("\n");
    const [x, y] = this.view.px(shape.x, shape.y);
    lines.forEach((line, number) => {
      const row = y + (number - (lines.length - 1) / 2) * 1.25 * size;
      if (shape.halo) {
        context.strokeStyle = shape.halo === "#ffffff" ? colour("--card") : shape.halo;
        context.lineWidth = 4;
        context.strokeText(line, x, row);
      }
      context.fillText(line, x, row);
      const half = context.measureText(line).width / 2;
      taken.push([x - half, row - size / 2, x + half, row + size / 2]);
    });
    context.textBaseline = "alphabetic";
    context.textAlign = "left";
  }

  trace(points, begin = 0, end = points.length / 2 - 1) {
    const { context } = this.view;
    context.beginPath();
    for (let index = begin; index <= end; index++) {
      const [x, y] = this.view.px(points[2 * index], points[2 * index + 1]);
      if (index > begin) context.lineTo(x, y);
      else context.moveTo(x, y);
    }
  }

  paint(shape) {
    const { context } = this.view;
    const [inside, edge] = THEMED[shape.group] ? THEMED[shape.group].map(colour) : [shape.fill, this.edge(shape)];
    if (inside) {
      context.fillStyle = inside;
      context.fill();
    }
    if (edge) {
      this.stroke(shape, edge);
      context.stroke();
      context.setLineDash([]);
    }
  }

  edge({ group, line }) {
    const robot = group.startsWith("fences ") ? this.names.indexOf(group.slice(7)) : -1;
    return robot < 0 ? line : robotColour(robot);
  }

  stroke({ width, dash, shift }, own) {
    const { context, scale } = this.view;
    context.strokeStyle = own;
    context.lineWidth = Math.max(width * scale, 1);
    context.lineCap = dash ? "butt" : "round";
    if (!dash) return;
    const length = Math.max(dash * scale, 4);
    context.setLineDash([length, length]);
    context.lineDashOffset = -(shift || 0) / dash * length;
  }
}
