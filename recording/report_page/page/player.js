// Time: the slider, the buttons and the keys.

const TICK_MS = 20;

class Player {
  constructor(duration, begin, draw) {
    this.duration = duration;
    this.draw = draw;
    this.begin = begin;
    this.now = begin;
    this.playing = false;
    this.slider = document.getElementById("time");
    this.button = document.getElementById("play");
    this.speed = document.getElementById("speed");
    this.clock = document.getElementById("clock");
    this.slider.max = String(Math.ceil(duration));
    this.slider.addEventListener("input", () => this.seek(Number(this.slider.value)));
    this.button.addEventListener("click", () => this.toggle());
  }

  seek(now) {
    this.now = Math.min(Math.max(now, 0), this.duration);
    this.show();
  }

  toggle() {
    if (!this.playing && this.now >= this.duration) this.now = this.begin;
    this.playing = !this.playing;
    show(this.button, this.playing ? "Pause" : "Play");
    if (!this.playing) return;
    this.frame = performance.now();
    requestAnimationFrame((at) => this.step(at));
  }

  step(at) {
    if (!this.playing) return;
    // A tab in the background draws no frames: time stands still there.
    const passed = Math.min(Math.max(at - this.frame, 0), 250);
    this.frame = at;
    this.seek(this.now + passed * Number(this.speed.value));
    if (this.now >= this.duration) this.toggle();
    else requestAnimationFrame((next) => this.step(next));
  }

  show() {
    this.slider.value = String(Math.round(this.now));
    const text = `${(this.now / 1000).toFixed(2)} / ${seconds(this.duration)}`;
    show(this.clock, text);
    this.slider.setAttribute("aria-valuetext", text);
    this.draw(this.now);
  }

  faster(direction) {
    const { options, selectedIndex } = this.speed;
    this.speed.selectedIndex = Math.min(Math.max(selectedIndex + direction, 0), options.length - 1);
  }

  listen(events, toggleLidar) {
    const beside = (direction) => {
      const at = events.beside(this.now, direction);
      if (at !== null) this.seek(at);
    };
    document.getElementById("back").addEventListener("click", () => beside(-1));
    document.getElementById("next").addEventListener("click", () => beside(1));
    const keys = {
      " ": () => this.toggle(),
      ArrowLeft: (event) => this.seek(this.now - (event.shiftKey ? 1000 : TICK_MS)),
      ArrowRight: (event) => this.seek(this.now + (event.shiftKey ? 1000 : TICK_MS)),
      Home: () => this.seek(0),
      End: () => this.seek(this.duration),
      n: () => beside(1),
      p: () => beside(-1),
      "+": () => this.faster(1),
      "-": () => this.faster(-1),
      l: toggleLidar,
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
      // Buttons and lists keep the keys that they know themselves.
      const { target } = event;
      if (target instanceof HTMLSelectElement) return;
      if (event.key === " " && target instanceof HTMLElement && target.closest("button, input, summary, a") && target !== this.slider) return;
      event.preventDefault();
      keys[event.key](event);
    });
  }
}
