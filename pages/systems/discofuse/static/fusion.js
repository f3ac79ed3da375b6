"use strict";
// Confusions of connectives and pronouns as heat maps.
(() => {
  function heatMap({ columns, rows }, gold) {
    const cells = rows.flatMap((row) => columns.map((output, at) => ({ gold: row.gold, output, share: row.shares[at], examples: row.examples })));
    return () => ({
      width: { step: 34 }, height: { step: 24 },
      data: { values: cells },
      encoding: {
        x: { field: "output", type: "nominal", sort: null, title: "in the fusion", axis: { orient: "top", labelAngle: -60, domain: false, ticks: false } },
        y: { field: "gold", type: "nominal", sort: null, title: `gold ${gold}`, axis: { domain: false, ticks: false } },
        tooltip: [{ field: "gold" }, { field: "output", title: "in the fusion" }, { field: "share", format: ".1%" }, { field: "examples" }],
      },
      layer: [
        { mark: { type: "rect", stroke: silverloom.color("line"), strokeWidth: 0.5 },
          encoding: { color: { field: "share", type: "quantitative", scale: { domain: [0, 1], range: [silverloom.color("card"), silverloom.color("kept-fill")], interpolate: "rgb" }, legend: { format: ".0%", gradientLength: 160, tickCount: 3 } } } },
      ],
    });
  }

  for (const place of document.querySelectorAll("[data-matrix]")) {
    const { matrix: gold, at } = place.dataset;
    const matrix = silverloom.data.matrices[gold][Number(at)];
    const right = matrix.rows.map((row) => `${row.gold} ${Math.round(100 * (row.shares[matrix.columns.indexOf(row.gold)] ?? 0))} %`);
    silverloom.chart(place, heatMap(matrix, gold), `What fusions have in place of each gold ${gold}; share with the same ${gold}: ${right.join(", ")}`);
  }
})();
