"use strict";
// The grid of knobs: two on the axes, the others fixed or at their best values. The state is kept in the URL.
(() => {
  const { el, number, data } = silverloom, { knobs, points } = data, step = 50;
  const grid = points.filter((point) => point.model === "paper");
  const byId = (id) => document.getElementById(id);
  const values = Object.fromEntries(knobs.map((knob) => [knob, [...new Set(grid.map((point) => point[knob]))].sort((a, b) => a - b)]));
  const current = points.find((point) => point.current), best = points[0];
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const description = (point) => [`model ${point.model}`, ...(point.model === "paper" ? knobs.map((knob) => `${knob} ${point[knob]}`) : [])].join(", ");
  const start = { x: "epsilon", y: "lambda", point: (current ?? best).id };
  let state = { ...start }, shown = step;

  function restore() {
    const hash = new URLSearchParams(location.hash.slice(1));
    state = { ...start };
    for (const axis of ["x", "y"]) if (knobs.includes(hash.get(axis))) state[axis] = hash.get(axis);
    if (state.x === state.y) state.y = knobs.find((knob) => knob !== state.x);
    for (const knob of knobs) if (values[knob].includes(Number(hash.get(knob) ?? NaN))) state[knob] = Number(hash.get(knob));
    if (points.some((point) => point.id === hash.get("point"))) state.point = hash.get("point");
    draw();
  }

  function store() {
    const parts = Object.entries(state).filter(([name, value]) => value !== undefined && value !== start[name]);
    history.replaceState(null, "", parts.length ? `#${new URLSearchParams(parts)}` : location.pathname);
    draw();
  }

  const others = () => knobs.filter((knob) => knob !== state.x && knob !== state.y);

  function controls() {
    const focused = document.activeElement?.dataset?.control;
    const select = (name, label, options, value) => {
      const chosen = el("select", { "data-control": name }, ...options.map(([key, text]) => el("option", { value: key, selected: String(key) === String(value) }, text)));
      chosen.addEventListener("change", () => {
        if (name === "x" || name === "y") {
          const other = name === "x" ? "y" : "x", before = state[name];
          state[name] = chosen.value;
          if (state[other] === chosen.value) state[other] = before;
          for (const axis of [state.x, state.y]) delete state[axis];
        } else if (chosen.value === "") delete state[name];
        else state[name] = Number(chosen.value);
        store();
      });
      return el("label", {}, `${label} `, chosen);
    };
    const marked = (knob, value) => (current?.model === "paper" && current[knob] === value ? `${value} (current)` : String(value));
    byId("controls").replaceChildren(
      select("y", "Rows", knobs.map((knob) => [knob, knob]), state.y),
      select("x", "Columns", knobs.map((knob) => [knob, knob]), state.x),
      ...others().map((knob) => select(knob, knob, [["", "best value"], ...values[knob].map((value) => [value, marked(knob, value)])], state[knob] ?? "")));
    if (focused) byId("controls").querySelector(`[data-control="${focused}"]`)?.focus();
  }

  const among = (point, x, y) => point[state.x] === x && point[state.y] === y && others().every((knob) => state[knob] === undefined || point[knob] === state[knob]);

  /** The best point of a cell: points are sorted by accuracy. */
  const cell = (x, y) => grid.find((point) => among(point, x, y));

  function heat() {
    const focused = document.activeElement?.dataset?.cell;
    const range = values[state.y].flatMap((y) => values[state.x].map((x) => cell(x, y)?.accuracy ?? [])).flat();
    const [least, most] = [Math.min(...range), Math.max(...range)];
    const head = el("tr", {}, el("th", { scope: "col" }, `${state.y} ↓  ${state.x} →`), ...values[state.x].map((x) => el("th", { scope: "col" }, String(x))));
    const rows = values[state.y].map((y) => el("tr", {}, el("th", { scope: "row" }, String(y)), ...values[state.x].map((x) => {
      const point = cell(x, y);
      if (!point) return el("td", {}, "–");
      const here = current?.model === "paper" && among(current, x, y);
      const name = [point === best ? "best" : "", here ? "current" : ""].filter(Boolean);
      const note = here && !point.current ? [...name.slice(0, -1), `current ${percent(current.accuracy)}`] : name;
      const share = (point.accuracy - least) / (most - least || 1);
      const button = el("button", { type: "button", class: name.join(" "), style: `--share:${share.toFixed(3)}`, "data-cell": `${x} ${y}`, "aria-pressed": String(point.id === state.point), title: `${description(point)}: ${percent(point.accuracy)}, 95 % interval ${percent(point.low)} to ${percent(point.high)}, at most two sentences off ${percent(point.within_two)}` }, percent(point.accuracy), el("small", {}, note.join(", ")));
      button.addEventListener("click", () => { state.point = point.id; store(); });
      return el("td", {}, button);
    })));
    byId("heat").replaceChildren(el("thead", {}, head), el("tbody", {}, ...rows));
    if (focused) byId("heat").querySelector(`[data-cell="${focused}"]`)?.focus();
  }

  function interval(point, lowest, highest) {
    const at = (share) => `${(100 * (share - lowest) / (highest - lowest || 1)).toFixed(1)}%`;
    return el("span", { class: "interval", "aria-hidden": "true" }, el("i", { style: `left:${at(point.low)};width:${(100 * (point.high - point.low) / (highest - lowest || 1)).toFixed(1)}%` }), el("b", { style: `left:min(${at(point.accuracy)}, 100% - 3px)` }));
  }

  function detail() {
    const point = points.find((one) => one.id === state.point);
    const talks = point.talks.map((talk) => el("tr", {}, el("th", { scope: "row" }, talk.title ?? talk.talk_id), el("td", { class: "n" }, number(talk.words)), el("td", { class: "n" }, number(talk.correct)), el("td", { class: "n" }, percent(talk.words ? talk.correct / talk.words : 0))));
    const head = ["talk", "labelled words", "correct", "accuracy"].map((name, index) => el("th", { scope: "col", class: index ? "n" : null }, name));
    byId("point").replaceChildren(
      el("h3", {}, description(point), point.current ? " (current)" : "", point === best ? " (best)" : ""),
      el("p", {}, `${percent(point.accuracy)} of ${number(point.words)} words in exactly the labelled sentence, 95 % interval ${percent(point.low)} to ${percent(point.high)}; ${percent(point.within_two)} at most two sentences off.`),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "By talk" }, el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...talks))));
  }

  function table() {
    const head = ["", "model", ...knobs, "accuracy", "95 % interval", "from", "to", "within two"].map((name) => el("th", { scope: "col", class: name && !["95 % interval", "model"].includes(name) ? "n" : null }, name || "rank"));
    const listed = points.slice(0, shown);
    const [lowest, highest] = [Math.min(...listed.map((point) => point.low)), Math.max(...listed.map((point) => point.high))];
    const rows = listed.map((point, index) => el("tr", {},
      el("th", { scope: "row" }, number(index + 1), point === best ? " best" : "", point.current ? " current" : ""),
      el("td", {}, point.model),
      ...knobs.map((knob) => el("td", { class: "n" }, point.model === "paper" ? String(point[knob]) : "–")),
      el("td", { class: "n" }, percent(point.accuracy)), el("td", {}, interval(point, lowest, highest)),
      el("td", { class: "n" }, percent(point.low)), el("td", { class: "n" }, percent(point.high)), el("td", { class: "n" }, percent(point.within_two))));
    byId("points").replaceChildren(el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows));
    byId("more").hidden = points.length <= shown;
  }

  function draw() { controls(); heat(); detail(); }

  byId("more").addEventListener("click", () => { shown = points.length; table(); });
  addEventListener("hashchange", restore);
  table();
  restore();
})();
