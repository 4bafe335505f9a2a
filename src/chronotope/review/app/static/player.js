// The clips of a question: play, seek, step by one frame, speed and picture; several clips side by side, in step.
const SPEEDS = [0.25, 0.5, 1, 2];

// A frame is shown by a time in its middle, because times are rounded; n is the number of frames of a clip.
const middle = (film, n) => (n + 0.5) / film.fps;
const numberAt = (film, time) => Math.max(0, Math.min(film.frames - 1, Math.floor(time * film.fps + 0.001)));

function playerBlock(films, of) {
  const block = make("div", undefined, "player"), screens = make("div", undefined, films.length > 1 ? "screens several" : "screens");
  const lead = films.reduce((a, b) => ((b.duration ?? 0) > (a.duration ?? 0) ? b : a));
  const all = films.map((film) => {
    const figure = make("figure"), video = make("video"), caption = make("figcaption");
    video.muted = true; video.preload = "auto"; video.setAttribute("playsinline", "");
    video.setAttribute("aria-label", film.label ? `the clip ${film.label}` : "the clip");
    video.setAttribute("src", film.address);
    figure.append(video, caption);
    screens.append(figure);
    // `meant` is the frame that was sought. It counts until the clip plays, also while the clip still loads or seeks.
    const one = { film, video, caption, frame: 0, meant: null };
    const told = () => {
      // In a blind ranking, the number of frames could tell the source.
      const count = film.blind ? "" : `frame ${one.frame + 1} of ${film.frames} · `;
      caption.textContent = `${film.label ? `${film.label} · ` : ""}${count}${(one.frame / film.fps).toFixed(2)} s`;
      video.dataset.frame = one.frame;
      if (film === lead) slider.value = one.frame;
    };
    const seen = (time) => { // a picture that appears late, from before a step, does not undo the step
      if (one.meant === null) { one.frame = numberAt(film, time); told(); }
      if (one === first && one.meant === null && !video.seeking && time >= stopAt) seek(stopAt); // a slow machine notices the end late
    };
    const follow = () => video.requestVideoFrameCallback((_, about) => { seen(about.mediaTime + 0.25 / film.fps); follow(); });
    if (video.requestVideoFrameCallback) follow();
    else video.addEventListener("timeupdate", () => seen(video.currentTime));
    one.seek = (n) => {
      one.frame = one.meant = n;
      if (video.readyState > 0) video.currentTime = middle(film, n);
      told();
    };
    video.addEventListener("loadedmetadata", () => { if (one.meant !== null) one.seek(one.meant); });
    video.addEventListener("playing", () => { if (!video.paused) one.meant = null; });
    video.addEventListener("error", () => { caption.textContent = "This browser cannot play the clip; the frames below are complete."; });
    one.told = told;
    return one;
  });
  const first = all.find((one) => one.film === lead);
  const slider = make("input");
  slider.type = "range"; slider.min = 0; slider.max = lead.frames - 1; slider.value = 0; slider.step = 1;
  slider.setAttribute("aria-label", "frame");
  let stopAt = Infinity;
  const seek = (time) => { // in step: all clips to the same time
    pause();
    all.forEach((one) => one.seek(numberAt(one.film, time)));
  };
  const pause = () => { stopAt = Infinity; all.forEach((one) => one.video.pause()); };
  const step = (by) => { const n = Math.max(0, Math.min(lead.frames - 1, first.frame + by)); seek(middle(lead, n)); };
  const jump = (by) => step(Math.round(by * lead.fps));
  const play = () => {
    if (!first.video.paused) { pause(); return; }
    if (first.frame >= lead.frames - 1) all.forEach((one) => one.seek(0));
    all.forEach((one) => { one.video.play().catch(() => {}); });
  };
  const keep = () => { // a clip that runs ahead or behind is put in step again
    all.forEach((one) => {
      if (one === first || one.video.paused) return;
      if (Math.abs(one.video.currentTime - first.video.currentTime) > 1.5 / one.film.fps) one.video.currentTime = first.video.currentTime;
    });
  };
  first.video.addEventListener("timeupdate", keep);
  slider.addEventListener("input", () => seek(middle(lead, Number(slider.value))));
  const speed = make("select");
  SPEEDS.forEach((value) => { const o = make("option", `${value}×`); o.value = value; speed.append(o); });
  speed.value = 1;
  const setSpeed = () => all.forEach((one) => { one.video.playbackRate = Number(speed.value); });
  speed.addEventListener("change", setSpeed);
  const faster = (by) => { speed.selectedIndex = Math.max(0, Math.min(SPEEDS.length - 1, speed.selectedIndex + by)); setSpeed(); };
  const named = (words, name, act) => { const made = button(words, act); made.setAttribute("aria-label", name); made.title = name; return made; };
  const playing = named("▶", "play", play);
  const mark = () => { const on = !first.video.paused; playing.textContent = on ? "❚❚" : "▶"; playing.setAttribute("aria-label", on ? "pause" : "play"); };
  ["play", "pause", "ended"].forEach((name) => first.video.addEventListener(name, mark));
  const bar = make("div", undefined, "controls"), speedLabel = make("label", "speed ");
  bar.setAttribute("role", "group"); bar.setAttribute("aria-label", "clip");
  speedLabel.append(speed);
  bar.append(named("◀❙", "one frame back", () => step(-1)), playing, named("❙▶", "one frame on", () => step(1)), speedLabel);
  const asked = askedTime(of, films);
  const playAsked = () => { seek(asked.start); stopAt = asked.end; all.forEach((one) => one.video.play().catch(() => {})); };
  const showAsked = () => (asked.end > asked.start ? playAsked() : seek(asked.start));
  if (asked) bar.append(button(asked.end > asked.start ? `play the time in question: ${seconds(asked.start)} to ${seconds(asked.end)}` : `show the moment in question: ${seconds(asked.start)}`, showAsked));
  if (asked && of.at !== null && asked.end > asked.start) bar.append(button(`show the moment: ${seconds(of.at)}`, () => seek(of.at)));
  const track = make("div", undefined, "track-of-clip");
  track.append(slider);
  if (asked) track.append(askedLine(asked.of, [], Math.max(1, lead.frames - 1) / lead.fps)); // as long as the slider
  block.append(screens, pictureOptions(screens), track, bar);
  all.forEach((one) => one.told());
  return { block, keys: { " ": play, ",": () => step(-1), ".": () => step(1), ArrowLeft: () => step(-1), ArrowRight: () => step(1), j: () => jump(-1), l: () => jump(1), "[": () => faster(-1), "]": () => faster(1), ...(asked ? { t: showAsked } : {}) } };
}

