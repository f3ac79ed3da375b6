"use strict";
// Figures 2 and 3: ROUGE-L of extraction alone, and log-perplexity by input length.
(() => {
  const { extraction, lengths } = silverloom.data.figures;
  const place = document.getElementById("extraction"), below = document.getElementById("lengths");

  function bars() {
    const y = { field: "name", type: "nominal", sort: null, title: null, axis: { labelLimit: 320 } };
    const tooltip = [{ field: "name" }, { field: "mean", title: "ROUGE-L F1", format: ".1f" }, { field: "low", format: ".1f" }, { field: "high", format: ".1f" }];
    const kinds = { domain: ["extraction alone", "the chosen model", "the paper"], range: ["former", "kept-fill", "dropped-fill"].map(silverloom.color) };
    return {
      width: "container", height: { step: 22 }, data: { values: extraction },
      layer: [
        { mark: { type: "bar", height: 12 },
          encoding: {
            y, tooltip, x: { field: "mean", type: "quantitative", title: "ROUGE-L F1" },
            color: { field: "kind", type: "nominal", legend: null, scale: kinds },
          } },
        { transform: [{ filter: "isValid(datum.low)" }], mark: { type: "rule", color: silverloom.color("text") }, encoding: { y, x: { field: "low", type: "quantitative" }, x2: { field: "high" } } },
      ],
    };
  }

  function lines() {
    const x = { field: "length", type: "quantitative", title: "L, input sub-words", scale: { type: "log", nice: false, padding: 12 }, axis: { tickCount: 6, grid: false } };
    const y = { field: "mean", type: "quantitative", title: "log-perplexity", scale: { zero: false }, axis: { tickCount: 6 } };
    const color = { field: "architecture", type: "nominal", legend: { columns: Math.max(1, Math.floor(below.clientWidth / 190)), orient: "bottom" } };
    const tooltip = [{ field: "architecture" }, { field: "of" }, { field: "length", title: "L" }, { field: "mean", title: "log-perplexity", format: ".3f" }];
    const part = (of, mark) => ({ transform: [{ filter: { field: "of", equal: of } }], mark, encoding: { x, y, color, tooltip } });
    return {
      width: "container", height: 300, data: { values: lengths },
      layer: [
        part("ours", { type: "line", point: { filled: true, size: 60 } }),
        part("the paper", { type: "line", strokeDash: [5, 4], point: { filled: false, fill: silverloom.color("card"), size: 60 } }),
        { transform: [{ filter: { field: "of", equal: "ours" } }], mark: { type: "rule" }, encoding: { x, color, y: { field: "low", type: "quantitative" }, y2: { field: "high" } } },
      ],
    };
  }

  const described = (rows, name) => rows.map((row) => `${name(row)} ${row.mean.toFixed(2)}`).join(", ");
  if (place) silverloom.chart(place, bars, `ROUGE-L F1: ${described(extraction, (row) => row.name)}`);
  if (below) silverloom.chart(below, lines, `Log-perplexity: ${described(lengths, (row) => `${row.architecture} at L ${row.length} (${row.of})`)}`);
})();
