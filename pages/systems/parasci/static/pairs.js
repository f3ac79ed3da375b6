"use strict";
// Pairs of one method and outcome, loaded on demand. The choice is kept in the URL.
(() => {
  const { el, number } = silverloom, listed = silverloom.data, loaded = new Map(), MOST = 200;
  if (!listed.length) return;
  const [origin, fate, order, text] = ["origin", "fate", "order", "text"].map((name) => document.getElementById(name));
  const place = document.getElementById("pairs"), found = document.getElementById("found");
  const names = { kept: "a paraphrase", consistency: "dropped by predicted consistency", length_rate: "dropped by PLR", self_bleu: "dropped as a near copy", well_formed: "dropped as garbled", repeated: "dropped because a sentence is in better pairs", not_drawn: "not drawn" };

  /** Called by the script of a method and an outcome. */
  silverloom.pairs = (content) => loaded.set(content.script, content.pairs);

  const of = (name) => listed.filter((entry) => entry.origin === name);
  const options = (values, select) => select.replaceChildren(...values.map(([value, label]) => el("option", { value }, label)));
  const choose = (select, value) => { if ([...select.options].some((option) => option.value === value)) select.value = value; };
  const fates = () => options(of(origin.value).map((entry) => [entry.fate, `${names[entry.fate]} (${number(entry.total)})`]), fate);

  function restore() {
    const hash = new URLSearchParams(location.hash.slice(1));
    choose(origin, hash.get("origin"));
    fates();
    choose(fate, hash.get("fate"));
    choose(order, hash.get("order"));
    text.value = hash.get("text") ?? "";
    load();
  }

  function store() {
    history.replaceState(null, "", `#${new URLSearchParams({ origin: origin.value, fate: fate.value, order: order.value, ...(text.value ? { text: text.value } : {}) })}`);
    load();
  }

  function load() {
    const entry = of(origin.value).find((one) => one.fate === fate.value);
    if (loaded.has(entry.script)) { draw(entry); return; }
    const script = el("script", { src: silverloom.root + entry.script });
    script.addEventListener("load", () => { if (fate.value === entry.fate && origin.value === entry.origin) draw(entry); });
    script.addEventListener("error", () => { found.textContent = `These pairs cannot be loaded: ${entry.script} is missing.`; place.replaceChildren(); });
    document.head.append(script);
  }

  function draw(entry) {
    const query = text.value.toLowerCase(), pairs = loaded.get(entry.script);
    const fit = pairs.filter((pair) => pair.difference.map(([, words]) => words).join("").toLowerCase().includes(query));
    fit.sort((one, other) => order.value === "length_rate" ? other.length_rate - one.length_rate : other[order.value] - one[order.value]);
    found.textContent = `${number(fit.length)} of ${number(entry.total)} pairs${entry.shown < entry.total ? `; ${number(entry.shown)} are on this page, chosen by the hash of their ids` : ""}.`;
    place.replaceChildren(...fit.slice(0, MOST).map((pair) => card(pair, entry.fate)));
  }

  function card(pair, why) {
    const facts = [["consistency", pair.consistency.toFixed(2)], ["BERTScore F1", pair.f1.toFixed(4)], ["lower of precision and recall", pair.least.toFixed(4)], ["weakest match", pair.weakest.toFixed(4)], ["PLR", pair.length_rate.toFixed(2)], ["Self-BLEU", pair.self_bleu.toFixed(1)], ["well-formed", pair.well_formed.toFixed(2)], ["covered words", `${Math.round(100 * pair.covered_words)} %`], ["numbers", pair.numbers.toFixed(2)], ["names", pair.names.toFixed(2)], ["cosine", pair.cosine.toFixed(3)], ["split", pair.split], ["in common", pair.keys.join(", ")], ["papers", pair.papers.length > 1 ? pair.papers.join(", ") : null]];
    return el("article", { class: `card row pair ${why === "kept" ? "kept" : "dropped"}-row`, "aria-label": `pair ${pair.id}` },
      silverloom.diff(pair.difference),
      el("dl", { class: "facts" }, ...facts.filter(([, value]) => value).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", { dir: "auto" }, silverloom.visible(value))))),
      el("p", { class: "quiet mono names" }, el("a", { href: `${silverloom.address("parasci/paraphrases", "lineage")}#${encodeURIComponent(pair.id)}` }, "lineage"), ` ${pair.id}`));
  }

  options([...new Set(listed.map((entry) => entry.origin))].map((name) => [name, name]), origin);
  origin.addEventListener("change", () => { fates(); store(); });
  for (const select of [fate, order]) select.addEventListener("change", store);
  text.addEventListener("input", store);
  document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", restore);
  restore();
})();
