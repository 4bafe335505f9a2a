"use strict";
// The question browser: everything is built with textContent, so that replies and prompts are shown and never run.
(() => {
  const { runs, questions, strips, items } = window.REPORT;
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const AT_A_TIME = 200; // rows made before more are scrolled to
  const LONG = 1500; // characters from which on a text may scroll in its box
  // What an answer may come to, in the order offered, and the sign that stands for it in the list.
  const STATES = {
    answered: { right: "✓", "partly right": "◐", wrong: "✗", read: "•", unjudged: "•" },
    "not understood": { unread: "?", "cut short": "?" },
    "no reply": { refused: "–", failed: "–", "missing media": "–", "not asked": "–" },
  };
  const signs = Object.assign({}, ...Object.values(STATES));
  // A question may be asked in several placements, and also blind: each is a line of the list.
  const COUNTED = items.length > questions.length ? "asks, each placement counted" : "questions";
  const byId = (id) => document.getElementById(id);
  const make = (tag, text, className) => {
    const node = document.createElement(tag);
    if (text !== undefined && text !== null) node.textContent = text;
    if (className) node.className = className;
    return node;
  };
  const fill = (select, values) => values.forEach(([value, text]) => { const o = make("option", text); o.value = value; select.append(o); });
  const distinct = (values) => [...new Set(values)].map((value) => [value, value]);
  const stateClass = (state) => `state-${state.replaceAll(" ", "-")}`;
  const question = (item) => questions[item.question];
  const text = (words) => { const block = make("pre", words); if (words.length > LONG) block.tabIndex = 0; return block; };
  const folded = (title, words) => { const block = make("details"); block.append(make("summary", title), text(words)); return block; };

  fill(byId("benchmark"), distinct(questions.map((q) => q.benchmark)));
  fill(byId("task"), distinct(questions.map((q) => q.task)));
  fill(byId("run"), runs.map((name, place) => [place, name]));
  fill(byId("variant"), distinct(questions.map((q) => q.variant)).map(([value]) => [value, value.replaceAll("_", " ")]));
  const there = new Set(items.flatMap((item) => item.answers.map((a) => a?.state)));
  if (there.size > 1) fill(byId("state"), [["!right", "anything but right"]]);
  Object.entries(STATES).forEach(([kind, states]) => {
    const group = make("optgroup");
    group.label = kind;
    fill(group, Object.keys(states).filter((state) => there.has(state)).map((state) => [state, state]));
    if (group.children.length) byId("state").append(group);
  });
  ["benchmark", "variant"].forEach((id) => { byId(id).parentElement.hidden = byId(id).options.length < 3; });
  ["run", "differ"].forEach((id) => { byId(id).parentElement.hidden = runs.length < 2; });
  if (runs.length < 2) byId("run").value = "0";

  // What the signs in the list stand for: the runs in their order, then what each sign says.
  function legend() {
    const meanings = {};
    Object.keys(signs).filter((state) => there.has(state)).forEach((state) => (meanings[signs[state]] ??= []).push(state));
    if (items.some((item) => item.answers.includes(null))) meanings["·"] = ["not in this run"];
    const order = make("ol"), words = Object.entries(meanings).map(([sign, states]) => `${sign} ${states.join(" or ")}`);
    runs.forEach((name) => order.append(make("li", name)));
    byId("legend").append(make("p", "The signs of a line are of these runs, in this order:"), order, make("p", words.join("; ")));
  }
  legend();

  const list = byId("list"), detail = byId("detail");
  let shown = [], current = 0;

  // The answers that the filters are about: of the model chosen, or of any.
  const answersOf = (item) => (byId("run").value === "" ? item.answers : [item.answers[Number(byId("run").value)]]).filter(Boolean);
  const isState = (state) => (answer) => (state === "!right" ? answer.state !== "right" : answer.state === state);
  const said = (item) => item.answers.filter((a) => a && a.state !== "not asked").map((a) => JSON.stringify(a.chosen ?? a.value));
  const differs = (item) => new Set(said(item)).size > 1;
  function wordsOf(item) {
    item.words ??= [item.id, question(item).stem, ...item.options, ...item.prompts.map((p) => p.text), ...item.answers.map((a) => a?.reply ?? "")].join(" ").toLowerCase();
    return item.words;
  }

  function refresh() {
    const [benchmark, task, state] = ["benchmark", "task", "state"].map((id) => byId(id).value);
    const variant = byId("variant").value, chosen = byId("run").value !== "";
    const words = byId("search").value.trim().toLowerCase(), differ = byId("differ").checked;
    shown = items.filter((item) => (!benchmark || question(item).benchmark === benchmark)
      && (!task || question(item).task === task)
      && (!variant || question(item).variant === variant)
      && (!chosen || answersOf(item).length)
      && (!state || answersOf(item).some(isState(state)))
      && (!differ || differs(item))
      && (!words || wordsOf(item).includes(words)));
    byId("count").textContent = `${shown.length} of ${items.length} ${COUNTED}`;
    byId("legend").hidden = runs.length < 2 || chosen;
    list.replaceChildren();
    list.scrollTop = 0;
    select(0);
  }

  // Thousands of rows would make every change of the filters slow: only those are made that somebody scrolls to.
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
      row.append(make("span", item.id), make("br"), line);
      row.addEventListener("click", () => choose(made + i));
      return row;
    });
    list.append(...more);
  }

  const stateOf = (answer) => make("span", answer.state, stateClass(answer.state));

  // One sign for each run, in their order; in words for those who hear it.
  function signsOf(item) {
    const all = make("span", undefined, "signs");
    item.answers.forEach((answer, place) => {
      const sign = answer ? make("span", signs[answer.state], stateClass(answer.state)) : make("span", "·");
      sign.setAttribute("role", "img");
      sign.setAttribute("aria-label", answer ? answer.state : "not in this run");
      sign.title = `${runs[place]}: ${answer ? answer.state : "not in this run"}`;
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
      const top = row.offsetTop - list.offsetTop;
      list.scrollTop = Math.min(Math.max(list.scrollTop, top + row.offsetHeight - list.clientHeight), top);
    } else {
      list.removeAttribute("aria-activedescendant");
    }
    show(shown[current]);
  }

  // What a person chose is in the address, so that it can be passed on.
  function choose(place) {
    select(place);
    if (shown[current]) history.replaceState(null, "", `#${encodeURIComponent(shown[current].id)}`);
  }

  function chosenByAddress() {
    let id = "";
    try { id = decodeURIComponent(location.hash.slice(1)); } catch { return -1; }
    return shown.findIndex((item) => item.id === id);
  }

  function frameStrip(strip) {
    const block = make("div"), frames = make("div", undefined, "frames");
    strip.frames.forEach(([file, words], i) => {
      const link = make("a"), picture = make("img");
      link.setAttribute("href", `frames/${file}`); link.target = "_blank";
      picture.setAttribute("src", `frames/${file}`); picture.loading = "lazy"; picture.alt = `picture ${i + 1}`;
      link.append(picture, make("span", words ? `${i + 1} · ${words}` : `${i + 1}`));
      frames.append(link);
    });
    block.append(frames);
    if (strip.licence) block.append(make("p", `Licence: ${strip.licence}`, "quiet licence"));
    return block;
  }

  function askedBlock(item, number) {
    const block = make("section"), prompt = item.prompts[number];
    const by = runs.filter((_, place) => item.answers[place]?.prompt === number);
    const before = item.prompts.slice(0, number).findIndex((other) => prompt.strip !== null && other.strip === prompt.strip);
    if (!by.length) block.append(make("p", "As the protocol asks it; what was sent elsewhere is not known.", "quiet"));
    else if (item.prompts.length > 1) block.append(make("h3", `Asked in way ${number + 1}`), make("p", by.join(", "), "quiet"));
    if (prompt.plan.length) block.append(make("p", prompt.plan.join("; "), "quiet"));
    if (before >= 0) block.append(make("p", `The same pictures as in way ${before + 1}.`, "quiet"));
    else if (prompt.strip !== null) block.append(frameStrip(strips[prompt.strip]));
    else if (prompt.videos.length) block.append(make("p", `Sent as video: ${prompt.videos.join(", ")}.`, "quiet"));
    else block.append(make("p", prompt.pictures ? `Its ${prompt.pictures} pictures are not in this report.` : "Asked without pictures.", "quiet"));
    block.append(folded("prompt", prompt.text));
    return block;
  }

  // What the call took, as far as it is known.
  function callWords({ input, cached, output, money, attempts, seconds, finish, at }) {
    const number = (value, of) => `${value.toLocaleString("en")} ${of}${value === 1 ? "" : "s"}`;
    const words = [];
    if (input !== undefined) words.push(`${number(input, "token")} in${cached === undefined ? "" : ` (${cached.toLocaleString("en")} cached)`}`);
    if (output !== undefined) words.push(`${number(output, "token")} out`);
    if (money !== undefined) words.push(`money ${Number(money.toPrecision(3))}`);
    if (attempts !== undefined) words.push(number(attempts, "attempt"));
    if (seconds !== undefined) words.push(`${seconds.toFixed(2)} s`);
    if (finish !== undefined) words.push(`finish reason ${finish}`);
    if (at !== undefined) words.push(at.slice(0, 19).replace("T", " "));
    return words.join(" · ");
  }

  function letterWords(known) {
    const each = known.map(([letter, value]) => `${letter} ${value === null ? "0" : (100 * Math.exp(value)).toFixed(1)} % (${value === null ? "−∞" : value.toFixed(2).replace("-", "−")})`);
    return `Letters at the first token (log-probability): ${each.join(", ")}`;
  }

  function answerBlock(item, name, answer) {
    const block = make("section"), head = make("h3", `${name}: `);
    head.append(make("span", answer.state, stateClass(answer.state)));
    block.append(head);
    if (answer.state === "not asked") return block;
    const seen = { none: "no pictures were sent to it", match: "the pictures above are those that were sent", differ: "the pictures sent were others than those above", unchecked: "the pictures sent to it are not shown", elsewhere: "asked elsewhere: what it was shown is not known" }[answer.frames];
    const read = answer.chosen ? answer.chosen.map((i) => letters[i]).join(", ") || "no option" : answer.value;
    const words = answer.rule === null ? "No reply" : read === null ? `Read as nothing (${answer.rule.replaceAll("_", " ")})` : `Read as ${read} (${answer.rule.replaceAll("_", " ")})`;
    const which = item.prompts.length > 1 && answer.prompt !== null ? `asked in way ${answer.prompt + 1}; ` : "";
    block.append(make("p", item.prompts[answer.prompt]?.videos.length ? `${words}; ${which}asked with video.` : `${words}; ${which}${seen}.`));
    if (answer.reasoning) block.append(folded("reasoning", answer.reasoning));
    if (answer.reply !== null) block.append(text(answer.reply));
    if (answer.error) block.append(text(answer.error));
    if (answer.letters) block.append(make("p", letterWords(answer.letters), "quiet"));
    const took = callWords(answer.call);
    if (took) block.append(make("p", took, "quiet"));
    return block;
  }

  function show(item) {
    detail.replaceChildren();
    if (!item) { detail.append(make("p", "No question matches.")); return; }
    const of = question(item);
    detail.append(make("h3", item.id), make("p", of.stem));
    const options = make("ul", undefined, "options");
    item.options.forEach((words, i) => {
      const line = make("li", `${letters[i]}  ${words}${item.right.includes(i) ? "  ← right" : ""}`, item.right.includes(i) ? "truth" : "");
      const by = runs.filter((_, place) => item.answers[place]?.chosen?.includes(i));
      if (by.length) line.append(make("small", ` chosen by ${by.join(", ")}`));
      options.append(line);
    });
    if (item.options.length) detail.append(options);
    if (of.expected !== null) detail.append(make("p", `Expected: ${of.expected}`));
    const facts = [of.benchmark, of.task, of.variant.replaceAll("_", " "), of.window ? `asked about ${of.window[0].toFixed(1)} to ${of.window[1].toFixed(1)} s` : "", of.flags.join(", ")];
    detail.append(make("p", facts.filter(Boolean).join(" · "), "quiet"));
    item.prompts.forEach((_, number) => detail.append(askedBlock(item, number)));
    item.answers.forEach((answer, place) => { if (answer) detail.append(answerBlock(item, runs[place], answer)); });
    detail.append(folded("how the truth came about", JSON.stringify(of.provenance, null, 1)));
  }

  const later = (() => { let timer; return () => { clearTimeout(timer); timer = setTimeout(refresh, 150); }; })();
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
  ["benchmark", "task", "variant", "run", "state", "differ"].forEach((id) => byId(id).addEventListener("change", refresh));
  byId("search").addEventListener("input", later);
  document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  document.querySelector("form").addEventListener("reset", () => setTimeout(() => { if (runs.length < 2) byId("run").value = "0"; refresh(); }));
  // Only what scrolls is a stop for the keyboard, and says that it does.
  function edge(box) {
    const over = box.scrollWidth > box.clientWidth;
    box.tabIndex = over ? 0 : -1;
    box.classList.toggle("scrolls", over);
    box.classList.toggle("ended", over && box.scrollLeft + box.clientWidth >= box.scrollWidth - 1);
  }
  const boxes = document.querySelectorAll(".wide");
  boxes.forEach((box) => box.addEventListener("scroll", () => edge(box)));
  const stops = () => boxes.forEach(edge);
  document.querySelectorAll("details").forEach((block) => block.addEventListener("toggle", stops));
  window.addEventListener("resize", stops);
  stops();
  function follow() {
    const linked = chosenByAddress();
    if (linked >= 0) { select(linked); byId("browser").scrollIntoView(); }
  }
  window.addEventListener("hashchange", follow);
  refresh();
  follow();
})();
