// The pictures of a question: one large picture, all pictures small, boxes of the things in question, and the clip.
const COLOURS = 6; // of boxes, see the style
// The corners that each edge of a box joins; corner i has x, y, z negative where bit 2, 1, 0 of i is zero.
const EDGES = [4, 2, 1].flatMap((bit) => [0, 1, 2, 3, 4, 5, 6, 7].filter((i) => !(i & bit)).map((i) => [i, i | bit]));
const seconds = (value) => `${value.toFixed(1)} s`;

// Whether a frame is in the time of the question; null if the question or the picture has no time.
function isAsked(of, time) {
  if (time === null || (!of.window && of.at === null)) return null;
  const [start, end] = of.window ?? [of.at, of.at];
  return time >= start - 0.051 && time <= end + 0.051; // stems state tenths of a second
}

// The boxes of the things in question, drawn over a picture of any size, in thousandths.
function boxesOver(of, strip, place) {
  const over = draw("svg", { viewBox: "0 0 1000 1000", preserveAspectRatio: "none", class: "boxes", role: "img" });
  const drawn = Object.keys(of.names).filter((name) => strip.boxes[name]?.[place]);
  drawn.forEach((name) => {
    const at = strip.boxes[name][place];
    const path = EDGES.map(([a, b]) => `M${at[2 * a]} ${at[2 * a + 1]}L${at[2 * b]} ${at[2 * b + 1]}`).join("");
    over.append(draw("path", { d: path, class: "rim" }), draw("path", { d: path, class: `box-${Object.keys(of.names).indexOf(name) % COLOURS}` }));
  });
  over.setAttribute("aria-label", drawn.length ? `boxes: ${drawn.map((name) => of.names[name]).join(", ")}` : "no boxes");
  return drawn.length ? over : "";
}

// The first frame to show: the nearest to the moment of the question, else the first frame of the window.
function firstShown(of, strip) {
  const away = strip.times.map((time) => (time === null || of.at === null ? Infinity : Math.abs(time - of.at)));
  const nearest = away.indexOf(Math.min(...away));
  return away[nearest] < Infinity ? nearest : Math.max(0, strip.times.findIndex((time) => isAsked(of, time)));
}

function frameStrip(of, strip) {
  const block = make("div", undefined, "viewer"), stage = make("div", undefined, "stage"), caption = make("p", undefined, "caption");
  const frames = make("div", undefined, "frames"), large = make("img");
  const words = ([, said], i) => `${strip.of ? `${strip.of[i] ?? "a picture"} · ` : ""}${i + 1}${said ? ` · ${said}` : ""}`;
  const links = [];
  let current = -1;
  const show = (place) => {
    if (place === current) return;
    links[current]?.removeAttribute("aria-current");
    current = place;
    links[place].setAttribute("aria-current", "true");
    large.setAttribute("src", picture(strip.frames[place][0]));
    large.alt = `picture ${place + 1}, large`;
    stage.replaceChildren(large, boxesOver(of, strip, place));
    const asked = isAsked(of, strip.times[place]) ? ", in the time of the question" : "";
    caption.textContent = `Picture ${words(strip.frames[place], place)} (of ${strip.frames.length}${asked})`;
  };
  strip.frames.forEach((frame, i) => {
    const link = make("a"), thumb = make("span", undefined, "thumb"), small = make("img");
    link.setAttribute("href", window.PICTURES ? "#browser" : `frames/${frame[0]}`);
    if (!window.PICTURES) { link.target = "_blank"; link.rel = "noopener"; }
    small.setAttribute("src", picture(frame[0])); small.loading = "lazy"; small.alt = `picture ${i + 1}`;
    const asked = isAsked(of, strip.times[i]);
    if (asked !== null) link.className = asked ? "asked" : "before-or-after";
    thumb.append(small, boxesOver(of, strip, i));
    link.append(thumb, make("span", `${frame[1] ? `${i + 1} · ${frame[1]}` : i + 1}`));
    link.title = asked ? "in the time of the question" : "";
    link.addEventListener("focus", () => show(i));
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // opens a new tab, as usual
      event.preventDefault();
      show(i);
    });
    links.push(link);
    if (strip.of && (i === 0 || strip.of[i] !== strip.of[i - 1])) frames.append(make("span", strip.of[i] ?? "pictures", "of"));
    frames.append(link);
  });
  frames.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) { event.preventDefault(); links[Math.max(0, Math.min(current + step, links.length - 1))].focus(); }
  });
  show(firstShown(of, strip));
  block.append(stage, caption, boxKey(of, strip, block), timeline(of, strip), frames);
  if (strip.licence) block.append(make("p", `Licence: ${strip.licence}`, "quiet licence"));
  return block;
}

