// The console: asks for what is new, draws it, and sends what the operator wants.

const TICK_MS = 20;
const SLOWLY_MS = 500;
// How what a lifecycle manager manages stands.
const STACKS = { active: "runs", inactive: "waits for its start", unknown: "does not answer", absent: "is not there" };

// Where another machine may look on, control needs a token, which the address brings, and which stays in this tab.
const TOKEN = new URLSearchParams(location.hash.slice(1)).get("token") ?? sessionStorage.getItem("token") ?? "";
if (TOKEN) {
  sessionStorage.setItem("token", TOKEN);
  history.replaceState(null, "", location.pathname + location.search);
}

const $ = (id) => document.getElementById(id);

// The blocks of an answer, each behind its length.
function blocksOf(buffer) {
  const view = new DataView(buffer), blocks = [];
  for (let at = 0; at < buffer.byteLength;) {
    const length = view.getUint32(at, true);
    blocks.push(new Uint8Array(buffer, at + 4, length));
    at += 4 + length;
  }
  return blocks;
}

async function unpack(block) {
  const stream = new Blob([block]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Bundle(new Uint8Array(await new Response(stream).arrayBuffer()));
}

// A game as far as the page knows it.
class Game {
  constructor(bundle, charts, seek) {
    const { header } = bundle;
    this.header = header;
    this.texts = header.texts;
    this.robots = header.robots.map((robot) => unfold(bundle, robot));
    for (const robot of this.robots) robot.texts = this.texts;
    this.colours = new Map(header.leaves);
    this.newest = header.duration;
    for (const id of ["robots", "bands", "list", "kinds"]) $(id).replaceChildren();
    // A canvas keeps its listeners, so that each game gets one of its own.
    const canvas = $("arena").cloneNode();
    $("arena").replaceWith(canvas);
    this.arena = new Arena(canvas, header, this.robots);
    this.cards = this.robots.map((robot, index) => new TreeCard(robot, index, { follow: () => $("follow").checked }));
    $("robots").append(...this.cards.map((card) => card.element));
    this.bands = new Bands($("bands"), header, this.robots, seek);
    this.bands.colours = this.colours;
    this.events = new EventList($("list"), $("kinds"), header, this.robots, seek);
    this.charts = charts;
    charts.clear();
    this.drawnSlowly = 0;
  }

  grow(bundle) {
    const { header } = bundle;
    header.texts.forEach((text, index) => { this.texts[header.first_text + index] = text; });
    header.robots.forEach((robot, index) => growRobot(this.robots[index], unfold(bundle, robot)));
    for (const [leaf, own] of header.leaves) this.colours.set(leaf, own);
    growShapes(this.arena.game, header.game, header.defaults);
    growEvents(this.events, header.events);
    this.arena.shows.add(header.shows);
    this.newest = header.duration;
  }

  get oldest() {
    return Math.min(this.newest, ...this.robots.map(({ track }) => track.t[0] ?? this.newest));
  }

  draw(now) {
    this.arena.draw(now);
    for (const card of this.cards) card.draw(now);
    this.events.draw(now);
    this.bands.duration = Math.max(this.newest, 1);
    for (const { spans } of this.bands.bands) if (spans.length) spans[spans.length - 1].end = this.newest;
    const passed = performance.now();
    if (passed - this.drawnSlowly > SLOWLY_MS || !this.running) {
      this.drawnSlowly = passed;
      this.showSlowly();
    }
    this.bands.draw(now);
    this.charts.draw(now, this.oldest);
    const text = phaseAt(this.events.events, now);
    $("phase").hidden = !text;
    show($("phase"), text);
  }

  // What changes rarely, or costs more.
  showSlowly() {
    for (const band of this.bands.bands) band.spans = this.bands.spans(band.robot);
    const signature = JSON.stringify([
      this.arena.game.frames.length > 0, this.arena.game.shapes.length,
      ...this.robots.map(({ scans, detections, believed }) => [scans.t.length > 0, detections.t.length > 0, Boolean(believed)]),
    ]);
    if (signature !== this.signature) {
      this.signature = signature;
      $("layers").replaceChildren();
      $("key").replaceChildren();
      fillLayers($("layers"), this.arena, this.robots);
      fillKey($("key"), this.arena, this.robots);
      this.arena.bounds = this.arena.measure();
    }
    this.charts.refresh(this);
    const counts = this.header.kinds.map((kind) => this.events.count(kind)).join();
    if (counts !== this.counts) {
      this.counts = counts;
      const held = document.activeElement?.parentElement === $("kinds") ? [...$("kinds").children].indexOf(document.activeElement) : -1;
      $("kinds").replaceChildren(...this.header.kinds.filter((kind) => this.events.count(kind)).map((kind) => this.events.filter(kind)));
      $("kinds").children[held]?.focus();
    }
  }
}

class ConsolePage {
  constructor() {
    this.known = { game: -1, epoch: -1, frame: -1 };
    this.number = -1;
    this.game = null;
    this.state = null;
    this.isLost = false; // Whether the server does not answer.
    this.seen = null; // An instant of the past that is looked at; null while the newest is.
    const order = async (what, more) => (await this.send(what, more)).error ?? "";
    this.tuning = new TuningPanel(order);
    this.cues = new CuePanel(order);
    this.comparing = new ABPanel(order);
    this.tuned = "";
    this.charts = new StripCharts((now) => this.seek(now));
    this.charts.changed = () => {
      if (!this.game) return;
      this.charts.refresh(this.game);
      this.show();
    };
    this.loudspeaker = new Loudspeaker();
    this.listen();
  }

  async follow() {
    let asked = null;
    for (;;) {
      try {
        const news = await (asked ?? this.ask());
        // The next news are on their way while these are drawn; a hidden page asks less often.
        asked = document.hidden ? null : this.ask();
        asked?.catch(() => {});
        await this.take(news);
        if (this.isLost) $("failure").hidden = true;
        this.isLost = false;
        if (document.hidden) await new Promise((resolve) => setTimeout(resolve, 1000));
      } catch (error) {
        // What was on its way, or half drawn, is asked for whole.
        asked = null;
        this.known.epoch = -1;
        this.isLost = true;
        $("failure").hidden = false;
        show($("failure"), `The console's server does not answer: ${error.message}. The page asks again.`);
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
  }

  async ask() {
    const { game, epoch, frame } = this.known;
    const answer = await fetch(`/news?game=${game}&epoch=${epoch}&frame=${frame}`, { cache: "no-store" });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const number = Number(answer.headers.get("X-Game"));
    const [first, ...blocks] = blocksOf(await answer.arrayBuffer());
    const state = JSON.parse(new TextDecoder().decode(first));
    this.known = { game: number, epoch: state.epoch, frame: state.frame };
    return { number, state, blocks };
  }

  async take({ number, state, blocks }) {
    this.state = state;
    if (number !== this.number) {
      this.number = number;
      this.game = null;
      this.seen = null;
    }
    for (const [index, block] of blocks.entries()) {
      if (!block.length) continue;
      const bundle = state.whole ? await unpack(block) : new Bundle(block);
      if (state.whole && index === 0) this.game = new Game(bundle, this.charts, (now) => this.seek(now));
      else {
        const known = this.game.newest;
        this.game.grow(bundle);
        if (this.seen === null) this.sing(known);
      }
    }
    if (this.game) this.game.running = state.running;
    const tuned = `${number} ${state.tuned} ${this.game !== null}`;
    if (tuned !== this.tuned) {
      this.tuned = tuned;
      await this.tuning.refresh();
      this.cues.show(this.tuning.robots);
    }
    this.show();
  }

  // What began since an instant is heard, where the game is not much faster than music.
  sing(since) {
    if (this.state?.speed > 0 && this.state.speed <= 2) {
      for (const notes of this.game.arena.shows.songsBetween(since, this.game.newest)) this.loudspeaker.play(notes);
    }
  }

  show() {
    this.showState();
    if (!this.game) return;
    const now = this.seen ?? this.game.newest;
    const slider = $("time");
    slider.min = String(Math.floor(this.game.oldest));
    slider.max = String(Math.ceil(this.game.newest));
    slider.value = String(Math.round(now));
    const text = this.seen === null ? seconds(now) : `${(now / 1000).toFixed(2)} / ${seconds(this.game.newest)}`;
    show($("clock"), text);
    slider.setAttribute("aria-valuetext", text);
    $("live").disabled = this.seen === null;
    this.game.draw(now);
  }

  showState() {
    const { scenario, seed, running, over, outcome, reason, stopped, latched, failed, speed, reached, ros, findings } = this.state;
    document.body.classList.toggle("ros", Boolean(ros));
    show($("title"), scenario);
    document.title = `${scenario}: console`;
    const facts = ros ? [] : [`seed ${seed}`];
    if (ros && !failed) facts.push(running ? `robots: ${this.game?.robots.map(({ name }) => name).join(", ") ?? "found"}` : "no robot publishes ticks, odometry or scans yet");
    else if (failed) facts.push(failed);
    else if (over) facts.push(`${outcome}${reason ? ` (${reason})` : ""}`);
    else facts.push(running ? `running${reached ? ` at ${reached.toFixed(reached < 10 ? 1 : 0)} x` : ""}` : "paused");
    for (const why of new Set(latched.map(([, why]) => why))) {
      facts.push(`${latched.filter((one) => one[1] === why).map(([robot]) => robot).join(", ")} latched: ${why}`);
    }
    show($("subtitle"), facts.join(" · "));
    this.showRules();
    this.showStacks();
    $("findings").hidden = !findings.length;
    const told = findings.map(([robot, wrong, remedy]) => `${robot}: ${wrong}${remedy ? ` (${remedy})` : ""}`);
    if (told.join() !== this.told) {
      this.told = told.join();
      $("findings").replaceChildren(...told.map((text) => make("li", "", text)));
    }
    show($("run"), running ? "Pause" : "Run");
    $("run").disabled = $("step").disabled = over || Boolean(failed);
    $("stop").disabled = stopped || Boolean(failed);
    $("reset").disabled = !latched.length;
    if (document.activeElement !== $("speed")) $("speed").value = String(speed);
    if (this.shown !== `${scenario} ${seed}`) {
      this.shown = `${scenario} ${seed}`;
      $("seed").value = String(seed);
      if (![...$("scenario").options].some((option) => option.value === scenario)) $("scenario").append(new Option(scenario));
      $("scenario").value = scenario;
    }
  }

  // A button for what people may do to the rules, and a field for what they may tell them.
  showRules() {
    const { controls, settings } = this.state;
    const offered = `${controls} ${settings}`;
    if (offered === this.offered) return;
    this.offered = offered;
    $("rules").hidden = !controls.length && !settings.length;
    const rule = async (what, more) => show($("ruled"), (await this.send(what, more)).error ?? "");
    const button = (text, act) => {
      const made = make("button", "", text.replaceAll("_", " "));
      made.type = "button";
      made.addEventListener("click", act);
      return made;
    };
    const fields = settings.map((name) => {
      const label = make("label", "");
      const input = make("input", "");
      input.setAttribute("aria-label", name.replaceAll("_", " "));
      const value = () => {
        try {
          return JSON.parse(input.value);
        } catch {
          return input.value;
        }
      };
      const tell = () => rule("set", { name, value: value() });
      input.addEventListener("keydown", (event) => { if (event.key === "Enter") tell(); });
      label.append(input, button(name, tell));
      return label;
    });
    $("controls").replaceChildren(...controls.map((name) => button(name, () => rule("control", { name }))), ...fields);
  }

  // What starts localisation and Nav2, and what is missing.
  showStacks() {
    const { stacks } = this.state;
    const offered = JSON.stringify(stacks);
    if (offered === this.stacks) return;
    this.stacks = offered;
    $("bringup").hidden = !stacks.length;
    $("stacks").replaceChildren(...stacks.map(([robot, name, state, remedy]) => {
      const what = name === "navigation" ? "Nav2" : "localisation";
      const item = make("li", "", `${robot}: ${what} ${STACKS[state]}${remedy ? ":" : ""} `);
      if (state === "inactive" && !remedy) {
        const button = make("button", "", `Start ${what}`);
        button.type = "button";
        button.addEventListener("click", async () => {
          show($("startrefused"), "");
          show($("startrefused"), (await this.send("start", { robot, name })).error ?? "");
        });
        item.append(button);
      }
      if (remedy) item.append(make(state === "absent" ? "code" : "span", "", remedy));
      return item;
    }));
  }

  seek(now) {
    if (!this.game) return;
    this.seen = now >= this.game.newest ? null : Math.max(now, this.game.oldest);
    this.show();
  }

  // Robots on ROS are neither run nor stepped, and who looks on controls nothing.
  hasKey(key) {
    if (document.body.classList.contains("looker")) return key === "End" || key.startsWith("Arrow");
    return !this.state.ros || ![" ", "."].includes(key);
  }

  async send(what, more = {}) {
    const answer = await fetch("/order", {
      method: "POST", headers: { "Content-Type": "application/json", "X-Token": TOKEN }, body: JSON.stringify({ what, ...more }),
    });
    return answer.json();
  }

  // Sends an order, and shows why it was refused where it was; returns what else the server says.
  async order(what, more = {}) {
    if (!this.isLost) $("failure").hidden = true;
    const said = await this.send(what, more);
    if (!said.error) return said;
    $("failure").hidden = false;
    show($("failure"), said.error);
    return null;
  }

  async save() {
    const said = await this.order("save");
    if (!said) return;
    $("saved").hidden = false;
    const link = make("a", "", said.saved);
    link.href = `/recording?${new URLSearchParams({ name: said.name })}`;
    $("saved").replaceChildren("Saved: ", link);
  }

  play(scenario, seed) {
    return this.order("play", { scenario, seed });
  }

  listen() {
    const act = {
      run: () => this.order(this.state.running ? "pause" : "run"),
      step: () => this.order("step"),
      stop: () => this.order("stop"),
      reset: () => this.order("reset"),
      again: () => this.play(this.state.scenario, this.state.seed),
      next: () => this.play(this.state.scenario, this.state.seed + 1),
      save: () => this.save(),
      sound: () => {
        this.loudspeaker.toggle();
        $("sound").setAttribute("aria-pressed", String(this.loudspeaker.isOn));
        show($("sound"), this.loudspeaker.isOn ? "Sound on" : "Sound off");
      },
      live: () => { this.seen = null; this.show(); },
    };
    for (const [id, does] of Object.entries(act)) $(id).addEventListener("click", () => this.state && does());
    $("speed").addEventListener("change", () => this.order("speed", { speed: Number($("speed").value) }));
    $("time").addEventListener("input", () => this.seek(Number($("time").value)));
    $("another").addEventListener("submit", (event) => {
      event.preventDefault();
      this.play($("scenario").value, Number($("seed").value));
    });
    $("ticked").addEventListener("change", (event) => $("robots").classList.toggle("onlyticked", event.target.checked));
    const now = () => this.seen ?? this.game.newest;
    const keys = {
      " ": act.run,
      ".": act.step,
      s: act.stop,
      r: act.reset,
      End: act.live,
      ArrowLeft: (event) => this.seek(now() - (event.shiftKey ? 1000 : TICK_MS)),
      ArrowRight: (event) => this.seek(now() + (event.shiftKey ? 1000 : TICK_MS)),
    };
    document.addEventListener("keydown", (event) => {
      if (!this.game || !this.hasKey(event.key) || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
      const { target } = event;
      if (target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && ["number", "text", "search"].includes(target.type))) return;
      if (event.key === " " && target instanceof HTMLElement && target.closest("button, input, summary, a") && target !== $("time")) return;
      event.preventDefault();
      keys[event.key](event);
    });
    const redraw = () => {
      palette.clear();
      this.charts.theme += 1;
      if (this.game) this.show();
    };
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    new ResizeObserver(redraw).observe($("main"));
  }
}

function makeChoice(name, description, choose) {
  const item = make("li", "");
  const button = make("button", "");
  const picture = make("img", "");
  picture.alt = "";
  picture.loading = "lazy";
  picture.width = picture.height = 240;
  picture.src = `/picture?${new URLSearchParams({ scenario: name })}`;
  button.type = "button";
  button.append(picture, make("h2", "", name), make("p", "facts", description));
  button.addEventListener("click", choose);
  item.append(button);
  return item;
}

async function open() {
  fillLegend($("statuses"));
  const page = new ConsolePage();
  const { granted } = await (await fetch("/control", { headers: { "X-Token": TOKEN } })).json();
  if (!granted) {
    document.body.classList.add("looker");
    $("parameters").inert = true;
    $("saved").hidden = false;
    show($("saved"), "You look on: control needs the address with the token that the console printed.");
  }
  const scenarios = await (await fetch("/scenarios")).json();
  for (const [name, description] of Object.entries(scenarios)) {
    const option = new Option(name);
    option.title = description;
    $("scenario").append(option);
    $("gallery").append(makeChoice(name, description, () => {
      $("scenarios").close();
      page.play(name, Number($("seed").value));
    }));
  }
  $("browse").addEventListener("click", () => $("scenarios").showModal());
  await page.follow();
}

open();
