// Scores and questions as files, made from the data of the page.
const { scores } = window.REPORT;
const save = (name, type, words) => {
  const link = make("a"), address = URL.createObjectURL(new Blob([words], { type }));
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
};
// A cell that a spreadsheet would run as a formula gets an apostrophe, because replies are not trusted.
const cell = (value) => {
  const plain = value === null || value === undefined ? "" : String(value);
  const words = typeof value === "string" && /^[=+\-@\t\r]/.test(plain) && Number.isNaN(Number(plain)) ? `'${plain}` : plain;
  return /[",\n\r]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words;
};
const csv = (rows) => {
  const names = [...new Set(rows.slice(0, 1).flatMap(Object.keys))];
  return [names.join(","), ...rows.map((row) => names.map((name) => cell(row[name])).join(","))].join("\r\n");
};
const named = (places) => (places ? places.map((i) => letters[i]).join("") : null);

// One row for each run that was asked.
function answerRows(of) {
  return of.flatMap((item) => {
    const asked = question(item), { benchmark, task, variant, scene, stem, expected } = asked;
    return item.answers.flatMap((answer, place) => (answer ? [{
      benchmark, run: runs[place], ask: item.id, task, variant, cluster: scene, state: answer.state,
      right: named(item.right), chosen: named(answer.chosen), value: answer.value, expected, reply: answer.reply, stem,
      options: item.options.map((words, i) => `${letters[i]} ${words}`).join(" | "),
      tags: Object.entries(asked.tags).map(([key, values]) => `${key}=${values.join("+")}`).join(" "),
    }] : []));
  });
}
function answersByQuestion(of) {
  return of.map((item) => {
    const { benchmark, task, variant, scene, tags, stem, expected, window: asked, flags, provenance } = question(item);
    const answers = Object.fromEntries(item.answers.flatMap((answer, place) => (answer ? [[runs[place], answer]] : [])));
    return { id: item.id, benchmark, task, variant, scene, tags, window: asked, flags, stem, options: item.options, right: item.right, expected, provenance, answers };
  });
}
const json = (value) => JSON.stringify(value, null, 1);
const DOWNLOADS = {
  "scores.csv": () => csv(scores), "scores.json": () => json(scores),
  "questions.csv": () => csv(answerRows(shown)), "questions.json": () => json(answersByQuestion(shown)),
};
document.querySelectorAll("[data-save]").forEach((node) => node.addEventListener("click", () => {
  const name = node.dataset.save;
  save(name, name.endsWith("csv") ? "text/csv;charset=utf-8" : "application/json", DOWNLOADS[name]());
}));
