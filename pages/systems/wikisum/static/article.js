"use strict";
// An article: its paragraphs in a ranker's order, where the input ends, and how much of the lead is in it.
(() => {
  const { el, number, data, visible } = silverloom;
  const { lead, paragraphs, rankings, inputs } = data;
  const byId = (id) => document.getElementById(id);
  const set = byId("set"), ranker = byId("ranker"), list = byId("paragraphs"), more = byId("more");
  /** Paragraphs after the end of the input that are shown at first. */
  const BEHIND = 5;
  /** Rankers whose scores are just descending numbers, so that only ranks are shown. */
  const ORDERS = ["identity", "sum_basic"];
  const readable = (name) => name.replaceAll("_", "-");
  const times = (count, what) => `${number(count)} ${what}${count === 1 ? "" : "s"}`;
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const input = () => inputs[Number(set.value)];
  const ranking = (name) => rankings.find((one) => one.corpus === input().corpus && one.ranker === name);
  const ofCorpus = (corpus) => rankings.filter((one) => one.corpus === corpus);
  let all = false;

  function score(one, at) {
    const rank = `${number(one.ranks[at] + 1)}`;
    return ORDERS.includes(one.ranker) ? rank : `${rank} (${one.scores[at].toPrecision(3)})`;
  }

  /** A paragraph: its reference, text, and rank by each ranker. `inside` is how many of its characters are in the input. */
  function paragraph(at, chosen, inside, end) {
    const { reference, position, text, length } = paragraphs[at];
    const others = ofCorpus(chosen.corpus).filter((one) => one.ranks[at] !== null);
    const rest = length > text.length ? el("p", { class: "quiet" }, `The first ${number(text.length)} of ${number(length)} characters.`) : null;
    const parts = inside > 0 && inside < text.length
      ? [el("p", { class: "text", dir: "auto" }, visible(text.slice(0, inside))), end(), el("p", { class: "text beyond", dir: "auto" }, visible(text.slice(inside))), rest]
      : [silverloom.text(text, "", length)];
    return el("li", { class: inside ? "inside" : "outside", value: chosen.ranks[at] + 1 },
      el("p", { class: "head" }, el("b", {}, `${number(chosen.ranks[at] + 1)}.`),
        reference ? el("a", { href: `#reference-${reference}` }, `reference ${number(reference)}, paragraph ${number(position + 1)}`) : `paragraph ${number(position + 1)}`),
      ...parts,
      el("p", { class: "ranks" }, ...others.map((one) => el("span", { class: one === chosen ? "chosen" : null }, `${readable(one.ranker)} ${score(one, at)}`))));
  }

  const gap = (count) => el("li", { class: "gap quiet" }, `${times(count, "paragraph")} not on this page`);
  const line = (...children) => el("li", { class: "line" }, ...children);

  function drawParagraphs(chosen, cut) {
    const held = paragraphs.map((_, at) => at).filter((at) => chosen.ranks[at] !== null).sort((a, b) => chosen.ranks[a] - chosen.ranks[b]);
    const inside = cut ? cut.paragraphs : chosen.size;
    const end = () => el("p", { class: "end", role: "note" }, `the input ends here: ${number(input().tokens)} sub-words`);
    const cuts = cut && (cut.paragraphs < chosen.size || cut.characters !== null);
    const items = [];
    let next = 0, ended = !cuts, left = 0;
    /** Add what comes before a rank: gaps for paragraphs not on this page, and the end of the input. */
    const pass = (rank) => {
      if (!ended && rank >= inside) {
        if (inside > next) { items.push(gap(inside - next)); next = inside; }
        items.push(line(end()));
        ended = true;
      }
      if (rank > next) items.push(gap(rank - next));
    };
    for (const at of held) {
      const rank = chosen.ranks[at];
      if (!all && rank >= inside + BEHIND) { left++; continue; }
      pass(rank);
      const last = cuts && rank === inside - 1 && cut.characters !== null;
      const within = last ? Math.min(cut.characters, paragraphs[at].length) : Infinity;
      items.push(paragraph(at, chosen, rank < inside ? within : 0, end));
      if (last) { if (within >= paragraphs[at].text.length) items.push(line(end())); ended = true; }
      next = rank + 1;
    }
    pass(left ? Math.max(next, inside) : chosen.size);
    list.replaceChildren(...(held.length ? items : [line(el("p", {}, "This corpus has no paragraphs."))]));
    more.hidden = left === 0;
    more.textContent = `Show ${times(left, "paragraph")} more`;
  }

  /** The lead, with its words marked by their signs; consecutive words with the same sign share a mark. */
  function drawLead(cut) {
    const place = byId("lead");
    if (!place) return;
    const sign = (word) => cut?.marks[word] ?? "0";
    const nodes = [visible(lead.pieces[0] ?? "")], words = (lead.pieces.length - 1) / 2;
    for (let word = 0; word < words;) {
      let end = word, text = lead.pieces[2 * word + 1];
      while (end + 1 < words && sign(word) !== "1" && sign(end + 1) === sign(word)) { end++; text += lead.pieces[2 * end] + lead.pieces[2 * end + 1]; }
      nodes.push(sign(word) === "0" ? visible(text) : el("mark", { class: sign(word) === "2" ? "bigram" : "word" }, visible(text)), visible(lead.pieces[2 * end + 2]));
      word = end + 1;
    }
    place.replaceChildren(...nodes, words < lead.words ? el("span", { class: "quiet" }, ` … first ${number(words)} of ${number(lead.words)} words`) : "");
    const legend = document.querySelector(".legend");
    legend.replaceChildren(...(cut ? ["Marked words are in the input: ", el("mark", { class: "bigram" }, "as part of a bigram"), " or ", el("mark", {}, "alone"), ". The title does not count."] : []));
  }

  function describe(chosen, cut) {
    const one = input(), place = byId("cut");
    place.textContent = "";
    if (cut) {
      const whole = cut.characters === null && cut.paragraphs === chosen.size;
      place.append(`${one.target === "lead" ? "Title and paragraphs" : "Title and paragraphs for the whole article"}, at most ${number(one.tokens)} sub-words: ${whole ? `all ${times(chosen.size, "paragraph")}` : `${number(cut.paragraphs)} of ${times(chosen.size, "paragraph")}`}, ${times(cut.words, "word")}. `);
      if (lead.words) place.append(el("b", {}, `${percent(cut.recall)} of the lead's bigrams`), " are in the input. ");
      if (one.ranker !== chosen.ranker) place.append(`The set itself uses the order of ${readable(one.ranker)}. `);
      if (one.example) place.append(el("a", { href: `${silverloom.address("wikisum/examples", "lineage")}#${encodeURIComponent(one.example)}` }, "the example"));
    }
    const note = byId("note");
    note.hidden = !chosen.note;
    note.textContent = chosen.note ? `${readable(chosen.ranker)}: ${chosen.note}` : "";
  }

  function draw() {
    const chosen = ranking(ranker.value);
    if (!chosen) { list.replaceChildren(line(el("p", {}, "No ranker ran over this corpus."))); return; }
    const cut = input().cuts?.[chosen.ranker];
    describe(chosen, cut);
    drawLead(cut);
    drawParagraphs(chosen, cut);
  }

  /** List the rankers of the chosen set's corpus. Choose `wanted` if it is one of them, else the set's own ranker. */
  function fill(wanted) {
    const { corpus, ranker: own } = input(), names = ofCorpus(corpus).map((one) => one.ranker);
    ranker.replaceChildren(...names.map((name) => el("option", { value: name }, readable(name) + (name === own && input().set ? " (used by the set)" : ""))));
    ranker.value = names.includes(wanted) ? wanted : names.includes(own) ? own : names[0] ?? "";
    all = false;
    draw();
  }

  function store() {
    const state = { set: set.value === "0" ? "" : input().set ?? input().corpus, ranker: ranker.value === input().ranker ? "" : ranker.value };
    const hash = new URLSearchParams(Object.entries(state).filter(([, value]) => value));
    history.replaceState(null, "", `#${hash}`);
  }

  function restore() {
    const hash = new URLSearchParams(location.hash.slice(1));
    const wanted = inputs.findIndex((one) => (one.set ?? one.corpus) === hash.get("set"));
    set.value = String(Math.max(wanted, 0));
    fill(hash.get("ranker"));
  }

  set.append(...inputs.map((one, at) => el("option", { value: at }, one.set ? `set ${one.set}: ${one.corpus}, ${number(one.tokens)} sub-words` : `corpus ${one.corpus}`)));
  set.addEventListener("change", () => { fill(null); store(); });
  ranker.addEventListener("change", () => { all = false; draw(); store(); });
  more.addEventListener("click", () => { all = true; draw(); list.querySelector("li.outside a")?.focus(); });
  addEventListener("hashchange", () => { if (/^#(set|ranker)=/.test(location.hash)) restore(); });
  restore();
})();
