// Each cue of a robot's game by a button, with its light and its song, or with one of them.

class CuePanel {
  constructor(order) {
    this.order = order;
    this.robots = {};
    this.offered = "";
    $("cued").addEventListener("change", () => this.choose());
  }

  // Takes the sheets of the robots, as the parameters come.
  show(robots) {
    this.robots = robots;
    const offered = JSON.stringify(Object.entries(robots).map(([name, { cues }]) => [name, cues]));
    if (offered === this.offered) return;
    this.offered = offered;
    const chosen = $("cued").value;
    const names = Object.keys(robots).filter((name) => robots[name].cues.length);
    $("cues").hidden = !names.length;
    $("cued").replaceChildren(...names.map((name) => new Option(name)));
    if (names.includes(chosen)) $("cued").value = chosen;
    this.choose();
  }

  choose() {
    const robot = $("cued").value;
    show($("cuerefused"), "");
    $("cuebuttons").replaceChildren(...(this.robots[robot]?.cues ?? []).map((cue) => {
      const button = make("button", "", cue.toLowerCase().replaceAll("_", " "));
      button.type = "button";
      button.addEventListener("click", async () => {
        show($("cuerefused"), await this.order("cue", { robot, name: `${cue}${$("cuepart").value}` }));
      });
      return button;
    }));
  }
}
