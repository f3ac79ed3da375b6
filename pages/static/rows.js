"use strict";
// The rows of a dataset: filtered, sorted and paged. The state is kept in the URL.
(() => {
  const { el, data, number } = silverloom;
  const TABLES = ["kept", "dropped", "rejected"], PAGE = 20;
  const places = {}, of = (name) => document.getElementById(name);
  const reasonColumn = (data.columns.dropped ?? []).findIndex((column) => column.name === "reason");
  const rows = data.rows.map((row) => ({
    ...row, kind: TABLES[row.table], partition: data.partitions[row.partition] || "all",
    reason: row.table === 1 ? row.cells[reasonColumn] : null, haystack: null,
  }));
  const measures = data.measures.filter((_, index) => rows.some((row) => row.measures[index] !== null));
  const indexOf = (name) => data.measures.indexOf(name);
  const facets = {
    table: { label: "Outcome", all: "all", of: (row) => row.kind, order: TABLES },
    partition: { label: "Partition", all: "all", of: (row) => row.partition },
    reason: { label: "Reason", all: "any", of: (row) => row.reason },
  };
  for (const facet of Object.values(facets)) facet.values = new Set(rows.map(facet.of).filter((value) => value !== null));
  const empty = { table: "", partition: "", reason: "", q: "", measure: measures[0] ?? "", min: "", max: "", sort: "", page: "1" };
  let state;

  /** All text shown for a row, in lower case. */
  const haystack = (row) => row.haystack ??= `${row.kind}\n${row.partition}\n${silverloom.plain(row.cells)}`.toLowerCase();

  /** Rows that match all filters, and for each facet value how many rows match all the other filters. */
  function found() {
    const query = state.q.trim().toLowerCase(), measured = indexOf(state.measure);
    const [least, most] = [state.min, state.max].map((text) => text.trim() === "" || Number.isNaN(Number(text)) ? null : Number(text));
    const counts = Object.fromEntries(Object.keys(facets).map((name) => [name, new Map()]));
    const fitting = [];
    const names = Object.keys(facets);
    for (const row of rows) {
      const value = row.measures[measured];
      if ((least !== null || most !== null) && (value == null || (least !== null && value < least) || (most !== null && value > most))) continue;
      let missed = null, misses = 0;
      for (const name of names) if (state[name] && facets[name].of(row) !== state[name]) { missed = name; misses++; }
      if (misses > 1 || (query && !haystack(row).includes(query))) continue;
      for (const name of missed ? [missed] : names) {
        const key = facets[name].of(row);
        if (key !== null) counts[name].set(key, (counts[name].get(key) ?? 0) + 1);
      }
      if (!missed) fitting.push(row);
    }
    const [name, way] = state.sort.split(" "), by = indexOf(name);
    if (by >= 0) {
      const sign = way === "down" ? -1 : 1;
      // rows without the number come last in both directions
      fitting.sort((one, other) => (one.measures[by] === null) - (other.measures[by] === null) || sign * (one.measures[by] - other.measures[by]));
    }
    return { fitting, counts };
  }

  function read() {
    const given = new URLSearchParams(location.hash.slice(1));
    state = { ...empty };
    for (const name of Object.keys(empty)) if (given.has(name)) state[name] = given.get(name);
    if (indexOf(state.measure) < 0) state.measure = empty.measure;
  }

  function write() {
    const kept = Object.entries(state).filter(([name, value]) => value !== empty[name] && (name !== "measure" || state.min || state.max));
    const text = new URLSearchParams(kept).toString();
    if (text !== location.hash.slice(1)) history.replaceState(null, "", `#${text}`);
  }

  function change(values) {
    Object.assign(state, { page: "1" }, values);
    write();
    draw();
  }

  /** The controls are built once, so that typing does not lose focus. */
  function controls() {
    const form = of("filters");
    const field = (name, label, control, kind = "") => { places[name] = control; return el("label", { class: `field ${kind}` }, el("span", {}, label), control); };
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const [name, facet] of Object.entries(facets)) {
      if (!facet.values.size && name === "reason") continue;
      const select = el("select", {});
      select.addEventListener("change", () => change({ [name]: select.value }));
      form.append(field(name, facet.label, select));
    }
    const search = el("input", { type: "search", autocomplete: "off", spellcheck: "false" });
    search.addEventListener("input", () => change({ q: search.value }));
    form.append(field("q", "Search all columns", search, "wide"));
    if (measures.length) {
      const which = el("select", {}, ...measures.map((name) => el("option", { value: name }, name)));
      which.addEventListener("change", () => change({ measure: which.value }));
      const range = el("div", { class: "range", role: "group", "aria-label": "Range of a number" }, field("measure", "Number", which));
      for (const [name, label] of [["min", "from"], ["max", "to"]]) {
        const input = el("input", { type: "number", step: "any" });
        input.addEventListener("input", () => change({ [name]: input.value }));
        range.append(field(name, label, input, "narrow"));
      }
      form.append(range);
      const ways = [["", "as in the data"], ...measures.flatMap((name) => [[`${name} up`, `${name}, lowest first`], [`${name} down`, `${name}, highest first`]])];
      const sort = el("select", {}, ...ways.map(([value, label]) => el("option", { value }, label)));
      sort.addEventListener("change", () => change({ sort: sort.value }));
      form.append(field("sort", "Order", sort));
    }
    const clear = el("button", { type: "button" }, "Clear");
    clear.addEventListener("click", () => change({ ...empty }));
    form.append(clear);
    for (const turn of document.querySelectorAll(".turn")) {
      for (const [label, step] of [["Previous", -1], ["Next", 1]]) {
        const button = el("button", { type: "button", "data-step": step }, label);
        button.addEventListener("click", () => { change({ page: String(Number(state.page) + step) }); of("found").scrollIntoView({ block: "nearest" }); });
        turn.append(button);
      }
    }
  }

  function draw() {
    const { fitting, counts } = found();
    for (const [name, facet] of Object.entries(facets)) {
      if (!places[name]) continue;
      const values = new Set(facet.values);
      if (state[name]) values.add(state[name]);
      const sorted = facet.order ? facet.order.filter((value) => values.has(value)) : [...values].sort();
      let sum = 0;
      for (const count of counts[name].values()) sum += count;
      places[name].replaceChildren(
        el("option", { value: "" }, name === "reason" ? facet.all : `${facet.all} (${number(sum)})`),
        ...sorted.map((value) => el("option", { value }, `${value} (${number(counts[name].get(value) ?? 0)})`)));
    }
    for (const [name, control] of Object.entries(places)) if (control.value !== state[name]) control.value = state[name];
    const pages = Math.max(1, Math.ceil(fitting.length / PAGE));
    const page = Math.min(pages, Math.max(1, Number(state.page) || 1)), first = (page - 1) * PAGE;
    const shown = fitting.slice(first, first + PAGE);
    of("found").textContent = fitting.length ? `Rows ${number(first + 1)} to ${number(first + shown.length)} of ${number(fitting.length)} matches` : rows.length ? "No row matches these filters." : "There are no rows.";
    for (const button of document.querySelectorAll(".turn button")) button.disabled = button.dataset.step < 0 ? page === 1 : page === pages;
    for (const pager of document.querySelectorAll(".turn")) pager.hidden = pages === 1;
    const query = state.q.trim().toLowerCase();
    of("rows").replaceChildren(...shown.map((row) => silverloom.row(row, query)));
  }

  addEventListener("hashchange", () => { read(); draw(); });
  controls();
  read();
  draw();
  // build the search texts while idle
  const prepare = (from) => {
    const end = performance.now() + 10;
    while (from < rows.length && performance.now() < end) haystack(rows[from++]);
    if (from < rows.length) setTimeout(prepare, 0, from);
  };
  setTimeout(prepare, 0, 0);
})();
