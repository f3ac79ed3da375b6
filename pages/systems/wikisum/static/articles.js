"use strict";
// The list of articles.
(() => {
  const { el, number } = silverloom;
  const columns = [
    ["title", "article", (entry) => entry.title.toLowerCase()],
    ["partition", "partition", (entry) => entry.partition],
    ["split", "split", (entry) => entry.split ?? (entry.lost ? `~ ${entry.lost}` : `~ ${entry.why}`)],
    ["cited", "cited pages", (entry) => entry.cited, "n"],
    ["candidates", "candidates", (entry) => entry.candidates, "n"],
    ["left_out", "left out", (entry) => entry.left_out, "n"],
    ["paragraphs", "paragraphs", (entry) => entry.paragraphs, "n"],
    ["filtered", "dropped paragraphs", (entry) => entry.filtered, "n"],
    ["lead", "lead words", (entry) => entry.lead, "n"],
    ["rougeL", "best ROUGE-L F1", (entry) => entry.rougeL ?? undefined, "n"],
  ];

  function row(entry) {
    const title = entry.title || entry.id;
    const head = el("th", { scope: "row" }, entry.page ? el("a", { href: `articles/${entry.id}.html` }, title) : title, entry.page || entry.lost ? null : el("div", { class: "quiet" }, "no page"));
    if (entry.lost) {
      return el("tr", {}, head, el("td", {}, entry.partition),
        el("td", { colspan: columns.length - 2, class: "wide" }, el("span", { class: "dropped" }, `lost: ${entry.lost}`), el("div", { class: "quiet" }, entry.detail, " · in ", el("a", { href: silverloom.address(entry.dataset) }, entry.dataset))));
    }
    const split = entry.split ?? el("span", { class: "quiet" }, entry.why ? `no example: ${entry.why}` : "no example");
    return el("tr", {}, head, el("td", {}, entry.partition), el("td", {}, split),
      ...["cited", "candidates", "left_out", "paragraphs", "filtered", "lead"].map((name) => el("td", { class: "n" }, number(entry[name]))),
      el("td", { class: "n" }, entry.rougeL == null ? "–" : (100 * entry.rougeL).toFixed(1)));
  }

  const shown = {
    kept: (entry) => !entry.lost,
    lost: (entry) => Boolean(entry.lost),
    written: (entry) => entry.rougeL != null,
  };
  silverloom.list(document.getElementById("articles"), silverloom.data, {
    columns, sorted: "partition", rising: ["title", "partition", "split"], row,
    said: (entry) => `${entry.title} ${entry.split ?? ""} ${entry.why ?? ""} ${entry.lost ?? ""} ${entry.detail ?? ""} ${entry.id}`,
    fits: (entry, choice) => shown[choice](entry),
  });
})();
