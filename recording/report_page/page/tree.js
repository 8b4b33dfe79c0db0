// One robot's card: what it does, and its tree with live statuses.

const STATUSES = [
  ["·", "not ticked"], ["▶", "running"], ["✓", "success"], ["✕", "failure"],
];
const KINDS = new Map([["Selector", "?"], ["Sequence", "→"], ["Parallel", "⇉"]]);

class TreeCard {
  constructor(robot, number, options) {
    this.robot = robot;
    this.options = options;
    this.element = make("article", "card robot");
    this.element.style.setProperty("--own", `var(--robot${number % 8})`);
    const head = make("header");
    const who = make("div", "who");
    who.append(make("h3", "", robot.name), make("span", "role", robot.role === robot.name ? "" : robot.role));
    this.sensed = make("span", "sensed");
    who.append(this.sensed);
    this.doing = make("p", "doing");
    this.active = make("span", "active");
    this.said = make("span", "said");
    this.doing.append(this.active, this.said);
    this.asks = make("p", "moves");
    this.drives = make("p", "moves");
    this.gate = make("p", "gate");
    head.append(who, this.doing, this.asks, this.drives, this.gate);
    this.element.append(head);
    this.tree = make("div", "tree");
    this.tree.setAttribute("role", "tree");
    this.tree.setAttribute("aria-label", `Tree of ${robot.name}`);
    this.rows = robot.tree.nodes.map((node, row) => this.makeRow(node, row));
    this.closed = new Set();
    this.shownTip = -1;
    this.shownTick = -2;
    if (this.rows.length) {
      this.tree.append(...this.rows.map((row) => row.element));
      this.element.append(this.tree);
    } else {
      this.doing.hidden = this.gate.hidden = true;
      this.element.append(make("p", "none", "The recording holds no tree of this robot."));
    }
  }

  makeRow([name, kind, depth], row) {
    const { nodes } = this.robot.tree;
    const inner = row + 1 < nodes.length && nodes[row + 1][2] > depth;
    const element = make("div", kind === "blackboard" ? "row kept" : "row");
    element.style.setProperty("--depth", depth);
    element.dataset.status = "0";
    element.title = `${name} (${kind})`;
    element.setAttribute("role", "treeitem");
    element.setAttribute("aria-level", depth + 1);
    const fold = make(inner ? "button" : "span", "fold", inner ? "▾" : "");
    if (inner) {
      fold.type = "button";
      fold.setAttribute("aria-label", `Fold ${name}`);
      element.setAttribute("aria-expanded", "true");
      fold.addEventListener("click", () => this.toggle(row));
    }
    const mark = make("span", "mark", kind === "blackboard" ? "=" : STATUSES[0][0]);
    mark.dataset.status = "0";
    const feedback = make("span", "feedback");
    element.append(fold, mark);
    if (inner) element.append(make("span", "kind", KINDS.get(kind) || "δ"));
    element.append(make("span", "name", name), feedback);
    return { element, fold, mark, feedback, name, kind, depth, status: 0 };
  }

  toggle(row) {
    if (!this.closed.delete(row)) this.closed.add(row);
    const open = !this.closed.has(row);
    this.rows[row].fold.textContent = open ? "▾" : "▸";
    this.rows[row].element.setAttribute("aria-expanded", String(open));
    let hiddenBelow = Infinity;
    this.rows.forEach((one, index) => {
      if (one.depth <= hiddenBelow) hiddenBelow = Infinity;
      one.element.classList.toggle("away", hiddenBelow < Infinity);
      if (hiddenBelow === Infinity && this.closed.has(index)) hiddenBelow = one.depth;
    });
    this.shownTip = -2;
    this.show(this.shownTick, this.now);
  }

  draw(now) {
    this.now = now;
    this.show(before(this.robot.ticks.t, now), now);
  }

  show(tick, now) {
    const { robot } = this;
    this.shownTick = tick;
    this.showStatuses(tick);
    this.showHead(tick, now);
    const tip = tick < 0 ? -1 : robot.tree.tip[tick];
    const seen = this.visible(tip);
    if (seen !== this.shownTip) {
      this.rows.forEach((row, index) => row.element.classList.toggle("tip", index === seen));
      this.shownTip = seen;
      if (seen >= 0 && this.options.follow()) this.reveal(this.rows[seen].element);
    }
  }

