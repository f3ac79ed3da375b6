"use strict";
// How many units another value of a threshold would keep, counted in the browser from their scores.
(() => {
  const { el, number } = silverloom;
  const place = document.getElementById("threshold");
  if (!place) return;
  const listed = silverloom.data, loaded = new Map(), SIDE = 10;
  const compare = {
    at_least: { keeps: (score, value) => score >= value, sign: "≥", more: "lower" },
    above: { keeps: (score, value) => score > value, sign: ">", more: "lower" },
    at_most: { keeps: (score, value) => score <= value, sign: "≤", more: "higher" },
    below: { keeps: (score, value) => score < value, sign: "<", more: "higher" },
  };
  let view = null;

  /** Called by the script of a threshold. */
  silverloom.whatIf = (content) => loaded.set(content.key, content);

  function chosen() {
    const text = decodeURIComponent(location.hash.slice(1)), cut = text.lastIndexOf("=");
    const one = listed.find((entry) => entry.key === (cut < 0 ? text : text.slice(0, cut))) ?? listed[0];
    const value = cut < 0 ? NaN : Number(text.slice(cut + 1) || NaN);
    return [one, Number.isFinite(value) ? value : one.now];
  }

  function load(one, then) {
    if (loaded.has(one.key)) { then(loaded.get(one.key)); return; }
    const script = el("script", { src: silverloom.root + one.script });
    script.addEventListener("load", () => then(loaded.get(one.key)));
    script.addEventListener("error", () => { place.hidden = false; place.replaceChildren(el("p", {}, `The scores of ${one.path} cannot be loaded: ${one.script} is missing.`)); });
    document.head.append(script);
  }

  /** Units kept at a value, and the largest possible error: 0 for exact scores, else the units between two quantiles. */
  function count(content, value) {
    const tried = content.tried.find(([other]) => other === value);
    if (tried) return { units: tried[1], off: 0 };
    const keeps = compare[content.rule].keeps;
    let units = content.always, off = 0;
    content.points.forEach(([score, rows], index) => {
      if (keeps(score, value)) units += rows;
      const former = content.points[index - 1]?.[0];
      if (!content.exact && former < value && value < score) off = rows;
    });
    return { units, off };
  }

  function curve(content, low, high) {
    const values = new Set([low, high, ...content.tried.map(([value]) => value)]);
    const step = Math.max(1, Math.floor(content.points.length / 400));
    for (let index = 0; index < content.points.length; index += step) values.add(content.points[index][0]);
    return [...values].filter((value) => value >= low && value <= high).sort((one, other) => one - other)
      .map((value) => ({ value, units: count(content, value).units }));
  }

  function range(content) {
    const ends = [...content.tried.map(([value]) => value), ...(content.points.length ? [content.points[0][0], content.points.at(-1)[0]] : [])];
    return [Math.min(...ends), Math.max(...ends)];
  }

  const precise = (value) => Number(value.toPrecision(6));

  function draw(content, value) {
    const [low, high] = range(content), { sign } = compare[content.rule];
    const step = content.whole ? 1 : 0.001;
    const summary = el("p", { class: "summary", role: "status" });
    const slider = el("input", { type: "range", id: "slider", min: low, max: high, step, "aria-label": `${content.path}, slider` });
    const input = el("input", { type: "number", id: "value", step: content.whole ? 1 : "any" });
    const reset = el("button", { type: "button" }, `reset to ${content.now}`);
    const chart = el("div", { class: "chart", id: "chart-kept" });
    const lists = el("div", { class: "sides" });
    const recipe = el("div", { class: "grid" });
    place.hidden = false;
    place.replaceChildren(
      el("h2", {}, content.path),
      el("p", { class: "quiet" }, `Units are kept if ${content.meaning} ${sign} this value. Applied in `, el("a", { href: silverloom.address(content.dataset) }, content.dataset), "."),
      el("div", { class: "card" }, el("div", { class: "chooser" }, el("label", { for: "value" }, "value "), input, slider, reset), summary, chart),
      lists, el("h3", {}, "Try it"), recipe);
    view = { content, low, high, summary, slider, input, lists, recipe, chart };
    const change = (text) => { if (text !== "" && Number.isFinite(Number(text))) show(Number(text)); };
    slider.addEventListener("input", () => change(slider.value));
    input.addEventListener("input", () => change(input.value));
    reset.addEventListener("click", () => show(content.now));
    show(value, true);
    picture();
  }

  function picture() {
    const { content, low, high, chart } = view, values = curve(content, low, high);
    silverloom.chart(chart, () => ({
      width: "container", height: 190, encoding: {
        x: { type: "quantitative", title: content.meaning, scale: { domain: [low, high], nice: false } },
        y: { type: "quantitative", title: `${content.units} kept`, axis: { tickMinStep: 1, format: "~s" } },
      },
      layer: [
        { data: { values }, mark: { type: "line", interpolate: content.rule.startsWith("at_most") || content.rule === "below" ? "step-after" : "step-before", color: silverloom.color("kept-fill"), strokeWidth: 2 },
          encoding: { x: { field: "value" }, y: { field: "units" } } },
        { data: { values: content.tried.map(([value, units]) => ({ value, units, now: value === content.now ? "current" : "alternative" })) }, mark: { type: "point", filled: true, size: 60, color: silverloom.color("kept") },
          encoding: { x: { field: "value" }, y: { field: "units" }, tooltip: [{ field: "value" }, { field: "units", title: "kept" }, { field: "now", title: "value" }] } },
        { data: { values: [{ value: content.now }] }, mark: { type: "rule", color: silverloom.color("text"), strokeDash: [4, 3] }, encoding: { x: { field: "value" } } },
        { data: { values: [{ value: content.now, text: `current: ${content.now}` }] }, mark: { type: "text", align: "left", dx: 5, baseline: "middle", fontSize: 12, color: silverloom.color("text") }, encoding: { x: { field: "value" }, y: { value: compare[content.rule].more === "lower" ? 182 : 8 }, text: { field: "text" } } },
        { data: { name: "chosen", values: [{ value: view.value, units: count(content, view.value).units }] }, mark: { type: "point", size: 140, strokeWidth: 3, color: silverloom.color("link") }, encoding: { x: { field: "value" }, y: { field: "units" } } },
      ],
    }), `${content.units} kept by ${content.path}; current value ${content.now}`);
  }

  function show(value, first = false) {
    const { content, summary, slider, input } = view;
    view.value = value;
    if (document.activeElement !== input) input.value = value;
    slider.value = value;
    const { units, off } = count(content, value), now = count(content, content.now).units, more = units - now;
    const change = more ? `${more > 0 ? "+" : "−"}${number(Math.abs(more))} against the current value` : "the same as now";
    summary.replaceChildren(el("b", {}, `${off ? "about " : ""}${number(units)} of ${number(content.total)} ${content.units}`), ` would be kept at ${precise(value)} (${change}${off ? `, off by at most ${number(off)}` : ""}).`);
    sides(content, value);
    recipes(content, value);
    const hash = `#${content.key}=${precise(value)}`;
    if (location.hash !== hash && !(first && !location.hash)) history.replaceState(null, "", hash);
    if (!first) view.chart.drawing.then((drawn) => drawn.view.data("chosen", [{ value, units }]).run());
  }

  function sides(content, value) {
    const { keeps } = compare[content.rule], higher = compare[content.rule].more === "lower";
    const kept = content.rows.filter(([score]) => keeps(score, value)), lost = content.rows.filter(([score]) => !keeps(score, value));
    const near = (rows, fromStart) => fromStart ? rows.slice(0, SIDE) : rows.slice(-SIDE).reverse();
    view.lists.replaceChildren(
      side(content, "kept", "Kept, closest to the threshold", near(kept, higher)),
      side(content, "dropped", "Dropped, closest to the threshold", near(lost, !higher)),
      el("p", { class: "quiet" }, content.rows.length < content.scored
        ? `This page has ${number(content.rows.length)} of ${number(content.scored)} scored ${content.units}: a sample, and the ten closest on each side of every value in the table above.`
        : `All ${number(content.scored)} scored ${content.units} are on this page.`,
        content.total > content.scored ? ` ${number(content.total - content.scored)} others are kept or dropped whatever the value.` : ""));
  }

  function side(content, outcome, title, rows) {
    const lines = rows.map(([score, id, text]) => el("tr", {}, el("td", { class: "n" }, String(precise(score))), el("td", { class: "text", title: id }, text)));
    const table = el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col", class: "n" }, "score"), el("th", { scope: "col" }, "text"))), el("tbody", {}, ...lines));
    return el("section", { class: "card", "aria-label": title }, el("h3", { class: outcome }, title), rows.length ? table : el("p", { class: "quiet" }, "none"));
  }

  function recipes(content, value) {
    const steps = content.path.split("."), shown = precise(value);
    const lines = steps.map((step, depth) => "  ".repeat(depth) + step + ":" + (depth === steps.length - 1 ? ` ${shown}` : ""));
    view.recipe.replaceChildren(
      el("div", { class: "card" }, el("h3", {}, "in params.yaml"), el("pre", { tabindex: "0" }, lines.join("\n"))),
      el("div", { class: "card" }, el("h3", {}, "or as an experiment"), el("pre", { tabindex: "0" }, `dvc exp run -S ++${content.path}=${shown}`)));
  }

  function go() {
    const [one, value] = chosen();
    if (!one) return;
    document.querySelectorAll(".thresholds a[data-key]").forEach((link) => {
      if (link.dataset.key === one.key) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
    });
    load(one, (content) => { if (view?.content === content) show(value); else draw(content, value); });
  }
  addEventListener("hashchange", () => { go(); if (location.hash) place.scrollIntoView({ block: "nearest" }); });
  go();
})();
