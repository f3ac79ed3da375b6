"use strict";
// Vega-Lite charts in the page's colours.
(() => {
  const outcomes = ["kept", "dropped", "rejected"];

  function config() {
    const text = silverloom.color("quiet"), line = silverloom.color("line");
    return {
      background: "transparent", font: "system-ui, DejaVu Sans, sans-serif",
      view: { stroke: null },
      axis: { labelColor: text, titleColor: text, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", labelLimit: 260 },
      legend: { labelColor: text, titleColor: text, labelFontSize: 12, titleFontSize: 12, orient: "top", title: null },
      header: { labelColor: text, titleColor: text },
    };
  }

  /**
   * Draw a Vega-Lite specification into an element, and redraw it when the theme changes. `spec` may be a function.
   * `element.drawing` is vegaEmbed's promise for the current drawing.
   */
  silverloom.chart = (element, spec, description) => {
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", description);
    const draw = () => {
      const full = { $schema: "https://vega.github.io/schema/vega-lite/v6.json", description, ...(typeof spec === "function" ? spec() : spec), config: config() };
      return element.drawing = vegaEmbed(element, full, { actions: false, renderer: "svg", tooltip: { theme: document.documentElement.dataset.theme } });
    };
    silverloom.onTheme(draw);
    return draw();
  };

  /** Colours of the three outcomes. */
  silverloom.outcomeScale = () => ({ domain: outcomes, range: outcomes.map((name) => silverloom.color(`${name}-fill`)) });

  const label = (value) => value >= 1000 ? `${value / 1000}k` : String(value);

  /** Bins of a histogram, with each one's share of all values. */
  function bins(measure) {
    const sum = measure.counts.reduce((one, other) => one + other, 0) || 1;
    return measure.counts.map((rows, index) => ({
      bin: index, rows, share: rows / sum,
      range: `${label(measure.edges[index])} to ${label(measure.edges[index + 1])}`, from: label(measure.edges[index]),
    }));
  }

  function measureChart(measure) {
    const found = bins(measure), used = found.filter((bin) => bin.rows).map((bin) => bin.bin);
    const [first, last] = [Math.min(...used), Math.max(...used)];
    const inside = (bin) => bin.bin >= first && bin.bin <= last;
    const x = { field: "from", type: "ordinal", sort: null, axis: { title: `${measure.name}, from`, labelAngle: 0, labelOverlap: true } };
    const y = { field: "share", type: "quantitative", axis: { title: "share of values", format: "%", tickCount: 4 } };
    const tooltip = [{ field: "range", title: measure.name }, { field: "rows" }, { field: "share", format: ".1%" }];
    return () => ({
      width: "container", height: 150, encoding: { x, y, tooltip },
      data: { values: found.filter(inside) }, mark: { type: "bar", color: silverloom.color("kept-fill") },
    });
  }

  /** The charts of a dataset's page: its partitions, and its measures. */
  silverloom.datasetCharts = () => {
    const { name, partitions, measures } = silverloom.data;
    const rows = partitions.filter((entry) => entry.rows);
    silverloom.chart(document.getElementById("chart-partitions"), () => ({
      width: "container", height: Math.max(60, 26 * new Set(partitions.map((entry) => entry.partition)).size),
      data: { values: rows }, mark: "bar",
      encoding: {
        y: { field: "partition", type: "ordinal", title: null },
        x: { field: "rows", type: "quantitative", title: "rows", axis: { tickMinStep: 1 } },
        color: { field: "outcome", type: "nominal", scale: silverloom.outcomeScale() },
        order: { field: "outcome", sort: "descending" },
        detail: { field: "reason" },
        tooltip: [{ field: "partition" }, { field: "outcome" }, { field: "reason" }, { field: "rows" }],
      },
    }), `Rows of ${name} by partition and outcome`);

    const place = document.getElementById("measures");
    for (const measure of measures) {
      const sum = measure.counts.reduce((one, other) => one + other, 0);
      const drawing = silverloom.el("div", { class: "chart" });
      place.append(silverloom.el("section", { class: "card", "aria-label": measure.name }, silverloom.el("h3", {}, measure.name), drawing));
      if (sum) silverloom.chart(drawing, measureChart(measure), `Distribution of ${measure.name} over ${sum} values`);
      else drawing.replaceWith(silverloom.el("p", { class: "quiet" }, "no values"));
    }
  };
})();
