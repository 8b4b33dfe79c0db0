// The recording: a header of JSON, and columns of numbers behind it.

const NOTHING = -(2 ** 29);

class Bundle {
  constructor(bytes) {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    this.header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    this.columns = bytes.subarray(4 + length);
  }

  // Each value is the difference to the one before: zigzag, seven bits a byte, the lowest first.
  numbers([offset, count, scale]) {
    const values = new Float64Array(count);
    const bytes = this.columns;
    let sum = 0;
    for (let index = 0; index < count; index++) {
      let raw = 0, factor = 1, byte;
      do {
        byte = bytes[offset++];
        raw += (byte & 127) * factor;
        factor *= 128;
      } while (byte > 127);
      sum += raw % 2 ? -(raw + 1) / 2 : raw / 2;
      values[index] = sum === NOTHING ? NaN : sum * scale;
    }
    return values;
  }

  table(columns) {
    return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, this.numbers(column)]));
  }
}

async function openBundle(text) {
  const packed = atob(text);
  const bytes = new Uint8Array(packed.length);
  for (let index = 0; index < packed.length; index++) bytes[index] = packed.charCodeAt(index);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Bundle(new Uint8Array(await new Response(stream).arrayBuffer()));
}

// Index of the last value that is not greater, or -1.
function before(values, value) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function poseAt(track, now) {
  const count = track.t.length;
  if (!count) return null;
  const first = Math.max(before(track.t, now), 0);
  const second = Math.min(first + 1, count - 1);
  const gap = track.t[second] - track.t[first];
  const share = gap > 0 ? Math.min(Math.max((now - track.t[first]) / gap, 0), 1) : 0;
  const turn = Math.atan2(Math.sin(track.yaw[second] - track.yaw[first]), Math.cos(track.yaw[second] - track.yaw[first]));
  return {
    x: track.x[first] + share * (track.x[second] - track.x[first]),
    y: track.y[first] + share * (track.y[second] - track.y[first]),
    yaw: track.yaw[first] + share * turn,
    index: first,
  };
}

// Recorded text becomes text nodes, never markup.
function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

const OLD_MS = 1000;

// A figure that was told longer ago than a second says so.
function aged(text, age) {
  return isOld(age) ? `${text}, ${(age / 1000).toFixed(age < 10000 ? 1 : 0)} s old` : text;
}

function isOld(age) {
  return age > OLD_MS;
}

function showAged(element, text, age) {
  show(element, aged(text, age));
  element.classList.toggle("old", isOld(age));
}

function show(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const palette = new Map();

function colour(name) {
  if (!palette.has(name)) palette.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return palette.get(name);
}

// Of white and black, the one that is read better on a ground, #rrggbb.
function inkOn(ground) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(ground.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return 1.05 / (light + 0.05) > (light + 0.05) / 0.05 ? "#ffffff" : "#000000";
}

function robotColour(number) {
  return colour(`--robot${number % 8}`);
}

// Sizes the bitmap to the screen's pixels; returns a context that counts in CSS pixels.
function fitCanvas(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  const wide = Math.max(Math.round(width * ratio), 1), high = Math.max(Math.round(height * ratio), 1);
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width, height };
}
