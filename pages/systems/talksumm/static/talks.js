"use strict";
// The list of talks.
(() => {
  const { el, number } = silverloom;
  const covered = (one) => (one.states ? one.covered / one.states : undefined);
  const columns = [
    ["title", "talk", (one) => one.title.toLowerCase()],
    ["paper", "paper", (one) => one.paper?.toLowerCase() ?? `~ ${one.why}`],
    ["partition", "partition", (one) => one.partition],
    ["minutes", "minutes", (one) => one.minutes ?? undefined, "n"],
    ["words", "words", (one) => one.words, "n"],
    ["states", "states", (one) => one.states, "n"],
    ["covered", "states covered", covered],
    ["similarity", "title similarity", (one) => one.similarity, "n"],
  ];

  function row(one) {
    const link = one.page ? el("a", { href: `talks/${one.id}.html` }, one.title || one.id) : one.title || one.id;
    if (one.outcome !== "kept") {
      const why = el("td", { colspan: 1, class: "wide" }, el("span", { class: one.outcome }, `${one.outcome}: ${one.why}`), one.detail ? el("div", { class: "quiet" }, one.detail) : null, el("div", { class: "quiet" }, "in ", el("a", { href: silverloom.address(one.dataset) }, one.dataset)));
      return el("tr", {}, el("th", { scope: "row" }, one.title || one.id), why, el("td", {}, one.partition), ...columns.slice(3).map(() => el("td", { class: "n quiet" }, "–")));
    }
    const share = covered(one);
    return el("tr", {},
      el("th", { scope: "row" }, link, one.page ? null : el("div", { class: "quiet" }, "no page")),
      el("td", { class: "wide" }, one.paper || "without a title", one.paper_partition === one.partition ? null : el("div", { class: "quiet" }, `of ${one.paper_partition}`)),
      el("td", {}, one.partition),
      el("td", { class: "n" }, one.minutes == null ? "–" : one.minutes.toFixed(1)),
      el("td", { class: "n" }, number(one.words)),
      el("td", { class: "n" }, number(one.states)),
      el("td", {}, share === undefined ? el("span", { class: "quiet" }, "no alignment") : el("span", { class: "cover", "aria-hidden": "true" }, el("span", { style: `width:${(100 * share).toFixed(1)}%` })), share === undefined ? null : `${number(one.covered)} (${Math.round(100 * share)} %)`),
      el("td", { class: "n" }, one.similarity.toFixed(2)));
  }

  silverloom.list(document.getElementById("talks"), silverloom.data, {
    columns, sorted: "partition", rising: ["title", "paper", "partition"], row,
    said: (one) => `${one.title} ${one.paper ?? ""} ${one.why ?? ""} ${one.detail ?? ""} ${one.id}`,
    fits: (one, choice) => (choice === "kept") === (one.outcome === "kept"),
  });
})();
