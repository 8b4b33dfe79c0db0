// The list of recordings: each with its picture, how it ended, and a link to its report.

const $ = (id) => document.getElementById(id);

const addressOf = (page, names) => `${page}?${new URLSearchParams(names)}`;

function describe(card, name, facts) {
  const { failed, scenario, seed, outcome, reason, duration_s: duration, robots, events } = facts;
  card.querySelector("h2").textContent = scenario || name;
  const lines = failed ? [failed] : [
    [seed === null ? "" : `seed ${seed}`, `${duration.toFixed(1)} s`].filter(Boolean).join(" · "),
    outcome + (reason ? ` (${reason})` : ""),
    Object.entries(robots).map(([robot, role]) => (role && role !== robot ? `${robot}, ${role}` : robot)).join("; "),
    Object.entries(events).map(([kind, count]) => `${count} × ${kind}`).join(", "),
  ];
  for (const line of lines.filter(Boolean)) card.querySelector(".facts").append(make("p", "", line));
}

function makeCard(name) {
  const item = make("li", "card");
  const link = make("a");
  link.href = addressOf("/recording", { name });
  const picture = make("img");
  picture.alt = "";
  picture.width = picture.height = 240;
  link.append(picture, make("h2", "", name));
  const label = make("label", "", "");
  const box = make("input");
  box.type = "checkbox";
  box.value = name;
  label.append(box, "side by side");
  label.setAttribute("aria-label", `${name}, side by side`);
  item.append(link, make("div", "facts"), make("p", "path", name), label);
  return item;
}

async function open() {
  const names = await (await fetch("/recordings/names")).json();
  const list = $("recordings");
  $("subtitle").textContent = names.length ? `${names.length}` : "There are none yet: Save in the console writes one.";
  const cards = new Map(names.map((name) => [name, makeCard(name)]));
  list.append(...cards.values());
  const chosen = () => [...list.querySelectorAll("input:checked")].map(({ value }) => value);
  list.addEventListener("change", () => { $("compare").disabled = chosen().length !== 2; });
  $("pair").addEventListener("submit", (event) => {
    event.preventDefault();
    const [left, right] = chosen();
    window.location.assign(addressOf("/pair", { left, right }));
  });
  $("pair").hidden = names.length < 2;
  // One after the other: the server reads each of them whole.
  for (const [name, card] of cards) {
    const facts = await (await fetch(addressOf("/recordings/facts", { name }))).json();
    describe(card, name, facts);
    if (!facts.failed) card.querySelector("img").src = addressOf("/recordings/picture", { name });
  }
}

open().catch((error) => {
  $("failure").hidden = false;
  $("failure").textContent = `The recordings cannot be listed: ${error.message}.`;
});
