// The events, to be clicked, and the recording's facts.

class EventList {
  constructor(list, kinds, header, robots, seek) {
    this.list = list;
    this.events = header.events;
    this.seek = seek;
    this.hidden = new Set(this.count("gate") > 60 ? ["gate"] : []);
    this.numbers = new Map(robots.map((robot, index) => [robot.name, index % 8]));
    this.items = this.events.map((event) => this.makeItem(event));
    this.list.append(...this.items.map(({ item }) => item));
    if (header.left_out) this.list.append(make("li", "none", `${header.left_out} later events are not listed.`));
    if (!this.items.length) this.list.append(make("li", "none", "The recording holds no events."));
    for (const kind of header.kinds) if (this.count(kind)) kinds.append(this.filter(kind));
    this.hide();
  }

  makeItem([at, robot, kind, text]) {
    const button = make("button", "future");
    button.type = "button";
    const by = make("span", "by", robot);
    if (this.numbers.has(robot)) by.style.borderLeft = `4px solid var(--robot${this.numbers.get(robot)})`;
    button.append(make("span", "at", seconds(at)), by, make("span", "what", kind), make("span", "text", text));
    button.addEventListener("click", () => this.seek(at));
    const item = make("li");
    item.append(button);
    return { item, button, kind };
  }

  count(kind) {
    return this.events.filter((event) => event[2] === kind).length;
  }

  filter(kind) {
    const button = make("button", "", `${kind} ${this.count(kind)}`);
    button.type = "button";
    button.title = `Show or hide events of kind ${kind}`;
    button.setAttribute("aria-pressed", String(!this.hidden.has(kind)));
    button.addEventListener("click", () => {
      if (!this.hidden.delete(kind)) this.hidden.add(kind);
      button.setAttribute("aria-pressed", String(!this.hidden.has(kind)));
      this.hide();
    });
    return button;
  }

  hide() {
    for (const { item, kind } of this.items) item.hidden = this.hidden.has(kind);
  }

  draw(now) {
    let newest = -1;
    for (let index = 0; index < this.items.length; index++) {
      if (this.events[index][0] > now + 0.5) break;
      if (!this.items[index].item.hidden) newest = index;
    }
    if (newest === this.newest) return;
    this.newest = newest;
    this.items.forEach(({ button }, index) => {
      button.className = index < newest ? "past" : index === newest ? "now" : "future";
    });
    if (newest < 0) return;
    const { item } = this.items[newest];
    const top = item.offsetTop - this.list.offsetTop;
    const { scrollTop, clientHeight } = this.list;
    if (top < scrollTop || top > scrollTop + clientHeight - 30) this.list.scrollTop = top - clientHeight / 2;
  }

  // The time of the shown event before or after an instant, or null.
  beside(now, direction) {
    const times = this.events.filter((_, index) => !this.items[index].item.hidden).map(([at]) => at);
    const found = direction > 0 ? times.find((at) => at > now + 0.5) : times.filter((at) => at < now - 0.5).pop();
    return found === undefined ? null : found;
  }
}

// The newest value of each key of the game's state.
function phaseAt(events, now) {
  let phase = "";
  for (const [at, , kind, text] of events) {
    if (at > now + 0.5) break;
    const found = kind === "game" && /(?:^|, )phase ([A-Z_]+)/.exec(text);
    if (found) [, phase] = found;
  }
  return phase;
}

const SOURCES = new Map([
  ["truth", "drawn where it truly was"],
  ["localisation", "drawn where its localisation put it"],
  ["odometry", "drawn where its odometry put it"],
]);

function fillFacts(element, header, robots) {
  const rows = [["duration", seconds(header.duration)]];
  const groups = [];
  for (const [key, value] of Object.entries(header.info)) {
    if (value !== null && typeof value === "object") {
      if (Object.keys(value).length) groups.push([key, value]);
    } else if (typeof value === "string" && value.includes("\n")) groups.push([key, value]);
    else if (value !== null && value !== "") rows.push([key, String(value)]);
  }
  for (const robot of robots) {
    const place = robot.track.t.length ? SOURCES.get(robot.source) : "";
    rows.push([robot.name, [robot.role === robot.name ? "" : robot.role, place, ...robot.notes].filter(Boolean).join("; ")]);
  }
  for (const [name, kept] of Object.entries(header.promises ?? {})) rows.push([`promise ${name}`, kept]);
  element.append(table(rows));
  if (Object.keys(header.skipped).length) groups.push(["messages that could not be used", header.skipped]);
  for (const [key, value] of groups) {
    const details = make("details");
    details.append(make("summary", "", key));
    details.append(typeof value === "string" ? make("pre", "", value) : table(flat(value, "")));
    element.append(details);
  }
}

function flat(value, prefix) {
  const rows = [];
  for (const [key, part] of Object.entries(value)) {
    const name = prefix ? `${prefix}.${key}` : key;
    const deep = part !== null && typeof part === "object" && !Array.isArray(part);
    if (deep) rows.push(...flat(part, name));
    else rows.push([name, Array.isArray(part) ? JSON.stringify(part) : String(part)]);
  }
  return rows;
}

function table(rows) {
  const element = make("table");
  for (const [key, value] of rows) {
    const row = make("tr");
    row.append(make("td", "", key), make("td", "", value));
    element.append(row);
  }
  return element;
}
