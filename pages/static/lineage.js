"use strict";
// The lineage of the row named in the URL: the row, its sources, and the rows made from it.
(() => {
  const { el, data, number, visible } = silverloom;
  const FEW = 3, MANY = 20, WHY = ["reason", "score", "detail", "error"];
  const places = new Map(data.nodes.map((node, index) => [node.id, index]));
  const place = document.getElementById("lineage"), wanted = document.getElementById("wanted");
  const link = (node) => el("a", { class: "mono", href: `#${encodeURIComponent(node.id)}` }, visible(node.id));
  const dataset = (file) => `${file.dataset} ${file.partition}`.trim();
  const badge = (file) => el("span", { class: `outcome ${file.table}` }, file.table);
  const main = (node) => node.places.findLast(([file]) => data.files[file].table === "kept") ?? node.places.at(-1);

  /** A list that shows its first few items; the rest can be expanded. */
  function listed(items, few, draw, total, what) {
    const list = (part) => el("ul", { class: "steps" }, ...part.map((item) => el("li", {}, ...draw(item))));
    const parts = [list(items.slice(0, few))];
    if (items.length > few) {
      const box = el("details", {}, el("summary", {}, `${number(items.length - few)} more`));
      box.addEventListener("toggle", () => { if (box.open && box.children.length < 2) box.append(list(items.slice(few))); });
      parts.push(box);
    }
    if (total > items.length) parts.push(el("p", { class: "quiet" }, `${number(total - items.length)} more ${what} not on this page.`));
    return parts;
  }

  /** A one-line summary of a row. */
  function about(node) {
    if (!node.places.length) return [node.file];
    const [file, , where, values] = main(node), { columns, summary } = data.files[file];
    const text = summary === null ? null : values[columns.indexOf(summary)];
    return [where ? el("span", { class: "quiet" }, `${where}: `) : "", el("span", { dir: "auto" }, visible(String(text ?? "")))];
  }

  function line(node) {
    const file = node.places.length ? data.files[main(node)[0]] : null;
    return [el("p", { class: "step" }, file ? `${dataset(file)} ` : "raw record ", file && file.table !== "kept" ? badge(file) : "", file && file.table !== "kept" ? " " : "", link(node)), el("p", { class: "what" }, ...about(node)),
      ...(node.spoken ?? []).map((words) => el("p", { class: "what quiet" }, words))];
  }

  /** The sources of a row, down to the files. A source that is already shown is not repeated. */
  function origins(node, seen) {
    const fresh = node.origins.filter((index) => !seen.has(index));
    fresh.forEach((index) => seen.add(index));
    return listed(fresh, FEW, (index) => {
      const origin = data.nodes[index];
      return [...line(origin), ...(origin.origins.some((one) => !seen.has(one)) ? origins(origin, seen) : [])];
    }, fresh.length + node.totals[0] - node.origins.length, "sources");
  }

  function card([number_, index, where, values]) {
    const file = data.files[number_], step = data.datasets[file.dataset];
    const pair = (name, value) => el("div", {}, el("dt", {}, name), el("dd", { dir: "auto" }, value));
    const value = (content) => places.has(content) ? link(data.nodes[places.get(content)]) : visible(String(content));
    const shown = file.columns.map((name, column) => [name, values[column]]).filter(([, content]) => content !== null && content !== "");
    const part = (wanted) => shown.filter(([name]) => (name === file.summary ? "summary" : WHY.includes(name) ? "why" : "facts") === wanted);
    return el("section", { class: "card" },
      el("h3", {}, el("a", { href: silverloom.address(file.dataset) }, dataset(file)), " ", badge(file)),
      ...part("summary").map(([, content]) => el("p", { class: "text", dir: "auto" }, visible(content))),
      part("why").length ? el("dl", { class: `why ${file.table}` }, ...part("why").map(([name, content]) => pair(name, visible(String(content))))) : null,
      where ? el("p", { class: "quiet" }, where) : null,
      el("dl", { class: "facts" }, ...part("facts").map(([name, content]) => pair(name, value(content)))),
      el("dl", { class: "facts" }, pair("file", el("code", {}, `${file.path}, row ${index + 1}`)), pair("made by", el("code", {}, step.code))),
      el("details", {}, el("summary", {}, "params"), el("dl", { class: "facts" }, ...Object.entries(step.params).map(([name, content]) => pair(name, el("code", {}, content))))));
  }

  function lineage(index) {
    const node = data.nodes[index], used = node.users.map((one) => data.nodes[one]);
    const known = node.places.length > 0;
    return [
      el("h2", { class: "mono", id: "shown", tabindex: "-1" }, visible(node.id)),
      ...(known ? node.places.map(card) : [el("p", { class: "card" }, `A source record in ${node.file}`)]),
      el("h2", {}, "Made of"),
      node.file ? el("p", {}, el("code", {}, node.file)) : null,
      ...(node.spoken ?? []).map((words) => el("p", { class: "quiet" }, words)),
      ...(node.origins.length ? [el("div", { class: "tree" }, ...origins(node, new Set([index])))] : node.file ? [] : [el("p", { class: "quiet" }, "no sources on this page")]),
      el("h2", {}, `Used by${node.totals[1] ? ` ${number(node.totals[1])} rows` : ""}`),
      ...(used.length ? listed(used, MANY, line, node.totals[1], "rows") : [el("p", { class: "quiet" }, node.totals[1] ? "none of these rows are on this page" : "nothing")]),
    ].filter(Boolean);
  }

  function none(id) {
    const few = data.nodes.slice(0, Math.min(data.shown, MANY));
    return [
      id ? el("p", { class: "card", role: "alert" }, "Row ", el("code", {}, visible(id)), " is not on this page. The page has the shown rows of ", el("b", {}, data.name), ", their sources, and the rows that use them. For any other row, run ", el("code", {}, "make explain ID=…"), ".") : null,
      few.length ? el("h2", {}, "Some rows on this page") : el("p", {}, "The dataset has no rows."),
      few.length ? el("ul", { class: "steps" }, ...few.map((node) => el("li", {}, ...line(node)))) : null,
    ].filter(Boolean);
  }

  function show(moved) {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* as it was typed */ }
    const index = places.get(id);
    wanted.value = id;
    place.replaceChildren(...(index === undefined ? none(id) : lineage(index)));
    document.title = `${id || "Lineage"} · ${data.name} · silverloom`;
    if (moved && index !== undefined) { const head = document.getElementById("shown"); head.focus(); head.scrollIntoView({ block: "start" }); }
  }

  document.getElementById("ask").addEventListener("submit", (event) => { event.preventDefault(); location.hash = encodeURIComponent(wanted.value.trim()); });
  addEventListener("hashchange", () => show(true));
  show(false);
})();
