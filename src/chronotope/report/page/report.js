"use strict";
// The question browser: everything is built with textContent, so that replies and prompts are shown and never run.
(() => {
  const { runs, questions, strips, items } = window.REPORT;
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const AT_A_TIME = 200; // rows made before more are scrolled to
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

  fill(byId("benchmark"), distinct(questions.map((q) => q.benchmark)));
  fill(byId("task"), distinct(questions.map((q) => q.task)));
  fill(byId("run"), runs.map((name, place) => [place, name]));
  fill(byId("state"), distinct(items.flatMap((item) => item.answers.filter(Boolean).map((a) => a.state))).sort());
  byId("benchmark").parentElement.hidden = byId("benchmark").options.length < 3;
  byId("differ").parentElement.hidden = runs.length < 2;

  const list = byId("list"), detail = byId("detail");
  let shown = [], current = 0;

  const answerOf = (item) => item.answers[Number(byId("run").value)];
  const said = (item) => item.answers.filter((a) => a && a.state !== "not asked").map((a) => JSON.stringify(a.chosen ?? a.value));
  const differs = (item) => new Set(said(item)).size > 1;
  function wordsOf(item) {
    item.words ??= [item.id, question(item).stem, ...item.options, ...item.prompts.map((p) => p.text), ...item.answers.map((a) => a?.reply ?? "")].join(" ").toLowerCase();
    return item.words;
  }

  function refresh() {
    const [benchmark, task, state] = ["benchmark", "task", "state"].map((id) => byId(id).value);
    const words = byId("search").value.trim().toLowerCase(), differ = byId("differ").checked;
    shown = items.filter((item) => (!benchmark || question(item).benchmark === benchmark)
      && (!task || question(item).task === task)
      && (!state || answerOf(item)?.state === state)
      && (!differ || differs(item))
      && (!words || wordsOf(item).includes(words)));
    byId("count").textContent = `${shown.length} of ${items.length} asked`;
    list.replaceChildren();
    list.scrollTop = 0;
    select(0);
  }

  // Thousands of rows would make every change of the filters slow: only those are made that somebody scrolls to.
  function extend(upTo) {
    const made = list.children.length;
    const more = shown.slice(made, Math.max(upTo, made)).map((item, i) => {
      const row = make("li"), answer = answerOf(item), state = answer ? answer.state : "not in this run";
      row.id = `row-${made + i}`;
      row.setAttribute("role", "option");
      row.append(make("span", item.id), make("br"), make("small", `${question(item).task} · `), make("small", state, stateClass(state)));
      row.addEventListener("click", () => choose(made + i));
      return row;
    });
    list.append(...more);
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

  function askedBlock(prompt) {
    const block = make("section");
    if (prompt.plan.length) block.append(make("p", prompt.plan.join("; "), "quiet"));
    if (prompt.strip !== null) block.append(frameStrip(strips[prompt.strip]));
    else block.append(make("p", prompt.pictures ? `Its ${prompt.pictures} pictures are not in this report.` : "Asked without pictures.", "quiet"));
    const more = make("details");
    more.append(make("summary", "prompt"), make("pre", prompt.text));
    block.append(more);
    return block;
  }

  function answerBlock(item, name, answer) {
    const block = make("section"), head = make("h3", `${name}: `);
    head.append(make("span", answer.state, stateClass(answer.state)));
    block.append(head);
    if (answer.state === "not asked") return block;
    const seen = { none: "no pictures were sent to it", match: "the pictures above are those that were sent", differ: "the pictures sent were others than those above", unchecked: "the pictures sent to it are not shown" }[answer.frames];
    const read = answer.chosen ? answer.chosen.map((i) => letters[i]).join(", ") || "no option" : answer.value;
    const words = answer.rule === null ? "No reply" : read === null ? `Read as nothing (${answer.rule.replaceAll("_", " ")})` : `Read as ${read} (${answer.rule.replaceAll("_", " ")})`;
    const which = item.prompts.length > 1 ? `asked in way ${answer.prompt + 1}; ` : "";
    block.append(make("p", `${words}; ${which}${seen}.`));
    if (answer.reasoning) { const more = make("details"); more.append(make("summary", "reasoning"), make("pre", answer.reasoning)); block.append(more); }
    if (answer.reply !== null) block.append(make("pre", answer.reply));
    if (answer.error) block.append(make("pre", answer.error));
    return block;
  }

  function show(item) {
    detail.replaceChildren();
    if (!item) { detail.append(make("p", "No question matches.")); return; }
    const of = question(item);
    detail.append(make("h3", item.id), make("p", of.stem));
    const options = make("ul", undefined, "options");
    item.options.forEach((text, i) => options.append(make("li", `${letters[i]}  ${text}${item.right.includes(i) ? "  ← right" : ""}`, item.right.includes(i) ? "truth" : "")));
    if (item.options.length) detail.append(options);
    if (of.expected !== null) detail.append(make("p", `Expected: ${of.expected}`));
    const facts = [of.benchmark, of.task, of.variant.replaceAll("_", " "), of.window ? `asked about ${of.window[0].toFixed(1)} to ${of.window[1].toFixed(1)} s` : "", of.flags.join(", ")];
    detail.append(make("p", facts.filter(Boolean).join(" · "), "quiet"));
    item.prompts.forEach((prompt, i) => {
      if (item.prompts.length > 1) detail.append(make("h3", `Asked in way ${i + 1}`));
      detail.append(askedBlock(prompt));
    });
    item.answers.forEach((answer, place) => { if (answer) detail.append(answerBlock(item, runs[place], answer)); });
    const more = make("details");
    more.append(make("summary", "how the truth came about"), make("pre", JSON.stringify(of.provenance, null, 1)));
    detail.append(more);
  }

  const later = (() => { let timer; return () => { clearTimeout(timer); timer = setTimeout(refresh, 150); }; })();
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key];
    if (step) { event.preventDefault(); choose(current + step); }
  });
  list.addEventListener("scroll", () => { if (list.scrollTop + 2 * list.clientHeight > list.scrollHeight) extend(list.children.length + AT_A_TIME); });
  ["benchmark", "task", "run", "state", "differ"].forEach((id) => byId(id).addEventListener("change", refresh));
  byId("search").addEventListener("input", later);
  document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  refresh();
  const linked = chosenByAddress();
  if (linked >= 0) { select(linked); byId("browser").scrollIntoView(); }
})();
