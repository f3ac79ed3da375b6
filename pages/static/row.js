"use strict";
// One row: its texts, why it was dropped or rejected, its numbers, then its names.
(() => {
  const { el, data, number, text, hits, plain, spoken } = silverloom;
  const SHOWN = 8, MOST = 1200;

  const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
  const flat = (value) => plain(value).replaceAll("\n", ", ");
  const cut = (cell) => cell.v.length < cell.n ? el("p", { class: "quiet" }, `The first ${number(cell.v.length)} of ${number(cell.n)} are on this page.`) : null;
  const scroll = (label, ...children) => el("div", { class: "scroll inner", tabindex: "0", role: "region", "aria-label": label }, ...children);

  /** Long content behind a summary line; built when first opened. */
  function behind(title, open, make) {
    const box = el("details", { open }, el("summary", {}, title));
    const fill = () => { if (box.open && box.children.length < 2) box.append(...make().filter(Boolean)); };
    box.addEventListener("toggle", fill);
    fill();
    return box;
  }

  /** The title of long content, and whether it starts open: if it is short, or not too long and matches the search. */
  function title(label, cell, query, open) {
    const has = query !== "" && plain(cell).toLowerCase().includes(query);
    return [el("span", {}, label, has ? el("mark", { class: "hit" }, "match") : null), open || (has && plain(cell).length <= MOST)];
  }

  const draw = {
    text: (column, cell, query) => Array.isArray(cell) ? text(cell[0], query, cell[1]) : text(cell, query),
    words: (column, cell, query) => behind(...title(`${number(cell.n)} words: ${(cell.v[0]?.[1] ?? "").slice(0, 100)}… `, cell, query, false), () => [
      el("p", { class: "text", dir: "auto" }, ...cell.v.flatMap(([time, words]) => [time === null ? null : el("span", { class: "time" }, `${clock(time)} `), ...hits(words, query), " "]).filter(Boolean)), cut(cell)]),
    list: (column, cell, query) => cell.n === 0 ? el("p", { class: "quiet" }, "none") : behind(...title(`${number(cell.n)} items `, cell, query, cell.n <= SHOWN), () => [
      el("ol", { class: "items" }, ...cell.v.map((item) => el("li", { dir: "auto" }, ...hits(flat(item), query)))), cut(cell)]),
    table: (column, cell, query) => cell.n === 0 ? el("p", { class: "quiet" }, "none") : behind(...title(`${number(cell.n)} ${cell.n === 1 ? "item" : "items"} `, cell, query, cell.n <= SHOWN), () => [
      scroll(`${column.name} as a table`, el("table", { class: "small" },
        el("thead", {}, el("tr", {}, ...column.fields.map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, ...cell.v.map((item) => el("tr", {}, ...item.map((value) => el("td", { class: typeof value === "number" ? "n" : null, dir: "auto" }, ...hits(flat(value), query)))))))), cut(cell)]),
    ranges: (column, cell) => [`${cell.v.slice(0, SHOWN).map(([first, last]) => first === last ? first : `${first}–${last}`).join(", ")}${cell.n > SHOWN ? `, … (${number(cell.n)})` : ""}`],
    numbers: (column, cell) => [`${cell.v.slice(0, 3 * SHOWN).join(" ")}${cell.n > 3 * SHOWN ? ` … (${number(cell.n)})` : ""}`],
    value: (column, cell) => [typeof cell === "number" && Number.isInteger(cell) && Math.abs(cell) >= 10_000 ? number(cell) : String(cell)],
  };
  const inline = (column, cell, query) => column.kind in { ranges: 1, numbers: 1, value: 1 } ? draw[column.kind](column, cell)
    : column.kind === "list" ? [cell.v.slice(0, 3).map(flat).join(", ") + (cell.n > 3 ? `, … (${number(cell.n)})` : "")]
      : column.kind === "text" && plain(cell).length < 200 ? hits(plain(cell), query) : [draw[column.kind](column, cell, query)];

  /** Sentences of a text; those that also occur in the other text are marked. */
  function passage(sentences, marked, title) {
    const chosen = new Set(marked);
    return [el("p", { class: "quiet" }, title), scroll(title, el("p", { class: "text passage", dir: "auto" }, ...sentences.flatMap((sentence, index) => chosen.has(index)
      ? [el("mark", {}, spoken("[marked: "), silverloom.visible(sentence), spoken("]")), " "] : [silverloom.visible(sentence), " "])))];
  }

  /** Input and output side by side, if the row has both; an input of sentences has those marked that the output has. */
  function sides(row, columns, query) {
    const [output, input] = data.text_pair ?? [], at = (name) => columns.findIndex((column) => column.name === name);
    const before = row.cells[at(input)], after = row.cells[at(output)], sentences = row.marked && (row.text === undefined ? before?.v : data.compared[row.text]);
    if (!after || !(sentences || before)) return null;
    const drawn = (name) => draw[columns[at(name)].kind](columns[at(name)], row.cells[at(name)], query);
    const title = sentences && `${number(row.marked.length)} of ${number(before?.n ?? sentences.length)} sentences are in ${output}`;
    return el("div", { class: "sides" }, ...[[input, sentences ? passage(sentences, row.marked, title) : [drawn(input)].flat()], [output, [drawn(output)].flat()]]
      .map(([name, content]) => el("div", { class: "texts" }, el("h3", {}, name), ...content)));
  }

  /** A row as an article. */
  silverloom.row = (row, query) => {
    const columns = data.columns[row.kind], pair = sides(row, columns, query);
    const cells = columns.map((column, index) => [column, row.cells[index]]).filter(([column, cell]) => cell !== null && cell !== "" && column.name !== "id" && !(pair && data.text_pair.includes(column.name)));
    const part = (name) => cells.filter(([column]) => column.part === name);
    const id = row.cells[columns.findIndex((column) => column.name === "id")];
    const texts = part("texts").sort(([one], [other]) => (one.kind !== "text") - (other.kind !== "text"));
    const single = !pair && texts.length === 1 && texts[0][0].kind === "text";
    const list = (name, kind = name) => part(name).length ? el("dl", { class: kind }, ...part(name).map(([column, cell]) => el("div", {}, el("dt", {}, column.name), el("dd", { dir: "auto" }, ...inline(column, cell, query))))) : null;
    const drawn = () => texts.map(([column, cell]) => el("div", { class: "texts" }, single ? null : el("h3", {}, column.name), draw[column.kind](column, cell, query)));
    const has = (...parts) => query !== "" && parts.flatMap(part).some(([, cell]) => plain(cell).toLowerCase().includes(query));
    const rest = cells.length - part("why").length + (row.difference ? 1 : 0);
    return el("article", { class: `card row ${row.kind}-row`, "aria-label": `${row.kind} ${id}` },
      el("p", { class: "head" }, el("span", { class: `outcome ${row.kind}` }, row.kind), ` ${row.partition}`),
      ...(pair ? [pair, list("why")] : [...drawn(), list("why"), list("facts")]),
      el("div", { class: "names" }, el("p", {}, el("a", { href: `${silverloom.address(data.name, "lineage")}#${encodeURIComponent(id)}` }, "lineage"), " ", ...(row.page ? [el("a", { href: silverloom.root + row.page }, "page"), " "] : []), el("span", { class: "mono" }, ...hits(id, query))),
        pair || !part("names").length ? null : behind("names", has("names"), () => [list("names", "facts")])),
      pair && rest ? behind(`${number(rest)} more`, has("texts", "facts", "names"), () => [
        row.difference ? el("h3", {}, "word by word") : null, row.difference ? silverloom.diff(row.difference) : null, ...drawn(), list("facts"), list("names", "facts")]) : null);
  };
})();
