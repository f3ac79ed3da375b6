"use strict";
// A list of entries as a table: sorted by column, filtered by text and choice, paged. The state is kept in the URL.
(() => {
  const { el, number } = silverloom, STEP = 200;
  const byId = (id) => document.getElementById(id);

  /**
   * Draw the list into the placeholder of templates/list.html.
   *
   * `columns` are [name, label, sort key of an entry, class]. The list is first sorted by column `sorted`; columns in
   * `rising` sort ascending on the first click. `row` draws an entry, `said` returns its searchable text, and `fits`
   * tells whether the chosen filter shows it.
   */
  silverloom.list = (table, entries, { columns, sorted, rising, row, said, fits }) => {
    const text = byId("text"), choice = byId("outcome"), before = byId("before"), after = byId("after");
    let sort = sorted, down = false, at = 0;

    function restore() {
      const hash = new URLSearchParams(location.hash.slice(1));
      text.value = hash.get("text") ?? "";
      choice.value = hash.get("show") ?? "";
      if (choice.selectedIndex < 0) choice.value = "";
      sort = columns.some(([name]) => name === hash.get("sort")) ? hash.get("sort") : sorted;
      down = hash.get("down") === "1";
      at = Number.parseInt(hash.get("at"), 10) || 0;
      draw();
    }

    function store() {
      const state = { text: text.value, show: choice.value, sort: sort === sorted ? "" : sort, down: down ? "1" : "", at: at ? String(at) : "" };
      const hash = new URLSearchParams(Object.entries(state).filter(([, value]) => value));
      history.replaceState(null, "", `#${hash}`);
      draw();
    }

    function found() {
      const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
      const chosen = entries.filter((entry) => {
        if (choice.value && !fits(entry, choice.value)) return false;
        const all = said(entry).toLowerCase();
        return words.every((word) => all.includes(word));
      });
      const value = columns.find(([name]) => name === sort)[2], sign = down ? -1 : 1;
      return chosen.map((entry, index) => [value(entry), index, entry]).sort(([a, i], [b, j]) => {
        if (a === undefined || b === undefined) return a === b ? i - j : a === undefined ? 1 : -1;  // unknown values last
        return (a < b ? -sign : a > b ? sign : i - j);
      }).map(([, , entry]) => entry);
    }

    function draw() {
      const rows = found();
      at = Math.max(0, Math.min(at, STEP * Math.floor((rows.length - 1) / STEP)));
      const head = columns.map(([name, label, , kind]) => {
        const button = el("button", { type: "button", class: "sort", "data-sort": name }, label, sort === name ? (down ? " ▼" : " ▲") : "");
        return el("th", { scope: "col", class: kind, "aria-sort": sort === name ? (down ? "descending" : "ascending") : null }, button);
      });
      const focused = document.activeElement?.dataset?.sort;
      table.replaceChildren(el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows.slice(at, at + STEP).map(row)));
      if (focused) table.querySelector(`[data-sort="${focused}"]`).focus();
      before.hidden = at === 0;
      after.hidden = at + STEP >= rows.length;
      byId("count").textContent = rows.length > STEP ? `${number(at + 1)} to ${number(Math.min(at + STEP, rows.length))} of ${number(rows.length)}` : `${number(rows.length)} shown`;
    }

    table.addEventListener("click", (event) => {
      const name = event.target.closest("[data-sort]")?.dataset.sort;
      if (!name) return;
      [sort, down, at] = [name, sort === name ? !down : !rising.includes(name), 0];
      store();
    });
    text.addEventListener("input", () => { at = 0; store(); });
    choice.addEventListener("change", () => { at = 0; store(); });
    const turn = (by) => { at += by; store(); table.closest(".scroll").focus(); table.scrollIntoView({ block: "start" }); };
    before.addEventListener("click", () => turn(-STEP));
    after.addEventListener("click", () => turn(STEP));
    byId("filter").addEventListener("submit", (event) => event.preventDefault());
    addEventListener("hashchange", restore);
    restore();
  };
})();
