// The question browser: the list, its filters and order, and the selected question; the address contains all of them.
const AT_A_TIME = 200; // rows that are made at a time, while scrolling
const MOST_TAGS = 40; // most values of one key; a longer list would be unusable
const MOST_SCENES = 500; // that are offered while typing
const FILTERS = ["benchmark", "task", "variant", "run", "state", "tag", "scene", "search", "sort", "differ"];
// A question may be asked in several placements, and also blind; each ask is a line of the list.
const COUNTED = items.length > questions.length ? "prompts (a question can have several)" : "questions";
const list = byId("list"), detail = byId("detail"), narrow = window.matchMedia("(max-width: 1100px)");
let shown = items, current = 0;

const fill = (select, values) => select.append(...values.map(([value, words]) => { const o = make("option", words); o.value = value; o.dataset.words = words; return o; }));
const distinct = (values) => [...new Set(values)].map((value) => [value, value]);
const group = (select, label, values) => { const node = make("optgroup"); node.label = label; fill(node, values); if (values.length) select.append(node); };
const there = new Set(items.flatMap((item) => item.answers.map((a) => a?.state)));
// The runs of a question's own benchmark; the answers of all others are empty.
const ownRuns = new Map([...new Set(asked)].map((name) => [name, runs.flatMap((_, place) => (asked[place] === name ? [place] : []))]));
const ownOf = (item) => ownRuns.get(question(item).benchmark);

function offer() {
  fill(byId("benchmark"), distinct(questions.map((q) => q.benchmark)));
  fill(byId("task"), distinct(questions.map((q) => q.task)));
  fill(byId("run"), runs.map((name, place) => [place, name]));
  fill(byId("variant"), distinct(questions.map((q) => q.variant)).map(([value]) => [value, value.replaceAll("_", " ")]));
  if (there.size > 1) fill(byId("state"), [["!right", "not right"]]);
  Object.entries(STATES).forEach(([kind, states]) => group(byId("state"), kind, distinct(Object.keys(states).filter((state) => there.has(state)))));
  const tags = {};
  questions.forEach((q) => Object.entries(q.tags).forEach(([key, values]) => values.forEach((value) => (tags[key] ??= new Set()).add(value))));
  Object.entries(tags).filter(([, values]) => values.size > 1 && values.size <= MOST_TAGS).forEach(([key, values]) => (
    group(byId("tag"), key.replaceAll("_", " "), [...values].sort().map((value) => [JSON.stringify([key, value]), value]))));
  const scenes = new Set(questions.map((q) => q.scene));
  ["benchmark", "variant"].forEach((id) => { byId(id).parentElement.hidden = byId(id).options.length < 3; });
  ["run", "differ"].forEach((id) => { byId(id).parentElement.hidden = runs.length < 2; });
  byId("tag").parentElement.hidden = byId("tag").options.length < 2;
  byId("scene").parentElement.hidden = scenes.size < 2;
  byId("sort").querySelector("[value=disagree]").hidden = runs.length < 2;
}

// The legend of the list: for each benchmark its runs in their order, then the meanings of the signs.
function legend() {
  const meanings = {};
  Object.keys(signs).filter((state) => there.has(state)).forEach((state) => (meanings[signs[state]] ??= []).push(state));
  if (items.some((item) => ownOf(item).some((place) => item.answers[place] === null))) meanings["·"] = ["not in this run"];
  const words = Object.entries(meanings).map(([sign, states]) => `${sign} ${states.join(" or ")}`);
  byId("legend").append(make("p", "Each line has one sign for each run of its benchmark, in this order:"));
  ownRuns.forEach((places, benchmark) => {
    const order = make("ol"), line = make("div", undefined, "runs");
    order.append(...places.map((place) => make("li", names[place])));
    if (ownRuns.size > 1) line.append(make("b", benchmark));
    line.append(order);
    line.dataset.benchmark = benchmark;
    byId("legend").append(line);
  });
  byId("legend").append(make("p", words.join("; ")));
}

