"use strict";
// The question browser: everything is built with textContent, so that replies and prompts are shown and never run.
(() => {
  const { runs, items } = window.REPORT;
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const byId = (id) => document.getElementById(id);
  const make = (tag, text, className) => {
    const node = document.createElement(tag);
    if (text !== undefined && text !== null) node.textContent = text;
    if (className) node.className = className;
    return node;
  };
  const fill = (select, values) => values.forEach((value) => { const o = make("option", value); o.value = value; select.append(o); });
  fill(byId("task"), [...new Set(items.map((item) => item.task))]);
  fill(byId("run"), runs);
  fill(byId("state"), [...new Set(items.flatMap((item) => Object.values(item.answers).map((a) => a.state)))]);
  if (runs.length < 2) byId("differ").parentElement.hidden = true;

  const list = byId("list"), detail = byId("detail");
  let shown = [], current = 0;

  const differs = (item) => new Set(Object.values(item.answers).map((a) => JSON.stringify(a.chosen ?? a.value))).size > 1;
  const matches = (item) => {
    const words = byId("search").value.toLowerCase();
    const answer = item.answers[byId("run").value];
    return (!byId("task").value || item.task === byId("task").value)
      && (!byId("state").value || (answer && answer.state === byId("state").value))
      && (!byId("differ").checked || differs(item))
      && (!words || `${item.id} ${item.prompt}`.toLowerCase().includes(words));
  };

  function refresh() {
    shown = items.filter(matches);
    current = 0;
    byId("count").textContent = `${shown.length} of ${items.length} asked`;
    list.replaceChildren(...shown.map((item, place) => {
      const row = make("li");
      const answer = item.answers[byId("run").value];
      row.append(make("span", item.id), make("br"));
      row.append(make("small", `${item.task} · `), make("small", answer ? answer.state : "not in this run", answer ? answer.state.replace("_", " ").split(" ")[0] : ""));
      row.addEventListener("click", () => select(place));
      return row;
    }));
    select(0);
  }

  function select(place) {
    current = Math.max(0, Math.min(place, shown.length - 1));
    [...list.children].forEach((row, i) => row.setAttribute("aria-selected", String(i === current)));
    const row = list.children[current];
    // Only the list scrolls, not the page.
    if (row) list.scrollTop = Math.min(Math.max(list.scrollTop, row.offsetTop - list.offsetTop + row.offsetHeight - list.clientHeight), row.offsetTop - list.offsetTop);
    show(shown[current]);
  }

  function frameStrip(item) {
    const strip = make("div", undefined, "frames");
    item.frames.forEach((file, i) => {
      const link = make("a");
      link.href = `frames/${file}`; link.target = "_blank";
      const picture = make("img");
      picture.src = link.href; picture.loading = "lazy"; picture.alt = `frame ${i + 1}`;
      link.append(picture, make("span", item.times[i] === undefined ? `${i + 1}` : `${i + 1} · ${item.times[i].toFixed(1)} s`));
      strip.append(link);
    });
    return strip;
  }

  function answerBlock(item, name) {
    const answer = item.answers[name], block = make("section");
    if (!answer) return block;
    const head = make("h3", `${name}: `);
    head.append(make("span", answer.state.replace("_", " "), answer.state));
    block.append(head);
    const read = answer.chosen ? answer.chosen.map((i) => letters[i]).join(", ") : answer.value ?? "nothing";
    const seen = { none: "no frames were sent to it", match: "the frames above are those that were sent", differ: "the frames sent were others", unchecked: "frames not shown" }[answer.frames];
    block.append(make("p", `Read as ${read}${answer.rule ? ` (${answer.rule})` : ""}; ${seen}.`));
    if (answer.reasoning) { const more = make("details"); more.append(make("summary", "reasoning"), make("pre", answer.reasoning)); block.append(more); }
    if (answer.reply !== null) block.append(make("pre", answer.reply));
    if (answer.error) block.append(make("pre", answer.error));
    return block;
  }

  function show(item) {
    detail.replaceChildren();
    if (!item) { detail.append(make("p", "No question matches.")); return; }
    detail.append(make("h3", item.id), make("p", item.stem));
    const options = make("ul", undefined, "options");
    item.options.forEach((text, i) => options.append(make("li", `${letters[i]}  ${text}${item.right.includes(i) ? "  ← right" : ""}`, item.right.includes(i) ? "truth" : "")));
    detail.append(options);
    if (item.expected !== null) detail.append(make("p", `Expected: ${item.expected}`));
    const facts = [item.window ? `asked about ${item.window[0].toFixed(1)} to ${item.window[1].toFixed(1)} s` : "", item.plan.join("; "), item.flags.join(", ")].filter(Boolean).join(" · ");
    detail.append(make("p", facts));
    detail.append(item.frames.length ? frameStrip(item) : make("p", "Its frames are not in this report."));
    runs.forEach((name) => detail.append(answerBlock(item, name)));
    for (const [title, text] of [["prompt", item.prompt], ["how the truth came about", JSON.stringify(item.provenance, null, 1)]]) {
      const more = make("details");
      more.append(make("summary", title), make("pre", text));
      detail.append(more);
    }
  }

  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step) { event.preventDefault(); select(current + step); }
  });
  ["task", "run", "state", "differ"].forEach((id) => byId(id).addEventListener("change", refresh));
  byId("search").addEventListener("input", refresh);
  document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  refresh();
})();
