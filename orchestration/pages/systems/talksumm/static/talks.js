"use strict";
// The list of talks: sorted by a column, filtered by text; both stand in the address.
(() => {
  const { el, number } = silverloom, entries = silverloom.data, step = 200;
  const covered = (one) => (one.states ? one.covered / one.states : undefined);
  const columns = [
    ["title", "talk", (one) => one.title.toLowerCase()],
    ["paper", "paper", (one) => one.paper?.toLowerCase() ?? `~ ${one.why}`],
    ["month", "month", (one) => one.month],
    ["minutes", "minutes", (one) => one.minutes ?? undefined, "n"],
    ["words", "words", (one) => one.words, "n"],
    ["states", "states", (one) => one.states, "n"],
    ["covered", "states that the talk comes to", covered],
    ["similarity", "similarity of titles", (one) => one.similarity, "n"],
  ];
  const text = document.getElementById("text"), outcome = document.getElementById("outcome");
  const table = document.getElementById("talks"), before = document.getElementById("before"), after = document.getElementById("after");
  let sort = "month", down = false, at = 0;

  function restore() {
    const hash = new URLSearchParams(location.hash.slice(1));
    text.value = hash.get("text") ?? "";
    outcome.value = hash.get("show") ?? "";
    if (outcome.selectedIndex < 0) outcome.value = "";
    sort = columns.some(([name]) => name === hash.get("sort")) ? hash.get("sort") : "month";
    down = hash.get("down") === "1";
    at = Number.parseInt(hash.get("at"), 10) || 0;
    draw();
  }

  function store() {
    const state = { text: text.value, show: outcome.value, sort: sort === "month" ? "" : sort, down: down ? "1" : "", at: at ? String(at) : "" };
    const hash = new URLSearchParams(Object.entries(state).filter(([, value]) => value));
    history.replaceState(null, "", `#${hash}`);
    draw();
  }

  function row(one) {
    const link = one.page ? el("a", { href: `talks/${one.id}.html` }, one.title || one.id) : one.title || one.id;
    if (one.outcome !== "kept") {
      const why = el("td", { colspan: 1, class: "wide" }, el("span", { class: one.outcome }, `${one.outcome}: ${one.why}`), one.detail ? el("div", { class: "quiet" }, one.detail) : null, el("div", { class: "quiet" }, "in ", el("a", { href: silverloom.address(one.dataset) }, one.dataset)));
      return el("tr", {}, el("th", { scope: "row" }, one.title || one.id), why, el("td", {}, one.month), ...columns.slice(3).map(() => el("td", { class: "n quiet" }, "–")));
    }
    const share = covered(one);
    return el("tr", {},
      el("th", { scope: "row" }, link, one.page ? null : el("div", { class: "quiet" }, "no page")),
      el("td", { class: "wide" }, one.paper || "without a title", one.paper_month === one.month ? null : el("div", { class: "quiet" }, `of ${one.paper_month}`)),
      el("td", {}, one.month),
      el("td", { class: "n" }, one.minutes == null ? "–" : one.minutes.toFixed(1)),
      el("td", { class: "n" }, number(one.words)),
      el("td", { class: "n" }, number(one.states)),
      el("td", {}, share === undefined ? el("span", { class: "quiet" }, "no alignment") : el("span", { class: "cover", "aria-hidden": "true" }, el("span", { style: `width:${(100 * share).toFixed(1)}%` })), share === undefined ? null : `${number(one.covered)} (${Math.round(100 * share)} %)`),
      el("td", { class: "n" }, one.similarity.toFixed(2)));
  }

  function found() {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (one) => {
      if (outcome.value && (outcome.value === "kept") !== (one.outcome === "kept")) return false;
      const all = `${one.title} ${one.paper ?? ""} ${one.why ?? ""} ${one.detail ?? ""} ${one.id}`.toLowerCase();
      return words.every((word) => all.includes(word));
    };
    const value = columns.find(([name]) => name === sort)[2], sign = down ? -1 : 1;
    const keyed = entries.filter(fits).map((one, index) => [value(one), index, one]);
    return keyed.sort(([a, i], [b, j]) => {
      if (a === undefined || b === undefined) return a === b ? i - j : a === undefined ? 1 : -1;  // unknown ones last
      return (a < b ? -sign : a > b ? sign : i - j);
    }).map(([, , one]) => one);
  }

  function draw() {
    const rows = found();
    at = Math.max(0, Math.min(at, step * Math.floor((rows.length - 1) / step)));
    const head = columns.map(([name, label, , kind]) => {
      const button = el("button", { type: "button", class: "sort", "data-sort": name }, label, sort === name ? (down ? " ▼" : " ▲") : "");
      return el("th", { scope: "col", class: kind, "aria-sort": sort === name ? (down ? "descending" : "ascending") : null }, button);
    });
    const focused = document.activeElement?.dataset?.sort;
    table.replaceChildren(el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows.slice(at, at + step).map(row)));
    if (focused) table.querySelector(`[data-sort="${focused}"]`).focus();
    before.hidden = at === 0;
    after.hidden = at + step >= rows.length;
    document.getElementById("count").textContent = rows.length > step ? `${number(at + 1)} to ${number(Math.min(at + step, rows.length))} of ${number(rows.length)}` : `${number(rows.length)} shown`;
  }

  table.addEventListener("click", (event) => {
    const name = event.target.closest("[data-sort]")?.dataset.sort;
    if (!name) return;
    [sort, down, at] = [name, sort === name ? !down : name !== "title" && name !== "paper" && name !== "month", 0];
    store();
  });
  text.addEventListener("input", () => { at = 0; store(); });
  outcome.addEventListener("change", () => { at = 0; store(); });
  const turn = (by) => { at += by; store(); table.closest(".scroll").focus(); table.scrollIntoView({ block: "start" }); };
  before.addEventListener("click", () => turn(-step));
  after.addEventListener("click", () => turn(step));
  document.getElementById("filter").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", restore);
  restore();
})();
