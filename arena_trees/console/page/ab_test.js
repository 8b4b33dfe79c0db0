// A/B tests: two sets of values play the same seeds in other processes.

const ASK_MS = 1000;
const WORDS = { A: "A is better", B: "B is better", unclear: "not shown", same: "same", "too few": "too few pairs" };

const round = (value) => (value === null ? "–" : String(Number(value.toPrecision(3))));

class ABPanel {
  constructor(order) {
    this.order = order;
    $("ab").addEventListener("submit", async (event) => {
      event.preventDefault();
      const refused = await this.order("ab", { a: $("ab_a").value, b: $("ab_b").value, pairs: Number($("ab_pairs").value) });
      show($("ab_refused"), refused);
      this.follow();
    });
    $("ab_stop").addEventListener("click", async () => {
      await this.order("ab_stop");
      this.follow();
    });
    this.follow();
  }

  // Asks until the test is over.
  async follow() {
    clearTimeout(this.waiting);
    try {
      const test = await (await fetch("/ab", { cache: "no-store" })).json();
      if (test) this.show(test);
      if (test?.running) this.waiting = setTimeout(() => this.follow(), ASK_MS);
    } catch {
      this.waiting = setTimeout(() => this.follow(), ASK_MS);
    }
  }

  show({ scenario, a, b, done, pairs, running, failed, metrics }) {
    $("ab_stop").disabled = !running;
    const only = (one, other) => Object.entries(one).filter(([key, value]) => !sameValue(value, other[key]));
    const told = (one, other) => only(one, other).map(([key, value]) => `${key} = ${JSON.stringify(value)}`).join(", ") || "as it began";
    const facts = [`${scenario}, from seed ${a.seed}: ${done} of ${pairs} pairs`, `A: ${told(a, b)}`, `B: ${told(b, a)}`];
    if (failed) facts.push(failed);
    else if (!running && done < pairs) facts.push("stopped, so that no arm is called better");
    else if (running) facts.push("which is better is said after the last pair");
    show($("ab_state"), facts.join(" · "));
    $("ab_found").hidden = !done;
    $("ab_metrics").replaceChildren(...metrics.map(({ name, text, wanted, a, b, difference, low, high, verdict }) => {
      const row = make("tr");
      const title = make("th", "", name.replaceAll("_", " "));
      title.scope = "row";
      title.title = `${text}; ${wanted} is better`;
      row.classList.toggle("same", verdict === "same");
      const interval = low === null ? "" : ` [${round(low)}, ${round(high)}]`;
      row.append(title, make("td", "", round(a)), make("td", "", round(b)), make("td", "", `${round(difference)}${interval}`), make("td", verdict.length === 1 ? "decided" : "", WORDS[verdict] ?? ""));
      return row;
    }));
  }
}
