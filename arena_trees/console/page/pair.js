// Two reports side by side, whose time one slider sets.

const $ = (id) => document.getElementById(id);

const frames = ["left", "right"].map($);
const names = new URLSearchParams(window.location.search);
const sliderOf = (frame) => frame.contentDocument?.getElementById("time");

let now = 0;
let playedAt = null;

function seek(wanted) {
  now = Math.min(Math.max(wanted, 0), Number($("time").max));
  $("time").value = String(Math.round(now));
  const text = `${(now / 1000).toFixed(2)} s`;
  $("clock").textContent = text;
  $("time").setAttribute("aria-valuetext", text);
  for (const slider of frames.map(sliderOf)) {
    slider.value = String(Math.round(now));
    slider.dispatchEvent(new Event("input"));
  }
}

function step(at) {
  if (playedAt === null) return;
  const passed = Math.min(at - playedAt, 250);
  playedAt = at;
  seek(now + passed);
  if (now >= Number($("time").max)) toggle();
  else requestAnimationFrame(step);
}

function toggle() {
  const begins = playedAt === null;
  playedAt = begins ? performance.now() : null;
  if (begins && now >= Number($("time").max)) now = 0;
  $("play").textContent = begins ? "Pause both" : "Play both";
  if (begins) requestAnimationFrame(step);
}

// A report is open when its slider reaches to its end.
async function opened(frame) {
  while (!(Number(sliderOf(frame)?.max) > 1)) await new Promise((resolve) => setTimeout(resolve, 50));
  return Number(sliderOf(frame).max);
}

async function open() {
  for (const frame of frames) frame.src = `/recording?${new URLSearchParams({ name: names.get(frame.id) ?? "" })}`;
  const ends = await Promise.all(frames.map(opened));
  $("time").max = String(Math.max(...ends));
  $("subtitle").textContent = frames.map((frame) => names.get(frame.id)).join(" · ");
  $("time").addEventListener("input", () => seek(Number($("time").value)));
  $("play").addEventListener("click", toggle);
  $("time").disabled = $("play").disabled = false;
  seek(0);
}

open();
