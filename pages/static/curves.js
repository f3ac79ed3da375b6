"use strict";
// Learning curves of the models of a page: a chart for each metric.
(() => {
  const { models } = silverloom.data;
  const FEW_POINTS = 60;

  function curve(model, chart) {
    const points = chart.points.map(([step, epoch, value, line]) => ({ step, epoch, value, line }));
    const best = points.filter((point) => point.step === model.best_step && point.line === "validation");
    return () => ({
      width: "container", height: 180, encoding: {
        x: { field: "step", type: "quantitative", title: "step", scale: { zero: false }, axis: { tickMinStep: 1, tickCount: 5 } },
        y: { field: "value", type: "quantitative", title: null, scale: { zero: false }, axis: { tickCount: 4 } },
      },
      layer: [
        { data: { values: points }, mark: { type: "line", strokeWidth: 2, point: points.length <= FEW_POINTS && { filled: true, size: 36 } },
          encoding: {
            color: { field: "line", type: "nominal", scale: { domain: ["training", "validation"], range: [silverloom.color("former"), silverloom.color("kept-fill")] } },
            tooltip: [{ field: "step" }, { field: "epoch" }, { field: "line" }, { field: "value", format: ".4f" }],
          } },
        ...(model.best_step ? [{ data: { values: [{ step: model.best_step }] }, mark: { type: "rule", color: silverloom.color("text"), strokeDash: [4, 3] }, encoding: { y: null } }] : []),
        { data: { values: best }, mark: { type: "point", size: 110, strokeWidth: 2, color: silverloom.color("text") } },
      ],
    });
  }

  /** Charts are drawn when first opened, because there may be dozens. */
  function draw(details) {
    const model = models[Number(details.dataset.model)];
    if (details.dataset.drawn) return;
    details.dataset.drawn = "yes";
    for (const place of details.querySelectorAll("[data-chart]")) {
      const chart = model.charts[Number(place.dataset.chart)];
      const ends = chart.points.filter(([, , , line]) => line === "validation").map(([, , value]) => value);
      const range = ends.length ? `, validation from ${ends[0].toPrecision(4)} to ${ends.at(-1).toPrecision(4)}` : "";
      silverloom.chart(place, curve(model, chart), `${chart.metric} of ${model.model} by step${range}; best step ${model.best_step ?? "unknown"}`);
    }
  }
  for (const details of document.querySelectorAll("details.model")) {
    details.addEventListener("toggle", () => { if (details.open) draw(details); });
    if (details.open) draw(details);
  }
})();
