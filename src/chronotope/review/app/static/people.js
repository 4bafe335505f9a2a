// What every page of the app does: the pictures and clips of its question, keys, and forms that are sent once.
const shown = window.REPORT;
let keys = {};

if (shown.question) {
  clips.forEach((clip) => { clip.address ??= null; });
  if (byId("viewer") && shown.strip) byId("viewer").replaceChildren(frameStrip(shown.question, shown.strip));
  if (byId("player") && clips.length) {
    const made = playerBlock(clips, shown.question);
    byId("player").replaceChildren(made.block);
    keys = made.keys;
  }
}

// On a narrow screen, the options would be far below the frames; the clip shows the same.
const ofModel = document.querySelector(".of-model");
if (ofModel && clips?.length && window.matchMedia("(max-width: 900px)").matches) ofModel.open = false;

const isTyping = (node) => node.matches?.("input[type=text], input[type=search], input[type=email], textarea, select") ?? false;

// A control keeps the space key only if the reader went to it by Tab; after a click, and after a part of the page was
// replaced, the key plays the clip.
let byTab = false, taken = "";
document.addEventListener("keyup", (event) => { if (event.key === taken) { event.preventDefault(); taken = ""; } }); // else a button acts on it
document.addEventListener("pointerdown", () => { byTab = false; });
document.addEventListener("change", (event) => { if (!byTab && event.target.matches(".controls select")) event.target.blur(); });

document.addEventListener("keydown", (event) => {
  if (event.key === "Tab") byTab = true;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const at = document.activeElement ?? document.body;
  if (isTyping(at)) { if (event.key === "Escape") at.blur(); return; }
  // Keys that the focused control uses itself keep their meaning.
  if (event.key === "Enter" && at.matches("button, a, summary")) return;
  if (event.key === " " && (!keys[" "] || (byTab && at.matches("button, summary, input:not([type=range])")))) return;
  if (event.key.startsWith("Arrow") && (at.matches("input[type=range], input[type=radio]") || at.closest(".frames, .wide, pre"))) return;
  const target = document.querySelector(`[data-press="${CSS.escape(event.key)}"]`);
  if (target && !target.disabled) {
    event.preventDefault();
    if (isTyping(target)) target.focus();
    else target.click();
  } else if (keys[event.key]) {
    event.preventDefault();
    taken = event.key;
    keys[event.key]();
  }
});

// There are no ties: a rank that another clip has on this axis changes places with it.
document.querySelectorAll("select[data-of]").forEach((select) => {
  let was = "";
  select.addEventListener("change", () => {
    const other = [...document.querySelectorAll(`select[data-of="${CSS.escape(select.dataset.of)}"]`)].find((one) => one !== select && one.value && one.value === select.value);
    if (other) { other.value = was; other.dispatchEvent(new Event("swapped")); }
    was = select.value;
  });
  select.addEventListener("swapped", () => { was = select.value; });
});

// A rejection says why. What was chosen and typed stays, and the sentence stands where the reason is missing.
document.addEventListener("submit", (event) => {
  const form = event.target, told = form.querySelector(".missing");
  if (!told) return;
  const lacks = form.querySelector("[name=verdict][value=reject]:checked") && !form.querySelector("[name=reason]:checked") && !form.querySelector("[name=note]").value.trim();
  told.hidden = !lacks;
  if (!lacks) return;
  event.preventDefault();
  told.textContent = told.dataset.words;
  told.scrollIntoView({ block: "nearest" });
}, true);

// The work stays in view beside the pictures. Where it is higher than the screen, it scrolls until its end is in view.
function keepInView() {
  const work = byId("work"); // the height is kept beside it, because the work itself is replaced
  work?.parentElement.style.setProperty("--height", `${work.offsetHeight}px`);
}
const heights = window.ResizeObserver && new ResizeObserver(keepInView);
const observe = () => { if (byId("work")) heights?.observe(byId("work")); };
observe();
document.addEventListener("htmx:afterSwap", observe);

// A form is sent once; a page that is shown again, such as by "back", can send it again.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.matches("[hx-post]")) return;
  if (event.target.dataset.sent) event.preventDefault();
  else event.target.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => document.querySelectorAll("form").forEach((form) => delete form.dataset.sent));

// After a part of the page was replaced, the reader goes on there.
document.addEventListener("htmx:afterSwap", () => { byTab = false; byId("work")?.querySelector(".main-button")?.focus({ preventScroll: true }); });
document.addEventListener("htmx:sendError", () => lost("The server does not answer. Nothing is lost: start it again, and send once more."));
document.addEventListener("htmx:responseError", (event) => {
  const said = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html").querySelector("main p");
  lost(`This was not stored: ${said ? said.textContent : event.detail.xhr.status}`);
});
function lost(words) {
  const told = byId("lost") ?? make("p", undefined, "notes");
  told.id = "lost"; told.setAttribute("role", "alert"); told.textContent = words;
  byId("main").prepend(told);
}

// An invitation is long: a button takes it.
document.querySelectorAll("[data-copy]").forEach((one) => {
  one.hidden = !navigator.clipboard;
  one.addEventListener("click", () => navigator.clipboard.writeText(one.dataset.copy).then(() => { one.textContent = "Copied"; }));
});
