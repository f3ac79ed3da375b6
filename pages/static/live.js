"use strict";
// The current state, from ../live/state.js: freshness, checks, runs, the previous version.
(() => {
  const live = silverloom.live, { el } = silverloom;
  if (!live) return;
  const each = (kind, action) => document.querySelectorAll(`[data-live="${kind}"]`).forEach(action);
  const state = (dataset) => el("span", { class: `state ${dataset.status}` }, dataset.state);

  each("footer", (place) => place.replaceChildren(`Status as of ${live.seen}.`));
  each("summary", (place) => place.replaceChildren(live.summary));
  each("docs", (place) => live.docs && place.replaceChildren("All checks in full: ", el("a", { href: silverloom.root + live.docs }, "Data Docs"), "."));
  each("state", (place) => { const one = live.datasets[place.dataset.name]; if (one) place.replaceChildren(state(one)); });
  each("version", (place) => { const one = live.datasets[place.dataset.name]; if (one) place.replaceChildren(el("span", { title: one.version }, one.version.slice(0, 8))); });
  document.querySelectorAll("[data-dot]").forEach((dot) => {
    const one = live.datasets[dot.dataset.dot];
    if (!one) return;
    dot.classList.add(one.status);
    dot.append(Object.assign(document.createElementNS("http://www.w3.org/2000/svg", "title"), { textContent: one.state }));
  });
  each("previous", (place) => {
    const former = live.datasets[silverloom.data.name]?.previous;
    place.replaceChildren(former ? `Bars: the current version. Ticks: the previous version, replaced ${former.when}.` : "No previous version is known here.");
  });
  each("dataset", (place) => {
    const one = live.datasets[place.dataset.name];
    if (!one) return;
    const link = (address, text) => address ? el("a", { href: address }, text) : text;
    const checks = (partition) => partition.checks.length
      ? partition.checks.map((check) => el("span", { class: `state ${check.passed ? "good" : check.severity === "error" ? "bad" : "warned"}`, title: check.said }, `${check.passed ? "✓" : "✗"} ${check.name} `))
      : ["none known"];
    const rows = one.partitions.map((partition) => el("tr", {},
      el("th", { scope: "row" }, partition.name || "all"),
      el("td", {}, el("span", { class: `state ${partition.status}` }, partition.state), partition.why ? el("div", { class: "quiet" }, partition.why) : null),
      el("td", {}, ...checks(partition)),
      el("td", { class: "mono", title: partition.version ?? "" }, (partition.version ?? "").slice(0, 8)),
      el("td", {}, link(partition.run, "Dagster run"), partition.tracked ? " · " : "", partition.tracked ? link(partition.tracked, "MLflow run") : "", partition.docs ? " · " : "", partition.docs ? link(silverloom.root + partition.docs, "checks in full") : "")));
    const head = ["partition", "state", "checks", "MD5", "runs"].map((name) => el("th", { scope: "col" }, name));
    place.replaceChildren(
      el("p", {}, state(one), " · MD5 ", el("code", {}, one.version), one.code ? " · code " : "", one.code ? el("code", {}, one.code.slice(0, 8)) : "", " · ", link(one.dagster, "in Dagster")),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "State by partition" }, el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows))),
      one.history.length ? el("details", {}, el("summary", {}, `History: ${one.history.length} validations`), history(one.history)) : "");
  });

  function history(entries) {
    const rows = entries.slice(0, 200).map((entry) => el("tr", {},
      el("td", {}, entry.time), el("td", {}, entry.partition || "all"), el("td", { class: "mono" }, entry.version.slice(0, 8)),
      el("td", { class: "n" }, silverloom.number(entry.kept)), el("td", { class: "n" }, silverloom.number(entry.dropped)),
      el("td", {}, entry.failed.length ? el("span", { class: "state bad" }, entry.failed.join(", ")) : el("span", { class: "state good" }, "passed"))));
    const head = ["when", "partition", "MD5", "kept", "dropped", "failed expectations"].map((name) => el("th", { scope: "col" }, name));
    return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "History of validations" }, el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows)));
  }
})();
