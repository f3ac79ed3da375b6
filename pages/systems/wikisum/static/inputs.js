"use strict";
// Percentiles of sizes, ours and the paper's, and clones by length.
(() => {
  const { percentiles, clones } = silverloom.data, { number } = silverloom;
  const POWERS = [0, ...Array.from({ length: 8 }, (_, power) => 10 ** power)];
  const SHORT = "datum.value >= 1e6 ? datum.value / 1e6 + 'M' : datum.value >= 1e3 ? datum.value / 1e3 + 'k' : datum.value";
  const WHOSE = { value: "this corpus", published: "the paper" };

  function lines(rows) {
    const values = rows.flatMap((row) => Object.entries(WHOSE).filter(([name]) => row[name] !== null).map(([name, whose]) => ({ percentile: row.percentile, whose, size: row[name] })));
    return () => ({
      width: "container", height: 170, data: { values },
      encoding: {
        x: { field: "percentile", type: "quantitative", title: "percentile", scale: { domain: [20, 100] }, axis: { values: [20, 40, 60, 80, 100] } },
        // 0 has no logarithm
        y: { field: "size", type: "quantitative", title: null, scale: { type: "symlog" }, axis: { labelExpr: SHORT, values: POWERS, labelOverlap: true } },
        color: { field: "whose", type: "nominal", scale: { domain: Object.values(WHOSE), range: [silverloom.color("kept-fill"), silverloom.color("text")] } },
        strokeDash: { field: "whose", type: "nominal", scale: { domain: Object.values(WHOSE), range: [[1, 0], [5, 4]] } },
        tooltip: [{ field: "whose", title: " " }, { field: "percentile" }, { field: "size", format: "," }],
      },
      mark: { type: "line", strokeWidth: 2, point: { filled: true, size: 40 } },
    });
  }

  function bars() {
    const values = clones.flatMap((row) => {
      const length = row.words_to === null ? "more" : `to ${number(row.words_to)}`;
      return [{ length, kind: "clones", pages: row.clones }, { length, kind: "others", pages: row.candidates - row.clones }];
    });
    return () => ({
      width: "container", height: { step: 24 }, data: { values }, mark: "bar",
      encoding: {
        y: { field: "length", type: "nominal", sort: null, title: "words of the page" },
        x: { field: "pages", type: "quantitative", title: "candidates", axis: { tickMinStep: 1, tickCount: 5 } },
        color: { field: "kind", type: "nominal", scale: { domain: ["clones", "others"], range: [silverloom.color("dropped-fill"), silverloom.color("former")] } },
        tooltip: [{ field: "length", title: "words" }, { field: "kind", title: " " }, { field: "pages" }],
      },
    });
  }

  for (const place of document.querySelectorAll("[data-percentiles]")) {
    const rows = percentiles[place.dataset.percentiles], name = place.parentElement.getAttribute("aria-label");
    const said = rows.map((row) => `${row.percentile} %: ${row.value === null ? "unknown" : number(row.value)}, the paper ${number(row.published)}`);
    silverloom.chart(place, lines(rows), `${name} by percentile: ${said.join("; ")}`);
  }
  const place = document.getElementById("clone-chart");
  if (place) silverloom.chart(place, bars(), `Clones by length: ${clones.map((row) => `up to ${row.words_to === null ? "any number of" : number(row.words_to)} words ${row.clones} of ${row.candidates}`).join("; ")}`);
})();