// The answers for the filters: of the selected model, or of all models.
const answersOf = (item) => (byId("run").value === "" ? item.answers : [item.answers[Number(byId("run").value)]]).filter(Boolean);
const isState = (state) => (answer) => (state === "" || (state === "!right" ? answer.state !== "right" : answer.state === state));
const said = (item) => item.answers.filter((a) => a && a.state !== "not asked").map((a) => JSON.stringify(a.chosen ?? a.value));
const differs = (item) => new Set(said(item)).size > 1;
function wordsOf(item) {
  item.words ??= [item.id, question(item).stem, ...item.options, ...item.prompts.map((p) => p.text), ...item.answers.map((a) => a?.reply ?? "")].join(" ").toLowerCase();
  return item.words;
}

// The share of correct answers, and the share of answers that differ from the most frequent answer.
const WORTH = { right: 1, "partly right": 0.5 };
function rightShare(item) {
  const answers = answersOf(item);
  return answers.reduce((sum, answer) => sum + (WORTH[answer.state] ?? 0), 0) / Math.max(1, answers.length);
}
function disagreement(item) {
  const counts = {}, replies = said(item);
  replies.forEach((reply) => { counts[reply] = (counts[reply] ?? 0) + 1; });
  return replies.length ? 1 - Math.max(...Object.values(counts)) / replies.length : 0;
}
const KEYS = {
  id: (item) => item.id, task: (item) => question(item).task, wrong: rightShare, right: (item) => -rightShare(item), disagree: (item) => -disagreement(item),
};
const natural = new Intl.Collator("en", { numeric: true }).compare;
function sorted(some) {
  const key = KEYS[byId("sort").value];
  if (!key) return some;
  const compare = ["id", "task"].includes(byId("sort").value) ? natural : (a, b) => a - b;
  return some.map((item) => [key(item), item]).sort(([a], [b]) => compare(a, b)).map(([, item]) => item);
}

// Each filter with its test of a question, and the values of a question that its menu offers.
const MENUS = {
  benchmark: (item) => [question(item).benchmark],
  task: (item) => [question(item).task],
  variant: (item) => [question(item).variant],
  run: (item) => ownOf(item).filter((place) => item.answers[place] && isState(byId("state").value)(item.answers[place])).map(String),
  state: (item) => [...new Set(answersOf(item).flatMap((a) => (a.state === "right" ? ["right"] : [a.state, "!right"])))],
  tag: (item) => Object.entries(question(item).tags).flatMap(([key, values]) => values.map((value) => JSON.stringify([key, value]))),
};
const PLAIN = ["benchmark", "task", "variant", "tag"];
function tests() {
  const differ = byId("differ").checked, [words, scene] = ["search", "scene"].map((id) => byId(id).value.trim().toLowerCase());
  const found = PLAIN.map((id) => [id, byId(id).value]).filter(([, value]) => value !== "").map(([id, value]) => [id, (item) => MENUS[id](item).includes(value)]);
  // The model and its answer are one test: the answer of this model, or of any model.
  if (byId("run").value || byId("state").value) found.push(["answer", (item) => answersOf(item).some(isState(byId("state").value))]);
  if (scene) found.push(["scene", (item) => question(item).scene.toLowerCase().includes(scene)]);
  if (differ) found.push(["differ", differs]);
  if (words) found.push(["search", (item) => wordsOf(item).includes(words)]);
  return found;
}

