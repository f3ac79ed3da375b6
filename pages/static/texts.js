"use strict";
// Texts of rows: long ones are collapsed to their beginning, and search matches are marked.
(() => {
  const { el } = silverloom;
  const LONG = 700, START = 320;

  /** A text with its control characters made visible, so that they neither vanish nor take effect. */
  silverloom.visible = (text) => text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, (character) => String.fromCharCode(0x2400 + character.charCodeAt(0)))
    .replace(/\u007f/g, "\u2421");

  /** All texts of a cell, joined. */
  silverloom.plain = (cell) => {
    if (cell === null || cell === undefined) return "";
    if (Array.isArray(cell)) return cell.map(silverloom.plain).join("\n");
    return typeof cell === "object" ? silverloom.plain(cell.v) : String(cell);
  };

  /** Nodes of a text in which every match of `query` (in lower case) is marked. */
  silverloom.hits = (text, query = "") => {
    const shown = silverloom.visible(text), lower = shown.toLowerCase();
    // lower-casing can change the length: offsets would be wrong then, so nothing is marked
    if (!query || lower.length !== shown.length) return [shown];
    const nodes = [];
    let start = 0;
    for (let place = lower.indexOf(query); place >= 0 && nodes.length < 400; place = lower.indexOf(query, start)) {
      nodes.push(shown.slice(start, place), el("mark", { class: "hit" }, shown.slice(place, place + query.length)));
      start = place + query.length;
    }
    nodes.push(shown.slice(start));
    return nodes;
  };

  /** A text as an element; a long one is collapsed to its beginning. `whole` is its full length in characters. */
  silverloom.text = (text, query = "", whole = text.length) => {
    const rest = whole > text.length ? el("span", { class: "quiet" }, ` … first ${silverloom.number(text.length)} of ${silverloom.number(whole)} characters`) : null;
    if (text.length <= LONG) return el("p", { class: "text", dir: "auto" }, ...silverloom.hits(text, query), rest);
    const place = query ? text.toLowerCase().indexOf(query) : 0;
    const from = place > START ? place - 80 : 0;
    const box = el("details", { class: "long" },
      el("summary", {}, el("span", { class: "start", dir: "auto" }, from ? "… " : "", ...silverloom.hits(text.slice(from, from + START), query), "… "), el("span", { class: "more" }, `${silverloom.number(whole)} characters`)));
    box.addEventListener("toggle", () => {
      if (box.open && box.children.length < 2) box.append(el("p", { class: "text", dir: "auto" }, ...silverloom.hits(text, query), rest));
    });
    return box;
  };

  /** Text for screen readers only. */
  silverloom.spoken = (text) => el("span", { class: "spoken" }, text);

  /** The difference of two texts: removed words struck out, added words underlined, both labelled for screen readers. */
  silverloom.diff = (pieces) => el("p", { class: "text diff", dir: "auto" }, ...pieces.map(([sign, words]) => sign === "=" ? silverloom.visible(words)
    : sign === "+" ? el("ins", {}, silverloom.spoken(" [added: "), silverloom.visible(words), silverloom.spoken("] "))
      : el("del", {}, silverloom.spoken(" [removed: "), silverloom.visible(words), silverloom.spoken("] "))));
})();