// The time of the question in the only clip; without a window, the part of the clip that is shown.
function askedTime(of, films) {
  if (films.length > 1 && !of.window && of.at === null) return null;
  const [, , from, to] = of.clips[0] ?? [];
  const part = typeof from === "number" && typeof to === "number" && (from > 0.05 || to < (films[0].duration ?? 0) - 0.05);
  // A moment is asked about, not the whole clip around it.
  const whole = of.window && of.at !== null && of.window[0] < 0.11 && of.window[1] > (films[0].duration ?? Infinity) - 0.21;
  const window_ = whole ? null : of.window ?? (part && of.at === null ? [from, to] : null);
  if (!window_ && of.at === null) return null;
  const [start, end] = window_ ?? [of.at, of.at];
  return { start, end, of: { ...of, window: window_ } };
}

// Brightness, contrast and size of the picture; kept for the next question.
function pictureOptions(screens) {
  const block = make("details", undefined, "picture-options");
  block.append(make("summary", "Picture"));
  const kept = (() => { try { return JSON.parse(localStorage.getItem("chronotope-picture") ?? "{}"); } catch { return {}; } })();
  const values = { brightness: 100, contrast: 100, saturate: 100, ...kept };
  const apply = () => {
    screens.querySelectorAll("video").forEach((video) => { video.style.filter = ["brightness", "contrast", "saturate"].map((name) => `${name}(${values[name]}%)`).join(" "); });
    try { localStorage.setItem("chronotope-picture", JSON.stringify(values)); } catch { /* kept only for this page */ }
  };
  const sliders = [["brightness", "brightness"], ["contrast", "contrast"], ["saturate", "colour"]].map(([name, words]) => {
    const label = make("label", words), slider = make("input");
    slider.type = "range"; slider.min = 20; slider.max = 300; slider.step = 5; slider.value = values[name];
    slider.addEventListener("input", () => { values[name] = Number(slider.value); apply(); });
    label.append(slider);
    block.append(label);
    return [name, slider];
  });
  block.append(button("as filmed", () => { sliders.forEach(([name, slider]) => { values[name] = 100; slider.value = 100; }); apply(); }));
  apply();
  return block;
}