// Every menu offers what the other filters leave, with the number of questions; all benchmarks stay, so that one can change between them.
function refresh() {
  const all = tests(), counts = Object.fromEntries(Object.keys(MENUS).map((id) => [id, new Map()])), scenes = new Set();
  const add = (id, item) => MENUS[id](item).forEach((value) => counts[id].set(value, (counts[id].get(value) ?? 0) + 1));
  shown = sorted(items.filter((item) => {
    const failed = all.filter(([, test]) => !test(item)).map(([id]) => id);
    if (failed.length === 0) Object.keys(MENUS).forEach((id) => add(id, item));
    else if (failed.length === 1) (failed[0] === "answer" ? ["run", "state"] : PLAIN.filter((id) => id === failed[0])).forEach((id) => add(id, item));
    if (failed.every((id) => id === "scene")) scenes.add(question(item).scene);
    return failed.length === 0;
  }));
  Object.entries(counts).forEach(([id, of]) => [...byId(id).options].filter((option) => option.value !== "").forEach((option) => {
    const count = of.get(option.value) ?? 0;
    option.textContent = `${option.dataset.words} (${count.toLocaleString("en")})`;
    option.hidden = option.disabled = count === 0 && !option.selected && id !== "benchmark";
  }));
  byId("tag").querySelectorAll("optgroup").forEach((node) => { node.hidden = [...node.children].every((option) => option.hidden); });
  byId("scenes").replaceChildren(...[...scenes].slice(0, MOST_SCENES).map((scene) => { const o = make("option"); o.value = scene; return o; }));
  byId("count").textContent = `${shown.length} of ${items.length} ${COUNTED}`;
  byId("legend").hidden = runs.length < 2 || byId("run").value !== "";
  const benchmark = byId("benchmark").value;
  byId("legend").querySelectorAll(".runs").forEach((line) => { line.hidden = benchmark !== "" && line.dataset.benchmark !== benchmark; });
  list.replaceChildren();
  list.scrollTop = 0;
  select(0);
}

// Another benchmark has other tasks, runs and tags: choices that it does not have are undone.
function drop() {
  const benchmark = byId("benchmark").value;
  if (!benchmark) return;
  const own = items.filter((item) => question(item).benchmark === benchmark);
  ["task", "variant", "run", "tag"].filter((id) => byId(id).value !== "").forEach((id) => {
    if (!own.some((item) => MENUS[id](item).includes(byId(id).value))) byId(id).value = "";
  });
}

// Thousands of rows would make every change of the filters slow, so rows are made only when the user scrolls to them.
function extend(upTo) {
  const made = list.children.length;
  const more = shown.slice(made, Math.max(upTo, made)).map((item, i) => {
    const row = make("li"), line = make("small", `${question(item).task} \u2003`);
    row.id = `row-${made + i}`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", "false");
    row.setAttribute("aria-setsize", shown.length);
    row.setAttribute("aria-posinset", made + i + 1);
    line.append(byId("run").value === "" ? signsOf(item) : stateOf(answersOf(item)[0]));
    row.append(make("span", item.id), make("span", question(item).stem, "words"), line);
    row.addEventListener("click", () => { choose(made + i); if (narrow.matches) detail.scrollIntoView(); });
    return row;
  });
  list.append(...more);
}

const stateOf = (answer) => make("span", answer.state, stateClass(answer.state));

// One sign for each run, in their order, with words for screen readers.
function signsOf(item) {
  const all = make("span", undefined, "signs");
  ownOf(item).forEach((place) => {
    const answer = item.answers[place];
    const sign = answer ? make("span", signs[answer.state], stateClass(answer.state)) : make("span", "·");
    sign.setAttribute("role", "img");
    sign.setAttribute("aria-label", answer ? answer.state : "not in this run");
    sign.title = `${names[place]}: ${answer ? answer.state : "not in this run"}`;
    all.append(sign);
  });
  return all;
}

function select(place) {
  list.children[current]?.setAttribute("aria-selected", "false");
  current = Math.max(0, Math.min(place, shown.length - 1));
  extend(current + AT_A_TIME);
  const row = list.children[current];
  if (row) {
    row.setAttribute("aria-selected", "true");
    list.setAttribute("aria-activedescendant", row.id);
    // Only the list scrolls, not the page.
    const top = row.offsetTop;
    list.scrollTop = Math.min(Math.max(list.scrollTop, top + row.offsetHeight - list.clientHeight), top);
  } else {
    list.removeAttribute("aria-activedescendant");
  }
  show(shown[current]);
}

