"use strict";
// A talk next to its paper. Choosing a passage of the talk shows the sentence that it describes, and the reverse.
(() => {
  const { el, number, clock, data } = silverloom;
  const { words, quiet, starts, sections, sentences, runs, budgets, gold, moves } = data;
  const byId = (id) => document.getElementById(id);
  const paper = byId("paper"), talk = byId("talk"), selection = byId("selection"), budget = byId("budget");
  const LONG = 1000, BLOCK_SECONDS = 20, BLOCK_WORDS = 50, DWELL = 350;
  const sectionOf = new Int32Array(sentences.length);
  sections.forEach((section, index) => sectionOf.fill(index, section.first, section.first + section.size));
  const runsOf = sentences.map(() => []);
  runs.forEach(([, , sentence], run) => runsOf[sentence].push(run));
  const timed = sentences.some((one) => one.seconds);
  const spent = (one) => (timed ? one.seconds ?? 0 : one.count);
  const most = sentences.reduce((best, one) => Math.max(best, spent(one)), 0) || 1;
  const seconds = (value) => (value < 10 ? value.toFixed(1) : Math.round(value).toString());
  const amount = (one) => (timed ? `${seconds(one.seconds ?? 0)} s` : `${number(one.count)} ${one.count === 1 ? "word" : "words"}`);
  const times = (count, what) => `${number(count)} ${what}${count === 1 ? "" : "s"}`;
  const hue = (sentence) => `s${sectionOf[sentence] % 8}`;

  const sentenceElements = sentences.map((one, index) => {
    const state = one.why === null;
    const side = state
      ? [el("i", { style: `width:${(100 * spent(one) / most).toFixed(1)}%`, hidden: !one.count }), one.count ? amount(one) : "not covered"]
      : [one.why];
    return el("div", { class: `sentence ${hue(index)}${state ? "" : " no-state"}${one.count ? "" : " silent"}`, role: "option", "aria-selected": "false", tabindex: "-1", "data-sentence": index },
      el("span", { class: "no" }, number(one.position + 1)),
      el("span", {}, one.text.length > LONG ? `${one.text.slice(0, LONG)}…` : one.text),
      el("span", { class: "spent" }, ...side, el("span", { class: "in" }, "summary")));
  });

  function buildPaper() {
    const groups = sections.map((section, index) => {
      const title = section.title || "Without a heading";
      const heading = el("div", { class: `heading s${index % 8}${section.size ? "" : " empty"}` }, title);
      if (!section.size) return heading;
      return el("div", { role: "group", "aria-label": title }, heading, ...sentenceElements.slice(section.first, section.first + section.size));
    });
    paper.replaceChildren(...groups);
    if (sentences.length) { paper.setAttribute("role", "listbox"); paper.setAttribute("aria-labelledby", "paper-title"); sentenceElements[0].tabIndex = 0; }
    else paper.replaceChildren(el("p", { class: "quiet" }, "The paper has no sentences."));
    byId("paper-count").textContent = `${times(sentences.length, "sentence")}, ${times(sentences.filter((one) => one.why === null).length, "state")}`;
  }

  /** Words from first to last, both included; those that the model ignores are in italics. */
  function spoken(first, last) {
    const parts = [];
    for (let at = first; at <= last;) {
      let end = at;
      while (end <= last && quiet[end] === quiet[at]) end++;
      const text = words.slice(at, end).join(" ") + (end <= last ? " " : "");
      parts.push(quiet[at] === "1" ? el("i", {}, text) : text);
      at = end;
    }
    return parts;
  }

  const runElements = [];
  function buildTalk() {
    const blocks = [];
    let flow = null, begun = 0;
    const place = (word) => {
      const old = starts ? starts[word] - starts[begun] >= BLOCK_SECONDS : word - begun >= BLOCK_WORDS;
      if (flow && !old) return flow;
      begun = word;
      flow = el("div", { class: "flow" });
      blocks.push(el("div", { class: "block" }, el("span", { class: "when" }, starts ? clock(starts[word]) : number(word + 1)), flow));
      return flow;
    };
    const between = (first, last) => {
      for (let at = first; at <= last; at += BLOCK_WORDS) place(at).append(el("i", {}, words.slice(at, Math.min(last + 1, at + BLOCK_WORDS)).join(" ")), " ");
    };
    let next = 0;
    for (const [first, last, sentence] of runs) {
      if (first > next) between(next, first - 1);
      // A word of two tokens can end one run and begin the next; show it only once.
      const from = Math.max(first, next);
      const run = el("span", { class: `run ${hue(sentence)}`, role: "option", "aria-selected": "false", tabindex: "-1", "data-run": runElements.length }, el("b", {}, number(sentences[sentence].position + 1)), ...spoken(from, last));
      runElements.push(run);
      place(from < words.length ? from : words.length - 1).append(run, " ");
      next = Math.max(next, last + 1);
    }
    if (next < words.length) between(next, words.length - 1);
    talk.replaceChildren(...blocks);
    if (runs.length) { talk.setAttribute("role", "listbox"); talk.setAttribute("aria-labelledby", "talk-title"); runElements[0].tabIndex = 0; }
    else talk.prepend(el("p", {}, words.length ? "No word of this talk is aligned to the paper." : "The talk has no words."));
    if (!runs.length) { talk.tabIndex = 0; talk.setAttribute("role", "region"); talk.setAttribute("aria-labelledby", "talk-title"); }
    byId("talk-count").textContent = `${times(words.length, "word")}, ${times(runs.length, "passage")}` + (starts ? "" : "; no times: the margin shows word numbers");
  }

  const shown = { sentence: null, run: null };
  let hovered = null;
  let showPath = () => {};

  const mark = (sentence, on) => {
    if (sentence === null) return;
    sentenceElements[sentence].classList.toggle("on", on);
    for (const run of runsOf[sentence]) runElements[run].classList.toggle("on", on);
  };

  /** Scroll only this pane until the element is well in view; once more after newly visible elements have their size. */
  function bring(pane, element) {
    scroll(pane, element);
    requestAnimationFrame(() => scroll(pane, element));
  }

  function scroll(pane, element) {
    const box = element.getBoundingClientRect(), view = pane.getBoundingClientRect();
    if (box.top >= view.top + 8 && box.bottom <= view.bottom - 8) return;
    pane.scrollTop += box.top - view.top - Math.min(view.height / 3, Math.max(8, (view.height - box.height) / 2));
  }

  /** Choose a sentence, or none. `run` is the passage chosen with it; `from` is the pane that must not scroll. */
  function choose(sentence, { run = null, from = null, keep = false } = {}) {
    mark(shown.sentence, false);
    if (shown.sentence !== null) sentenceElements[shown.sentence].setAttribute("aria-selected", "false");
    if (shown.run !== null) { runElements[shown.run].classList.remove("here"); runElements[shown.run].setAttribute("aria-selected", "false"); }
    shown.sentence = sentence;
    shown.run = sentence === null ? null : run ?? runsOf[sentence][0] ?? null;
    showPath(sentence);
    describe();
    if (sentence === null) return;
    mark(sentence, true);
    const element = sentenceElements[sentence];
    element.setAttribute("aria-selected", "true");
    rove(paper, element);
    if (from !== paper) bring(paper, element);
    if (shown.run !== null) {
      const stretch = runElements[shown.run];
      stretch.classList.add("here");
      stretch.setAttribute("aria-selected", "true");
      rove(talk, stretch);
      if (from !== talk) bring(talk, stretch);
    }
    if (!keep) store();
  }

  function rove(pane, element) {
    const before = pane.querySelector('[role="option"][tabindex="0"]');
    if (before) before.tabIndex = -1;
    element.tabIndex = 0;
  }

  function describe() {
    if (shown.sentence === null) { selection.replaceChildren(el("p", { class: "quiet" }, "Choose a sentence of the paper or a passage of the talk.")); return; }
    const one = sentences[shown.sentence], mine = runsOf[shown.sentence], at = mine.indexOf(shown.run);
    const parts = [el("span", {}, el("b", {}, `Sentence ${number(one.position + 1)}`), ` · ${sections[sectionOf[shown.sentence]].title.slice(0, 60) || "without a heading"}`)];
    if (one.why !== null) parts.push(el("span", { class: "quiet" }, `no state: ${one.why}`));
    else if (!mine.length) parts.push(el("span", { class: "quiet" }, "the talk never describes it"));
    else {
      const when = starts ? `${clock(starts[runs[shown.run][0]])}` : `word ${number(runs[shown.run][0] + 1)}`;
      parts.push(el("span", {}, `${one.seconds == null ? "" : `${seconds(one.seconds)} s, `}${times(one.count, "counted word")}`));
      const step = (by) => {
        const button = el("button", { type: "button", "aria-label": by < 0 ? "Previous passage" : "Next passage", disabled: !mine[at + by] && mine[at + by] !== 0 }, by < 0 ? "‹" : "›");
        button.addEventListener("click", () => {
          choose(shown.sentence, { run: mine[at + by], from: paper });
          (selection.querySelector(`button[aria-label="${button.getAttribute("aria-label")}"]:not(:disabled)`) ?? selection.querySelector("button:not(:disabled)"))?.focus();
        });
        return button;
      };
      parts.push(el("span", {}, step(-1), ` passage ${at + 1} of ${mine.length}, at ${when} `, step(1)));
    }
    const among = Object.keys(budgets).filter((name) => budgets[name].sentences.includes(shown.sentence));
    if (among.length) parts.push(el("span", { class: "kept among" }, `in ${among.join(", ")}`));
    if (one.text.length > LONG) parts.push(el("details", { class: "long" }, el("summary", {}, `all ${number(one.text.length)} characters`), el("pre", { tabindex: "0" }, one.text)));
    const dataset = one.id.startsWith("sentence-") ? "sources/sentences" : "talksumm/alignments";
    parts.push(el("a", { href: `${silverloom.address(dataset, "lineage")}#${one.id}` }, "lineage"));
    selection.replaceChildren(...parts);
  }

  function markSummary() {
    const among = new Set(budgets[budget.value]?.sentences ?? []);
    sentenceElements.forEach((element, index) => element.classList.toggle("chosen", among.has(index)));
  }

  function buildBudgets() {
    const names = Object.keys(budgets);
    budget.append(el("option", { value: "" }, names.length ? "none" : "no summaries"), ...names.map((name) => el("option", { value: name }, `${name}: ${times(budgets[name].sentences.length, "sentence")}, ${times(budgets[name].words, "word")} of ${number(budgets[name].paper_words)}${budgets[name].exhausted ? ", all sentences that the talk describes" : ""}`)));
    budget.value = names.includes("words_150") ? "words_150" : names[0] ?? "";
    budget.dataset.first = budget.value;
    budget.addEventListener("change", () => { markSummary(); store(); });
    const met = byId("met");
    met.addEventListener("change", () => paper.classList.toggle("only-met", met.checked));
  }

  function store() {
    const parts = shown.sentence === null ? [] : [sentences[shown.sentence].id];
    if (budget.value !== budget.dataset.first) parts.push(`budget=${encodeURIComponent(budget.value)}`);
    history.replaceState(null, "", parts.length ? `#${parts.join("&")}` : location.pathname);
  }

  function restore() {
    const [name, ...rest] = decodeURIComponent(location.hash.slice(1)).split("&");
    const wanted = [name, ...rest].find((part) => part.startsWith("budget="))?.slice("budget=".length);
    budget.value = wanted !== undefined && (wanted in budgets || wanted === "") ? wanted : budget.dataset.first;
    markSummary();
    const named = name && !name.startsWith("budget=");
    // Without a name, choose the first passage, so that the link between both panes is visible at once.
    const index = named ? sentences.findIndex((one) => one.id === name) : runs[0]?.[2] ?? (sentences.length ? 0 : -1);
    choose(index < 0 ? null : index, { keep: true });
    if (index < 0 && named) selection.replaceChildren(el("p", { class: "state" }, `This talk has no sentence ${name.slice(0, 60)}.`));
    if (index >= 0 && named) selection.scrollIntoView({ block: "start" });
  }

  const moved = (count, farthest) => (count ? `${times(count, "time")} (by at most ${times(farthest, "sentence")})` : "never");

  function facts() {
    const place = byId("facts"), states = sentences.filter((one) => one.why === null), met = states.filter((one) => one.count);
    if (!runs.length) {
      place.textContent = words.length ? "This talk has no alignment: the model can use none of its words, or no sentence of its paper." : "This talk has no words, so it has no alignment.";
      byId("path-card").remove();
      return;
    }
    let text = `The talk covers ${number(met.length)} of ${times(states.length, "state")} (${Math.round(100 * met.length / states.length)} %) in ${number(runs.length)} passages. It moves forward ${moved(moves.forward, moves.farthest_forward)} and back ${moved(moves.back, moves.farthest_back)}.`;
    if (gold) text += gold.words ? ` Of ${times(gold.words, "manually labelled word")}, ${number(gold.correct)} (${Math.round(100 * gold.correct / gold.words)} %) are aligned to exactly the labelled sentence.` : " It also has manual labels.";
    place.textContent = text;
    showPath = silverloom.path(byId("path"), byId("path-caption"), (run) => choose(runs[run][2], { run }));
  }

  /** The next visible option of a pane in direction `by`; the element itself at the end. */
  function next(pane, element, by) {
    const all = pane === paper ? sentenceElements : runElements;
    for (let at = all.indexOf(element) + by; at >= 0 && at < all.length; at += by) if (all[at].checkVisibility()) return all[at];
    return element;
  }

  function listen(pane) {
    const option = (event) => event.target.closest('[role="option"]');
    const read = (element) => (pane === paper ? { sentence: Number(element.dataset.sentence), run: null } : { sentence: runs[element.dataset.run][2], run: Number(element.dataset.run) });
    const take = (element) => {
      const { sentence, run } = read(element);
      if (sentence !== shown.sentence || (run !== null && run !== shown.run)) choose(sentence, { run, from: pane });
    };
    pane.addEventListener("click", (event) => { const element = option(event); if (element) { element.focus({ preventScroll: true }); take(element); } });
    pane.addEventListener("focusin", (event) => { const element = option(event); if (element && element.matches(":focus-visible")) take(element); });
    let timer;
    const leave = () => { clearTimeout(timer); if (hovered !== null && hovered !== shown.sentence) mark(hovered, false); hovered = null; };
    pane.addEventListener("pointerover", (event) => {
      const element = option(event);
      leave();
      if (!element || event.pointerType === "touch") return;
      const { sentence } = read(element);
      hovered = sentence;
      mark(sentence, true);
      timer = setTimeout(() => {
        const other = pane === paper ? runElements[runsOf[sentence][0]] : sentenceElements[sentence];
        if (other) bring(pane === paper ? talk : paper, other);
      }, DWELL);
    });
    pane.addEventListener("pointerleave", leave);
    pane.addEventListener("keydown", (event) => {
      const element = option(event);
      if (!element || event.ctrlKey || event.metaKey || event.altKey) return;
      const all = pane === paper ? sentenceElements : runElements;
      const to = {
        ArrowDown: () => next(pane, element, 1), ArrowRight: () => next(pane, element, 1),
        ArrowUp: () => next(pane, element, -1), ArrowLeft: () => next(pane, element, -1),
        Home: () => all.find((one) => one.checkVisibility()), End: () => all.findLast((one) => one.checkVisibility()),
        Enter: () => (pane === paper ? runElements[shown.run] : sentenceElements[shown.sentence]), " ": () => (pane === paper ? runElements[shown.run] : sentenceElements[shown.sentence]),
      }[event.key];
      if (!to) return;
      event.preventDefault();
      const target = to();
      if (!target) return;
      target.focus({ preventScroll: true });
      bring(paper.contains(target) ? paper : talk, target);
    });
  }

  buildPaper();
  buildTalk();
  buildBudgets();
  facts();
  listen(paper);
  listen(talk);
  addEventListener("hashchange", restore);
  restore();
})();
