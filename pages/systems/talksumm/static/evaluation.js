"use strict";
// The viewer of summaries. The chosen paper and system are kept in the URL.
(() => {
  const { el, number, data } = silverloom, { papers } = data;
  const byId = (id) => document.getElementById(id);
  const FEW_RUNS = 12;

  if (!papers.length) return;
  const loaded = new Map(), viewer = byId("viewer"), title = byId("title"), choice = byId("paper"), system = byId("system");
  let state = {};

  /** Called by the script of a paper. */
  silverloom.paper = (content) => loaded.set(content.id, content);

  function load(id, then) {
    if (loaded.has(id)) { then(loaded.get(id)); return; }
    const script = el("script", { src: `${silverloom.root}evaluation/${encodeURIComponent(id)}.js` });
    script.addEventListener("load", () => then(loaded.get(id)));
    script.addEventListener("error", () => { if (state.paper === id) viewer.replaceChildren(el("p", { class: "card" }, "The summaries of this paper cannot be loaded: their script is missing.")); });
    document.head.append(script);
  }

  const name = (paper) => paper.title || `without a title (${paper.id})`;

  function matching() {
    const words = title.value.toLowerCase().split(/\s+/).filter(Boolean);
    return papers.filter((paper) => words.every((word) => `${name(paper)} ${paper.id}`.toLowerCase().includes(word)));
  }

  function list() {
    const found = matching();
    choice.replaceChildren(...found.map((paper) => el("option", { value: paper.id, selected: paper.id === state.paper }, name(paper))));
    choice.disabled = !found.length;
    const at = found.findIndex((paper) => paper.id === state.paper);
    byId("count").textContent = at < 0 ? `${number(found.length)} of ${number(papers.length)} papers` : `${number(at + 1)} of ${number(found.length)}${found.length < papers.length ? " found" : ""}`;
    byId("former").disabled = at <= 0;
    byId("next").disabled = at < 0 || at >= found.length - 1;
  }

  function restore() {
    const hash = new URLSearchParams(location.hash.slice(1));
    if (location.hash && !hash.has("paper") && !hash.has("system") && viewer.children.length) return;  // an anchor on this page
    const known = papers.some((paper) => paper.id === hash.get("paper"));
    state = { paper: known ? hash.get("paper") : papers[0].id, system: hash.get("system") };
    if (!matching().some((paper) => paper.id === state.paper)) title.value = "";
    show(hash.has("paper") && !known ? `Paper ${hash.get("paper")} is not on this page; showing the first one.` : "", hash.has("paper"));
  }

  function choose(change) {
    state = { ...state, ...change };
    const parts = Object.entries(state).filter(([, value]) => value);
    history.replaceState(null, "", `#${new URLSearchParams(parts)}`);
    show("");
  }

  function show(note, lead = false) {
    list();
    const { paper } = state;
    load(paper, (content) => {
      if (state.paper !== paper) return;
      paint(content, note);
      // wait for the charts above: they change the layout
      if (lead) Promise.all([...document.querySelectorAll(".chart")].map((chart) => chart.drawing)).then(() => byId("summaries").scrollIntoView({ block: "start" }));
    });
  }

  function text(heading, nodes, whole, share, about) {
    const cut = whole.characters > [...whole.start].length ? el("p", { class: "quiet" }, `The first ${number([...whole.start].length)} of ${number(whole.characters)} characters.`) : null;
    const summary = whole.start.trim() ? `${Math.round(100 * share)} % of its words are marked.` : "It has no words.";
    return el("section", { class: "card side", "aria-label": heading }, el("h3", {}, heading), el("p", { class: "quiet" }, about, summary), el("p", { class: "summary", dir: "auto" }, ...nodes), cut);
  }

  function scores(one) {
    const kinds = [...new Set(Object.keys(one.scores).map((key) => key.slice(0, key.lastIndexOf("_"))))].sort();
    const fields = ["recall", "precision", "f"];
    const cell = (value) => el("td", { class: "n" }, value === undefined ? "–" : (100 * value).toFixed(2));
    const rows = kinds.map((kind) => el("tr", {}, el("th", { scope: "row" }, kind.replace("rouge", "ROUGE-")), ...fields.map((field) => cell(one.scores[`${kind}_${field}`]))));
    const head = ["score", "recall", "precision", "F"].map((label, index) => el("th", { scope: "col", class: index ? "n" : null }, label));
    return el("section", { class: "card", "aria-label": "Scores of this summary" }, el("h3", {}, "Scores of this summary"), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of scores" }, el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows))));
  }

  function runs(found) {
    const press = (button, run) => {
      const on = button.getAttribute("aria-pressed") !== "true";
      for (const other of viewer.querySelectorAll(".runs button")) other.setAttribute("aria-pressed", String(on && other === button));
      for (const mark of viewer.querySelectorAll("mark")) mark.classList.toggle("on", on && ` ${mark.dataset.run} `.includes(` ${run} `));
    };
    const buttons = found.slice(0, FEW_RUNS).map(([run, words]) => {
      const button = el("button", { type: "button", "aria-pressed": "false" }, run, el("small", {}, ` ${number(words)} words`));
      button.addEventListener("click", () => press(button, run));
      return el("li", {}, button);
    });
    return el("section", { class: "card", "aria-label": "Longest runs in common" }, el("h3", {}, "Longest runs in common"),
      found.length ? el("ul", { class: "runs" }, ...buttons) : el("p", { class: "quiet" }, "No two consecutive words are in both."),
      found.length > FEW_RUNS ? el("p", { class: "quiet" }, `And ${number(found.length - FEW_RUNS)} shorter ones.`) : null);
  }

  function paint(content, note) {
    const { summaries } = content, one = summaries.find((summary) => summary.name === state.system) ?? summaries[0];
    system.replaceChildren(...summaries.map((summary) => el("option", { value: summary.name, selected: summary === one }, summary.label)));
    const missing = state.system && one.name !== state.system ? `${state.system} has no summary of this paper; showing ${one.label}.` : note;
    const { nodes, runs: found, shares } = silverloom.sharedWords(one.text.start, content.reference.start);
    const paper = papers.find((entry) => entry.id === content.id);
    viewer.replaceChildren(
      ...(missing ? [el("p", { class: "card", role: "alert" }, missing)] : []),
      el("h3", { class: "paper", dir: "auto" }, name(paper)),
      el("div", { class: "sides" },
        text(`Summary by ${one.label}`, nodes[0], one.text, shares[0], ""),
        text("Summary by a human", nodes[1], content.reference, shares[1], content.references > 1 ? `The first of ${number(content.references)}; the scores use all. ` : "")),
      el("div", { class: "sides" }, runs(found), scores(one)));
  }

  choice.addEventListener("change", () => choose({ paper: choice.value }));
  system.addEventListener("change", () => choose({ system: system.value }));
  title.addEventListener("input", () => {
    const found = matching();
    if (found.length && !found.some((paper) => paper.id === state.paper)) choose({ paper: found[0].id });
    else list();
  });
  const turn = (by) => {
    const found = matching(), at = found.findIndex((paper) => paper.id === state.paper) + by;
    if (found[at]) choose({ paper: found[at].id });
  };
  byId("former").addEventListener("click", () => turn(-1));
  byId("next").addEventListener("click", () => turn(1));
  addEventListener("hashchange", restore);
  restore();
})();