// The names of the boxes, and a switch that hides the boxes.
let boxesShown = true;
function boxKey(of, strip, block) {
  const known = Object.keys(of.names).filter((name) => strip.boxes[name]);
  if (!known.length) return "";
  const key = make("p", undefined, "box-key"), label = make("label", undefined, "tick"), tick = make("input");
  tick.type = "checkbox"; tick.checked = boxesShown; tick.className = "box-switch";
  const apply = () => { boxesShown = tick.checked; block.classList.toggle("unboxed", !boxesShown); };
  tick.addEventListener("change", apply);
  apply();
  label.append(tick, " boxes of the things in question (drawn here only: no model saw them)");
  key.append(label);
  known.forEach((name) => key.append(make("span", of.names[name], `box-name box-${Object.keys(of.names).indexOf(name) % COLOURS}`)));
  return key;
}

// The times of the frames and of the question, on a line for the whole clip.
function timeline(of, strip) {
  const known = strip.times.filter((time) => time !== null);
  if (known.length < 2 || strip.of) return "";
  const duration = of.clips.length === 1 ? clips[of.clips[0][0]].duration : null;
  const end = of.window ? of.window[1] : of.at ?? 0;
  return askedLine(of, known, Math.max(duration ?? 0, end, ...known) || 1);
}

// The time of the question on a line that ends at `last` (s), with its words; empty if the question has none.
function askedLine(of, times, last) {
  if (!of.window && of.at === null) return "";
  const [start, end] = of.window ?? [of.at, of.at];
  const at = (time) => `${(100 * Math.min(Math.max(0, time), last)) / last}%`;
  const line = draw("svg", { class: "timeline", role: "img", "aria-label": `asked about ${seconds(start)} to ${seconds(end)} of ${seconds(last)}` });
  line.append(draw("rect", { class: "track", width: "100%", height: "100%" }));
  line.append(draw("rect", { class: "asked", x: at(start), width: `${Math.max(0.6, (100 * (Math.min(end, last) - start)) / last)}%`, height: "100%" }));
  times.forEach((time) => line.append(draw("line", { x1: at(time), x2: at(time), y1: "55%", y2: "100%" })));
  if (of.at !== null) line.append(draw("line", { class: "moment", x1: at(of.at), x2: at(of.at), y2: "100%" }));
  const block = make("div", undefined, "times"), ends = make("p", undefined, "quiet");
  const words = of.at !== null && start === end ? `the moment ${seconds(of.at)}` : `${seconds(start)} to ${seconds(end)}${of.at === null ? "" : `, the moment ${seconds(of.at)}`}`;
  ends.append(make("span", "0 s"), make("span", `asked about: ${words}`, "asked-words"), make("span", seconds(last)));
  block.append(line, ends);
  return block;
}

// Made when it is unfolded, so that no clip is loaded before.
function clipBlock(of, [place, label, start, end]) {
  const clip = clips[place], name = label && of.clips.length > 1 ? `${label} (${clip.path})` : clip.path;
  if (window.PICTURES) return make("p", `The clip ${name} is not in this file.`, "quiet");
  if (clip.address === null) return make("p", `The clip ${name} did not exist when this report was written.`, "quiet");
  const block = make("details", undefined, "clip");
  block.append(make("summary", `Play the clip ${name}`));
  block.addEventListener("toggle", () => {
    if (!block.open || block.querySelector("video")) return;
    const [from, to] = of.window ?? [start, end], film = make("video"), said = make("p", undefined, "quiet");
    film.controls = true; film.preload = "metadata"; film.muted = true; film.setAttribute("playsinline", "");
    film.setAttribute("aria-label", `the clip ${name}`);
    film.addEventListener("error", () => {
      said.textContent = `The clip cannot be played: either it is no longer at ${clip.address}, relative to this page, or this browser does not support its format.`;
    });
    film.setAttribute("src", clip.address);
    let stopAt = Infinity;
    film.addEventListener("timeupdate", () => { if (film.currentTime >= stopAt) { film.pause(); stopAt = Infinity; } });
    block.append(film);
    if (typeof from === "number" && typeof to === "number") {
      block.append(button(`play the time of the question (${seconds(from)} to ${seconds(to)})`, () => { film.currentTime = from; stopAt = to; film.play(); }));
    }
    block.append(said);
  });
  return block;
}
