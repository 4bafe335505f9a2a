// A question as text: its options, its prompts, and the replies.
// The known tokens, cost and time of the call.
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

function optionList(item) {
  const options = make("ul", undefined, "options"), strip = strips[item.prompts.find((prompt) => prompt.strip !== null)?.strip];
  item.options.forEach((words, i) => {
    const line = make("li", `${letters[i]}  ${words}${item.right.includes(i) ? "  ← right" : ""}`, item.right.includes(i) ? "truth" : "");
    const by = names.filter((_, place) => item.answers[place]?.chosen?.includes(i));
    if (by.length) line.append(make("small", ` chosen by ${by.join(", ")}`));
    const drawn = strip?.frames.find(([, said]) => said === letters[i]); // an option that is a picture
    if (drawn) {
      const shown = make("img");
      shown.setAttribute("src", picture(drawn[0])); shown.alt = `option ${letters[i]}`; shown.loading = "lazy";
      line.prepend(shown);
    }
    options.append(line);
  });
  return options;
}

function askedBlock(item, number) {
  const block = make("section"), prompt = item.prompts[number], of = question(item);
  const by = names.filter((_, place) => item.answers[place]?.prompt === number);
  const before = item.prompts.slice(0, number).findIndex((other) => prompt.strip !== null && other.strip === prompt.strip);
  if (!by.length) block.append(make("p", "The protocol's prompt; the prompt of the other tool is unknown.", "quiet"));
  else if (item.prompts.length > 1) block.append(make("h3", `Prompt ${number + 1}`), make("p", by.join(", "), "quiet"));
  if (before >= 0) block.append(make("p", `The same pictures as in prompt ${before + 1}.`, "quiet"));
  else if (prompt.strip !== null) block.append(frameStrip(of, strips[prompt.strip]));
  else if (prompt.videos.length) block.append(make("p", `Sent as video: ${prompt.videos.join(", ")}.`, "quiet"));
  else block.append(make("p", prompt.pictures ? `The ${prompt.pictures} pictures are not in this report.` : "Asked without pictures.", "quiet"));
  if (prompt.plan.length) block.append(make("p", prompt.plan.join("; "), "quiet"));
  block.append(folded("prompt", prompt.text));
  return block;
}

const SEEN = {
  none: "no pictures were sent", match: "the pictures shown here were sent",
  differ: "the sent pictures differ from the pictures shown here", unchecked: "the sent pictures are not shown",
  elsewhere: "asked by another tool: its pictures are unknown",
};
function answerBlock(item, name, answer) {
  const block = make("section", undefined, "answer"), head = make("h3", `${name}: `);
  head.append(make("span", answer.state, stateClass(answer.state)));
  block.append(head);
  if (answer.state === "not asked") return block;
  const read = answer.chosen ? answer.chosen.map((i) => letters[i]).join(", ") || "no option" : answer.value;
  const words = answer.rule === null ? "No reply" : read === null ? `Read as nothing (${answer.rule.replaceAll("_", " ")})` : `Read as ${read} (${answer.rule.replaceAll("_", " ")})`;
  const which = item.prompts.length > 1 && answer.prompt !== null ? `asked with prompt ${answer.prompt + 1}; ` : "";
  if (answer.reply !== null) block.append(text(answer.reply));
  if (answer.error) block.append(text(answer.error));
  block.append(make("p", item.prompts[answer.prompt]?.videos.length ? `${words}; ${which}asked with video.` : `${words}; ${which}${SEEN[answer.frames]}.`, "quiet"));
  if (answer.reasoning) block.append(folded("reasoning", answer.reasoning));
  if (answer.letters) block.append(make("p", letterWords(answer.letters), "quiet"));
  const took = callWords(answer.call);
  if (took) block.append(make("p", took, "quiet"));
  return block;
}

// The view of a question: stem, options, truth and replies, and next to them the pictures.
function questionBlocks(item) {
  const of = question(item), said = make("div", undefined, "said"), seen = make("div", undefined, "seen");
  said.append(make("p", of.stem, "stem"));
  if (item.options.length) said.append(optionList(item));
  if (of.expected !== null) said.append(make("p", `Expected: ${of.expected}`, "truth"));
  item.answers.forEach((answer, place) => { if (answer) said.append(answerBlock(item, names[place], answer)); });
  const tags = Object.entries(of.tags).map(([key, values]) => `${key.replaceAll("_", " ")}: ${values.join(", ")}`);
  const facts = [of.benchmark, of.task, of.variant.replaceAll("_", " "), of.window ? `asked about ${seconds(of.window[0])} to ${seconds(of.window[1])}` : "", of.scene, ...tags, of.flags.join(", ")];
  said.append(make("p", facts.filter(Boolean).join(" · "), "quiet"), folded("provenance of the correct answer", JSON.stringify(of.provenance, null, 1)));
  item.prompts.forEach((_, number) => seen.append(askedBlock(item, number)));
  of.clips.forEach((clip) => seen.append(clipBlock(of, clip)));
  return [said, seen];
}
