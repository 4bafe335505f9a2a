// What every page of the app does: the pictures and clips of its question, keys, and forms that are sent once.
const shown = window.REPORT;
let keys = {};

if (shown.question) {
  clips.forEach((clip) => { clip.address ??= null; });
  if (byId("viewer") && shown.strip) byId("viewer").replaceChildren(frameStrip(shown.question, shown.strip));
  if (byId("player") && clips.length) {
    const made = playerBlock(clips, shown.question.window);
    byId("player").replaceChildren(made.block);
    keys = made.keys;
  }
}

// On a narrow screen, the options would be far below the frames; the clip shows the same.
const ofModel = document.querySelector(".of-model");
if (ofModel && clips?.length && window.matchMedia("(max-width: 900px)").matches) ofModel.open = false;

const isTyping = (node) => node.matches?.("input[type=text], input[type=search], input[type=email], textarea, select") ?? false;

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const at = document.activeElement ?? document.body;
  if (isTyping(at)) { if (event.key === "Escape") at.blur(); return; }
  // Keys that the focused control uses itself keep their meaning.
  if ((event.key === " " || event.key === "Enter") && at.matches("button, a, summary, input")) return;
  if (event.key.startsWith("Arrow") && (at.matches("input[type=range], input[type=radio]") || at.closest(".frames, .wide, pre"))) return;
  const target = document.querySelector(`[data-press="${CSS.escape(event.key)}"]`);
  if (target && !target.disabled) {
    event.preventDefault();
    if (isTyping(target)) target.focus();
    else target.click();
  } else if (keys[event.key]) {
    event.preventDefault();
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

// A form is sent once; a page that is shown again, such as by "back", can send it again.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.matches("[hx-post]")) return;
  if (event.target.dataset.sent) event.preventDefault();
  else event.target.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => document.querySelectorAll("form").forEach((form) => delete form.dataset.sent));

// After a part of the page was replaced, the reader goes on there.
document.addEventListener("htmx:afterSwap", () => byId("work")?.querySelector(".main-button")?.focus({ preventScroll: true }));
document.addEventListener("htmx:sendError", () => lost("The server does not answer. Nothing is lost: start it again, and send once more."));
document.addEventListener("htmx:responseError", (event) => lost(`This was not stored: ${event.detail.xhr.responseText.slice(0, 200) || event.detail.xhr.status}`));
function lost(words) {
  const told = byId("lost") ?? make("p", undefined, "notes");
  told.id = "lost"; told.setAttribute("role", "alert"); told.textContent = words;
  byId("main").prepend(told);
}