function show(item) {
  if (!item) { detail.replaceChildren(make("p", "No question matches.")); return; }
  const bar = make("div", undefined, "detail-bar"), moves = make("span", undefined, "moves");
  const [back, on] = [["previous", -1], ["next", 1]].map(([words, step]) => {
    const move = button(words, () => { choose(current + step); detail.querySelector(`.move-${words}`)?.focus(); });
    move.className = `move-${words}`;
    move.disabled = !shown[current + step];
    return move;
  });
  const up = button("to the list", () => { byId("browser").scrollIntoView(); list.focus({ preventScroll: true }); });
  up.className = "up";
  moves.append(up, back, on);
  bar.append(make("h3", item.id), moves);
  detail.replaceChildren(bar, ...questionBlocks(item));
  stops(detail);
}

// The address contains the user's choices, so that a view can be shared. Runs are given by name, because their order may change.
function address(id) {
  const said = new URLSearchParams();
  if (id !== undefined) said.set("question", id);
  FILTERS.forEach((name) => {
    const field = byId(name), value = field.type === "checkbox" ? (field.checked ? "1" : "") : field.value;
    if (value !== "" && !(name === "run" && runs.length < 2)) said.set(name, name === "run" ? runs[Number(value)] : value);
  });
  history.replaceState(null, "", `#${said}`);
}
function choose(place) {
  select(place);
  if (shown[current]) address(shown[current].id);
}
function changed() {
  refresh();
  address();
}

// Set the filters from the address, and select its question; unknown names are ignored.
function follow() {
  const plain = location.hash.slice(1), said = new URLSearchParams(plain);
  let id = said.get("question");
  if (!plain.includes("=")) { // an identifier alone
    try { id = decodeURIComponent(plain); } catch { id = null; }
    if (!items.some((item) => item.id === id)) return;
  }
  FILTERS.forEach((name) => {
    const field = byId(name), value = said.get(name) ?? "";
    if (field.type === "checkbox") field.checked = value === "1";
    else field.value = name === "run" ? (runs.length < 2 ? "0" : runs.indexOf(value) < 0 ? "" : runs.indexOf(value)) : value;
    if (field.selectedIndex === -1) field.value = "";
  });
  refresh();
  const linked = shown.findIndex((item) => item.id === id);
  if (linked >= 0) {
    select(linked);
    list.scrollTop = list.children[linked].offsetTop - list.clientHeight / 4; // with some lines above it
  }
  if (linked >= 0 && !narrow.matches) list.focus({ preventScroll: true }); // so that the arrow keys continue from there
  if (plain) (narrow.matches && linked >= 0 ? detail : byId("browser")).scrollIntoView();
}

const later = (() => { let timer; return () => { clearTimeout(timer); timer = setTimeout(changed, 150); }; })();
list.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key];
  if (step) { event.preventDefault(); choose(current + step); }
  if (event.key === "Enter") { event.preventDefault(); detail.focus(); }
});
detail.addEventListener("keydown", (event) => { if (event.key === "Escape") list.focus(); });
byId("search").addEventListener("keydown", (event) => { if (["Enter", "ArrowDown"].includes(event.key)) { event.preventDefault(); list.focus(); } });
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea")) return;
  event.preventDefault();
  byId("search").focus();
});
list.addEventListener("scroll", () => { if (list.scrollTop + 2 * list.clientHeight > list.scrollHeight) extend(list.children.length + AT_A_TIME); });
byId("benchmark").addEventListener("change", drop);
FILTERS.forEach((id) => byId(id).addEventListener("change", () => { if (byId(id).type !== "search") changed(); }));
["search", "scene"].forEach((id) => byId(id).addEventListener("input", later));
document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
document.querySelector("form").addEventListener("reset", () => setTimeout(() => { if (runs.length < 2) byId("run").value = "0"; changed(); }));
window.addEventListener("hashchange", follow);

offer();
legend();
if (runs.length < 2) byId("run").value = "0";
refresh();
follow();
