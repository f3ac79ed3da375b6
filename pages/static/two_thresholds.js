"use strict";
// What two thresholds keep together: a heat map of exact counts, and a slider for each threshold.
(() => {
  const { el, number } = silverloom;
  const signs = { at_least: "≥", above: ">", at_most: "≤", below: "<" };

  /** The cell edges of a grid: the midpoints between neighbouring values. */
  function edges(values) {
    const middle = values.slice(1).map((value, index) => (value + values[index]) / 2);
    return [values[0], ...middle, values.at(-1)];
  }

  function picture({ first, second, units, counts, total }, at) {
    const [x, y] = [edges(first.values), edges(second.values)];
    const cells = second.values.flatMap((up, row) => first.values.map((across, column) => ({
      x: x[column], x2: x[column + 1], y: y[row], y2: y[row + 1], across, up, kept: counts[row][column],
      share: total ? counts[row][column] / total : 0,
    })));
    const points = (across, up, what) => [{ x: across, y: up, what }];
    const axis = (field, { meaning, rule, values }) => ({ field, type: "quantitative", title: `${meaning} ${signs[rule]}`, scale: { domain: [values[0], values.at(-1)], nice: false, zero: false }, axis: { grid: false } });
    const left = first.now > (first.values[0] + first.values.at(-1)) / 2;  // which side of the dot has room for the label
    const here = { x: axis("x", first), y: axis("y", second) };
    return () => ({
      width: "container", height: 300,
      layer: [
        { data: { values: cells }, mark: { type: "rect" }, encoding: {
          ...here, x2: { field: "x2" }, y2: { field: "y2" },
          color: { field: "share", type: "quantitative", scale: { domain: [0, 1], range: [silverloom.color("card"), silverloom.color("kept-fill")], interpolate: "rgb" }, legend: { format: ".0%", title: `${units} kept`, gradientLength: 200, tickCount: 5 } },
          tooltip: [{ field: "across", title: first.meaning }, { field: "up", title: second.meaning }, { field: "kept", title: "kept" }, { field: "share", format: ".1%" }] } },
        ...[["x", first], ["y", second]].map(([side, { now }]) => ({ data: { values: [{ [side]: now }] }, mark: { type: "rule", color: silverloom.color("text"), strokeDash: [4, 3] }, encoding: { [side]: here[side] } })),
        { data: { values: points(first.now, second.now, `current: ${first.now}, ${second.now}`) }, mark: { type: "text", align: left ? "right" : "left", dx: left ? -6 : 6, dy: -8, fontSize: 12, color: silverloom.color("text") }, encoding: { ...here, text: { field: "what" } } },
        { data: { values: points(first.now, second.now, "current") }, mark: { type: "point", filled: true, size: 70, color: silverloom.color("text"), opacity: 1 }, encoding: here },
        { data: { name: "chosen", values: points(at[0], at[1], "chosen") }, mark: { type: "point", size: 150, strokeWidth: 3, color: silverloom.color("link") }, encoding: here },
      ],
    });
  }

  function slider(axis, change) {
    const input = el("input", { type: "range", min: 0, max: axis.values.length - 1, step: 1, value: axis.values.indexOf(axis.now), "aria-label": `${axis.path}, slider` });
    input.addEventListener("input", change);
    return input;
  }

  /** Fill an element with the heat map of a grid, its sliders, and the count at the chosen point. */
  silverloom.twoThresholds = (place, content) => {
    const { first, second, counts, units, total } = content;
    const summary = el("p", { class: "summary", role: "status" }), chart = el("div", { class: "chart" });
    const recipe = el("pre", { tabindex: "0" }), inputs = [first, second].map((axis) => slider(axis, show));
    const labels = [first, second].map(({ meaning, rule }, side) => el("label", { class: "slide" }, el("span", {}), inputs[side]));
    const point = () => inputs.map((input) => Number(input.value));
    const kept = ([column, row]) => counts[row][column];
    const now = kept([first.values.indexOf(first.now), second.values.indexOf(second.now)]);

    function show() {
      const at = point(), values = [first.values[at[0]], second.values[at[1]]], more = kept(at) - now;
      [first, second].forEach(({ meaning, rule }, side) => {
        labels[side].firstChild.textContent = `${meaning} ${signs[rule]} ${values[side]}`;
        inputs[side].setAttribute("aria-valuetext", String(values[side]));
      });
      summary.replaceChildren(el("b", {}, `${number(kept(at))} of ${number(total)} ${units}`), ` would be kept (${more ? `${more > 0 ? "+" : "−"}${number(Math.abs(more))} against the current params` : "the same as now"}).`);
      recipe.textContent = `dvc exp run -S ++${first.path}=${values[0]} -S ++${second.path}=${values[1]}`;
      chart.drawing?.then((drawn) => drawn.view.data("chosen", [{ x: values[0], y: values[1] }]).run());
    }

    place.replaceChildren(el("div", { class: "chooser" }, ...labels), summary, chart, recipe);
    show();
    silverloom.chart(chart, picture(content, [first.now, second.now]), `${units} kept by ${first.path} and ${second.path}; currently ${number(now)} of ${number(total)} at ${first.now} and ${second.now}`);
  };
})();
