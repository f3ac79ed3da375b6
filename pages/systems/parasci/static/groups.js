"use strict";
// Groups in a table. The sentences of a group are loaded when it is chosen. The choice is kept in the URL.
(() => {
  const { el, number, visible } = silverloom, { groups, unit } = silverloom.data, loaded = new Map();
  const table = document.getElementById("groups"), place = document.getElementById("group");
  if (!table) return;
  const text = document.getElementById("text"), found = document.getElementById("found");
  const columns = [["papers", "papers"], ["sentences", "sentences"], ["stored", "pairs above the floor"], ["pairs", "paraphrases"]];

  /** Called by the script of a group. */
  silverloom.group = (content) => loaded.set(content.script, content.sentences);

  const hash = () => new URLSearchParams(location.hash.slice(1));
  const chosen = () => groups.find((group) => group.script === hash().get("group")) ?? groups[0];

  function go(group) {
    history.replaceState(null, "", `#${new URLSearchParams({ group: group.script, ...(text.value ? { text: text.value } : {}) })}`);
    draw();
  }

  function draw() {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean), one = chosen();
    const fit = groups.filter((group) => words.every((word) => group.name.toLowerCase().includes(word)));
    found.textContent = `${number(fit.length)} of ${number(groups.length)} groups.`;
    table.replaceChildren(
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, unit), ...columns.map(([, name]) => el("th", { scope: "col", class: "n" }, name)))),
      el("tbody", {}, ...fit.map((group) => {
        const button = el("button", { type: "button", dir: "auto" }, visible(group.name));
        button.addEventListener("click", () => go(group));
        return el("tr", { "aria-current": group === one ? "true" : null }, el("th", { scope: "row" }, button), ...columns.map(([name]) => el("td", { class: "n" }, number(group[name]))));
      })));
    load(one);
  }

  function load(group) {
    if (loaded.has(group.script)) { show(group); return; }
    const script = el("script", { src: silverloom.root + group.script });
    script.addEventListener("load", () => { if (chosen() === group) show(group); });
    script.addEventListener("error", () => place.replaceChildren(el("p", {}, `The sentences of ${group.name} cannot be loaded: ${group.script} is missing.`)));
    document.head.append(script);
  }

  function show(group) {
    const sentences = loaded.get(group.script);
    place.replaceChildren(el("h2", { dir: "auto" }, visible(group.name)),
      el("p", { class: "quiet" }, sentences.length < group.sentences ? `${number(sentences.length)} of ${number(group.sentences)} sentences.` : `All ${number(sentences.length)} sentences.`),
      el("ol", {}, ...sentences.map((sentence) => el("li", {}, el("span", { class: "text", dir: "auto" }, visible(sentence.text)),
        el("div", { class: "quiet" }, el("span", { class: sentence.pairs ? "kept" : null }, sentence.pairs ? `in ${number(sentence.pairs)} paraphrase${sentence.pairs === 1 ? "" : "s"}` : "in no paraphrase"), ` · ${sentence.papers.map(visible).join(", ")}`)))));
  }

  text.value = hash().get("text") ?? "";
  text.addEventListener("input", () => go(chosen()));
  document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", draw);
  draw();
})();
