// Lights as they shine and songs as they play.

class Shows {
  constructor(packed) {
    this.lights = {};
    this.songs = {};
    this.shown = [];
    this.add(packed);
  }

  add({ shown, lights, songs }) {
    Object.assign(this.lights, lights);
    Object.assign(this.songs, songs);
    this.shown.push(...shown);
  }

  // The six colours of a robot's ring at an instant, or null where it is the base's.
  ring(robot, now) {
    const last = this.shown.findLast(([at, number, light]) => number === robot && light !== null && at <= now);
    if (!last) return null;
    const { frames, frame, length } = this.lights[last[2]];
    const passed = now - last[0];
    return passed < length && frames.length ? frames[Math.floor(passed / frame) % frames.length] : null;
  }

  // The songs that begin after one instant, and not after another.
  songsBetween(begin, end) {
    return this.shown.filter(([at, , , song]) => song !== null && at > begin && at <= end).map(([, , , song]) => this.songs[song]);
  }
}

// Plays songs, once somebody has asked for sound: browsers allow none before.
class Loudspeaker {
  constructor() {
    this.context = null;
    this.isOn = false;
  }

  toggle() {
    this.isOn = !this.isOn;
    if (this.isOn && !this.context) {
      this.context = new AudioContext();
      this.volume = this.context.createGain();
      this.volume.gain.value = 0.05;
      this.volume.connect(this.context.destination);
    }
  }

  play(notes) {
    if (!this.isOn) return;
    let at = this.context.currentTime;
    for (const [frequency, seconds] of notes) {
      if (frequency) {
        const tone = this.context.createOscillator();
        tone.type = "square";
        tone.frequency.value = frequency;
        tone.connect(this.volume);
        tone.start(at);
        tone.stop(at + 0.95 * seconds);
      }
      at += seconds;
    }
  }
}
