// Strip charts of a game that goes on: the report's, and one of any series that somebody chooses.

const NEAREST = "nearest return";

// Everything of a robot that has a value over time: [name, unit, table, column].
const SERIES = [
  ["x", "m", "track", "x"], ["y", "m", "track", "y"], ["heading", "rad", "track", "yaw"],
  ["measured speed", "m/s", "measured", "linear"], ["measured turn rate", "rad/s", "measured", "angular"],
  ["asked speed", "m/s", "ticks", "asked_linear"], ["asked turn rate", "rad/s", "ticks", "asked_angular"],
  ["driven speed", "m/s", "ticks", "driven_linear"], ["driven turn rate", "rad/s", "ticks", "driven_angular"],
  ["target seen", "half images", "ticks", "raw"], ["target filtered", "half images", "ticks", "filtered"],
  ["target look-ahead", "half images", "ticks", "predicted"],
  ["detections", "", "detections", "count"],
  ["inside the fence", "m", "fence", "distance"],
];

const hasValue = (values) => values.some((value) => !Number.isNaN(value));

function nearestReturns({ scans }) {
  return scans.t.map((_, index) => {
    const beams = scans.range.subarray(scans.first[index], scans.first[index] + scans.count[index]);
    return beams.reduce((least, range) => (range > 0 && !(range > least) ? range : least), NaN);
  });
}

// Numbers among what a leaf or a key of the blackboard said.
function saidNumbers(robot, row) {
  const { ticks, texts } = robot.tree.said[row];
  const found = ticks.map((tick, index) => [robot.ticks.t[tick], parseFloat(robot.texts[texts[index]])]).filter(([, value]) => Number.isFinite(value));
  return { t: Float64Array.from(found, ([t]) => t), v: Float64Array.from(found, ([, value]) => value) };
}

function parameterValues(events, robot, key) {
  const found = events.filter(([, who, kind, text]) => who === robot && kind === "parameter" && text.startsWith(`${key} = `));
  return { t: Float64Array.from(found, ([t]) => t), v: Float64Array.from(found, ([, , , text]) => parseFloat(text.slice(key.length + 3))) };
}

// Name to what makes its line.
function seriesOf(robots, events) {
  const found = new Map();
  robots.forEach((robot, number) => {
    const add = (name, unit, held, values) => found.set(`${robot.name}: ${name}`, {
      unit, line: () => ({ label: "", colour: `--robot${number % 8}`, held, ...values() }),
    });
    for (const [name, unit, table, column] of SERIES) {
      const columns = robot[table];
      if (columns?.t.length && hasValue(columns[column])) add(name, unit, table !== "track", () => ({ t: robot[table].t, v: robot[table][column] }));
    }
    for (const [key, { units, columns }] of Object.entries(robot.sensors)) {
      for (const [name, unit] of Object.entries(units)) {
        if (hasValue(columns[name])) add(`${key}: ${name}`, unit, true, () => ({ t: columns.t, v: columns[name] }));
      }
    }
    if (robot.scans.t.length) add(NEAREST, "m", true, () => ({ t: robot.scans.t, v: nearestReturns(robot) }));
    robot.tree.nodes.forEach(([name, kind], row) => {
      const said = robot.tree.said[row];
      if (kind === "blackboard" && said && /^[-+]?[0-9.]/.test(robot.texts[said.texts[0]] ?? "")) add(name, "", true, () => saidNumbers(robot, row));
    });
    for (const [, who, kind, text] of events) {
      const key = text.split(" = ")[0];
      if (kind === "parameter" && who === robot.name) add(`parameter ${key}`, "", true, () => parameterValues(events, robot.name, key));
    }
  });
  return found;
}

class StripCharts {
  constructor(seek) {
    this.seek = seek;
    this.chosen = [];
    this.theme = 0;
    $("series").addEventListener("change", () => {
      const { value } = $("series");
      $("series").value = "";
      if (value && !this.chosen.includes(value)) this.chosen.push(value);
      this.changed?.();
    });
    this.clear();
  }

  clear() {
    this.charts = new Map();
    this.gauges = new Map();
    this.names = "";
    $("charts").replaceChildren();
  }

  // The charts' lines as they are now; what has become known gets a chart.
  refresh({ robots, events }) {
    const series = seriesOf(robots, events.events);
    const names = [...series.keys()].join("\n");
    if (names !== this.names) {
      this.names = names;
      $("series").replaceChildren(new Option("add a chart of …", ""), ...[...series.keys()].map((name) => new Option(name)));
    }
    const wanted = this.chosen.filter((name) => series.has(name)).map((name) => ({ title: name, unit: series.get(name).unit, lines: [series.get(name).line()], options: {}, isChosen: true }));
    robots.forEach((robot, number) => {
      if (!this.gauges.has(robot.name) && Gauge.isFor(robot)) {
        this.gauges.set(robot.name, new Gauge(robot, number));
        $("charts").prepend(this.gauges.get(robot.name).element);
      }
    });
    for (const spec of [...wanted, ...chartsOf(robots)]) this.place(spec);
    for (const [title, chart] of this.charts) {
      if (chart.isChosen && !this.chosen.includes(title)) {
        chart.element.remove();
        this.charts.delete(title);
      }
    }
  }

  place({ title, unit, lines, options, isChosen = false }) {
    const known = this.charts.get(title);
    if (known && known.lines.length === lines.length) {
      known.update(lines, options);
      return;
    }
    const chart = new Chart(title, unit, lines, options);
    chart.onSeek(this.seek);
    chart.isChosen = isChosen;
    if (isChosen) {
      const close = make("button", "close", "×");
      close.type = "button";
      close.setAttribute("aria-label", `remove the chart of ${title}`);
      close.addEventListener("click", () => {
        this.chosen = this.chosen.filter((name) => name !== title);
        this.changed?.();
      });
      chart.element.querySelector("h3").append(close);
    }
    if (known) known.element.replaceWith(chart.element);
    else $("charts").append(chart.element);
    this.charts.set(title, chart);
  }

  draw(now, oldest) {
    const wide = Number($("span").value) * 1000 || Math.max(now - oldest, 1000);
    for (const gauge of this.gauges.values()) gauge.draw(now);
    const begin = Math.max(now - wide, oldest);
    for (const chart of this.charts.values()) chart.draw(now, { begin, end: begin + wide }, this.theme);
  }
}
