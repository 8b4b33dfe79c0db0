// The parameters of each robot: searched, changed, set back, saved to a file and loaded from one.

// A slider reaches so many times as far as the value at the begin, or else to the bound.
const REACH = 4;
const STEPS = 400;

const sameValue = (one, other) => JSON.stringify(one) === JSON.stringify(other);

class TuningPanel {
  constructor(order) {
    this.order = order;
    this.robots = {};
    this.rows = [];
    this.robot = "";
    $("tuned").addEventListener("change", () => this.choose($("tuned").value));
    for (const id of ["search", "onlychanged"]) $(id).addEventListener("input", () => this.filter());
    $("setback").addEventListener("click", () => this.change(this.sheet.begin, null));
    $("load").addEventListener("click", () => $("file").click());
    $("file").addEventListener("change", () => this.load());
  }

  get sheet() {
    return this.robots[this.robot];
  }

  async refresh() {
    const { robots } = await (await fetch("/parameters", { cache: "no-store" })).json();
    const names = Object.keys(robots);
    const isSame = sameValue(names, Object.keys(this.robots)) && sameValue(this.sheet?.fields, robots[this.robot]?.fields);
    this.robots = robots;
    if (!isSame) {
      $("tuned").replaceChildren(...names.map((name) => new Option(name)));
      this.choose(names.includes(this.robot) ? this.robot : names[0]);
    }
    this.show();
  }

  choose(robot) {
    this.robot = robot ?? "";
    $("tuned").value = this.robot;
    this.rows = this.sheet ? this.sheet.fields.map((field) => new ParameterRow(field, this)) : [];
    $("parameters").replaceChildren(...this.rows.map(({ element }) => element));
    $("keep").href = `/parameters/file?${new URLSearchParams({ robot: this.robot })}`;
    this.show();
  }

  show() {
    for (const row of this.rows) row.show(this.sheet.values[row.field.key], this.sheet.begin[row.field.key]);
    const changed = this.rows.filter((row) => row.isChanged).length;
    show($("changes"), changed ? `${changed} changed` : "");
    $("setback").disabled = !changed;
    this.filter();
  }

  filter() {
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of this.rows) row.element.hidden = !row.matches(words) || ($("onlychanged").checked && !row.isChanged);
  }

  // Changes that are refused, wholly, leave their reason with the row that they came from.
  async change(changes, row) {
    const refused = await this.order("tune", { robot: this.robot, changes });
    if (row) row.tell(refused);
    if (!refused) await this.refresh();
  }

  async load() {
    const [file] = $("file").files;
    $("file").value = "";
    if (!file) return;
    const refused = await this.order("load", { robot: this.robot, text: await file.text() });
    show($("loaded"), refused ? `${file.name}: ${refused}` : `${file.name} is loaded`);
    await this.refresh();
  }
}

class ParameterRow {
  constructor(field, panel) {
    this.field = field;
    this.panel = panel;
    this.isChanged = false;
    this.text = `${field.key} ${field.description} ${field.unit}`.toLowerCase();
    const element = this.element = make("div", "parameter");
    const label = make("label", "", field.key);
    const id = label.htmlFor = `parameter-${field.key}`;
    this.input = this.makeInput();
    this.input.id = id;
    this.input.disabled = field.read_only;
    this.input.setAttribute("aria-describedby", `${id}-about`);
    this.back = make("button", "back", "↺");
    this.back.type = "button";
    this.back.setAttribute("aria-label", `set ${field.key} back`);
    this.back.addEventListener("click", () => panel.change({ [field.key]: this.begin }, this));
    const about = make("p", "about", `${field.description}${this.range()}${field.read_only ? "; no live changes" : ""}`);
    about.id = `${id}-about`;
    this.refused = make("p", "refused");
    this.refused.setAttribute("role", "alert");
    this.input.addEventListener("change", () => panel.change({ [field.key]: this.read() }, this));
    const inputs = make("span", "inputs");
    this.slider = this.makeSlider();
    inputs.append(...(this.slider ? [this.slider] : []), this.input, make("span", "unit", field.unit), this.back);
    element.append(label, inputs, about, this.refused);
  }

  makeInput() {
    const { kind, choices, low, high } = this.field;
    if (kind === "choice") {
      const input = make("select");
      input.append(...choices.map((choice) => new Option(choice)));
      return input;
    }
    const input = make("input");
    input.type = { boolean: "checkbox", number: "number", integer: "number" }[kind] ?? "text";
    if (input.type === "number") {
      input.step = kind === "integer" ? "1" : "any";
      if (low !== null) input.min = String(low);
      if (high !== null) input.max = String(high);
    }
    return input;
  }

  makeSlider() {
    const { kind, low, high, key, read_only: fixed } = this.field;
    if (!["number", "integer"].includes(kind) || low === null || high === null || fixed) return null;
    const begin = this.panel.sheet.begin[key];
    const end = begin > 0 ? Math.min(high, Math.max(REACH * begin, low)) : high;
    const slider = make("input");
    Object.assign(slider, { type: "range", min: String(low), max: String(end), tabIndex: -1 });
    slider.step = kind === "integer" ? "1" : String((end - low) / STEPS);
    slider.setAttribute("aria-label", `${key}, slider`);
    slider.addEventListener("input", () => { this.input.value = String(Number(Number(slider.value).toPrecision(4))); });
    slider.addEventListener("change", () => this.panel.change({ [key]: this.read() }, this));
    return slider;
  }

  range() {
    const { low, high } = this.field;
    if (low === null && high === null) return "";
    if (high === null) return ` (from ${low})`;
    return ` (${low === null ? "" : `${low} `}to ${high})`;
  }

  // What a field holds that is no number goes to the server as it is, which says why it refuses it.
  read() {
    const { kind, optional } = this.field;
    if (kind === "boolean") return this.input.checked;
    const text = this.input.value;
    if (kind === "choice") return text;
    if (text.trim() === "" && optional) return null;
    if (kind === "text") return text;
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  show(value, begin) {
    this.begin = begin;
    this.isChanged = !sameValue(value, begin);
    this.element.classList.toggle("changed", this.isChanged);
    this.back.hidden = !this.isChanged;
    if (this.refused.textContent || document.activeElement === this.input) return;
    if (this.field.kind === "boolean") this.input.checked = value;
    else this.input.value = value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    if (this.slider && document.activeElement !== this.slider) this.slider.value = String(value);
  }

  tell(refused) {
    show(this.refused, refused);
    this.input.setAttribute("aria-invalid", String(Boolean(refused)));
  }

  matches(words) {
    return words.every((word) => this.text.includes(word));
  }
}