  showStatuses(tick) {
    const { tree, texts } = this.robot;
    const width = this.rows.length;
    this.rows.forEach((row, index) => {
      const status = tick < 0 ? 0 : tree.statuses[tick * width + index];
      if (status !== row.status) {
        row.status = status;
        row.element.dataset.status = row.mark.dataset.status = String(status);
        row.mark.textContent = (STATUSES[status] || STATUSES[0])[0];
      }
      const said = texts[this.saidAt(index, tick)];
      if (row.feedback.textContent !== said) {
        row.feedback.textContent = said;
        row.element.title = `${row.name} (${row.kind})${said ? `: ${said}` : ""}`;
      }
      const spoken = row.kind === "blackboard" ? `${row.name}: ${said}` : `${row.name}, ${(STATUSES[status] || STATUSES[0])[1]}`;
      if (row.spoken !== spoken) {
        row.spoken = spoken;
        row.element.setAttribute("aria-label", spoken);
      }
    });
  }

  saidAt(row, tick) {
    const said = this.robot.tree.said[row];
    const index = said ? before(said.ticks, tick) : -1;
    return index < 0 ? 0 : said.texts[index];
  }

  showHead(tick, now) {
    const { ticks, texts, tree } = this.robot;
    this.showSensed(now);
    if (!this.rows.length) {
      this.showDriven(now);
      return;
    }
    const fault = tick < 0 ? "" : texts[ticks.fault[tick]];
    show(this.active, tick < 0 ? "not ticked yet" : texts[ticks.active[tick]] || "no leaf runs");
    show(this.said, tick < 0 || tree.tip[tick] < 0 ? "" : texts[this.saidAt(tree.tip[tick], tick)]);
    this.said.title = this.said.textContent;
    const asked = tick < 0 || Number.isNaN(ticks.asked_linear[tick])
      ? "nothing" : speeds(ticks.asked_linear[tick], ticks.asked_angular[tick]);
    const age = tick < 0 ? 0 : now - ticks.t[tick];
    for (const element of [this.doing, this.gate]) element.classList.toggle("old", isOld(age));
    showAged(this.asks, `asks ${asked}`, age);
    showAged(this.drives, tick < 0 ? "" : `drives ${speeds(ticks.driven_linear[tick], ticks.driven_angular[tick])}`, age);
    const reasons = tick < 0 ? "" : texts[ticks.reasons[tick]];
    show(this.gate, fault ? `latched: ${fault}` : reasons ? `gate: ${reasons}` : "");
    this.gate.title = this.gate.textContent;
  }

  // What sensors say of themselves in words, such as the battery's charge.
  showSensed(now) {
    const said = Object.values(this.robot.sensors).flatMap(({ columns: { t, shown } }) => {
      const index = shown ? before(t, now) : -1;
      return index < 0 ? [] : [[this.robot.texts[shown[index]], now - t[index]]];
    });
    if (!said.length) show(this.sensed, "");
    else showAged(this.sensed, said.map(([text]) => text).join(", "), Math.max(...said.map(([, age]) => age)));
  }

  showDriven(now) {
    const { commands, measured } = this.robot;
    const command = before(commands.t, now), odometry = before(measured.t, now);
    const tell = (element, word, { t, linear, angular }, index) => {
      if (index < 0) show(element, `${word} ${t.length ? "–" : "speed is not recorded"}`);
      else showAged(element, `${word} ${speeds(linear[index], angular[index])}`, now - t[index]);
    };
    tell(this.asks, "commanded", commands, command);
    tell(this.drives, "measured", measured, odometry);
  }

  // The row itself, or the folded one that hides it.
  visible(row) {
    let found = row;
    for (let index = row - 1, depth = row < 0 ? 0 : this.rows[row].depth; index >= 0; index--) {
      if (this.rows[index].depth >= depth) continue;
      depth = this.rows[index].depth;
      if (this.closed.has(index)) found = index;
    }
    return found;
  }

  reveal(element) {
    const top = element.offsetTop - this.tree.offsetTop;
    const { scrollTop, clientHeight } = this.tree;
    if (top < scrollTop + 22 || top > scrollTop + clientHeight - 44) this.tree.scrollTop = top - clientHeight / 2;
  }
}

function speeds(linear, angular) {
  const signed = (value) => (value < 0 ? number(value) : `+${number(value)}`);
  return `${signed(linear)} m/s ${signed(angular)} rad/s`;
}
