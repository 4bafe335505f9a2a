// Functions for all parts. Everything is built with textContent, so that replies and prompts are shown but never run.
const { runs, asked, names, questions, strips, items, clips } = window.REPORT;
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
// The states of an answer, in the order of the filter, each with its sign in the list.
const STATES = {
  answered: { right: "✓", "partly right": "◐", wrong: "✗", read: "•", unjudged: "•" },
  "not understood": { unread: "?", "cut short": "?" },
  "no reply": { refused: "–", failed: "–", "missing media": "–", "not asked": "–" },
};
const signs = Object.assign({}, ...Object.values(STATES));
// In a report of one file, pictures are inside the page.
const picture = (file) => window.PICTURES?.[file] ?? `frames/${file}`;
const byId = (id) => document.getElementById(id);
const make = (tag, text, className) => {
  const node = document.createElement(tag);
  if (text !== undefined && text !== null) node.textContent = text;
  if (className) node.className = className;
  return node;
};
const draw = (tag, attributes) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
  return node;
};
const button = (words, act) => { const node = make("button", words); node.type = "button"; node.addEventListener("click", act); return node; };
const stateClass = (state) => `state-${state.replaceAll(" ", "-")}`;
const question = (item) => questions[item.question];
const text = (words) => make("pre", words);
const folded = (title, ...content) => {
  const block = make("details");
  block.append(make("summary", title), ...content.map((words) => (typeof words === "string" ? text(words) : words)));
  block.addEventListener("toggle", () => stops(block));
  return block;
};

// Only scrollable boxes can be reached by keyboard; boxes that scroll sideways are marked.
function edge(box) {
  const over = box.scrollWidth > box.clientWidth;
  box.tabIndex = over ? 0 : -1;
  box.classList.toggle("scrolls", over);
  box.classList.toggle("ended", over && box.scrollLeft + box.clientWidth >= box.scrollWidth - 1);
}
function stops(within) {
  within.querySelectorAll(".wide").forEach(edge);
  within.querySelectorAll("pre").forEach((block) => { block.tabIndex = block.scrollHeight > block.clientHeight + 1 ? 0 : -1; });
}
document.querySelectorAll(".wide").forEach((box) => box.addEventListener("scroll", () => edge(box)));
document.querySelectorAll("details").forEach((block) => block.addEventListener("toggle", () => stops(block)));
window.addEventListener("resize", () => stops(document));
stops(document);

// Before printing, everything is unfolded.
let opened = [];
window.addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open], .clip)")];
  opened.forEach((block) => { block.open = true; });
});
window.addEventListener("afterprint", () => opened.forEach((block) => { block.open = false; }));
