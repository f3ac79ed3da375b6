"use strict";
// Heat maps of what both thresholds of each method would keep, and generated sentences compared with their sources.
(() => {
  for (const place of document.querySelectorAll("[data-plane]")) silverloom.twoThresholds(place, silverloom.data.planes[place.dataset.plane]);

  const { el, visible } = silverloom;
  document.getElementById("sentences")?.append(...silverloom.data.generated.map((sentence) => el("article", { class: "card row pair" },
    silverloom.diff(sentence.difference),
    el("dl", { class: "facts" }, ...[["reference", sentence.target], ["model", sentence.model]].map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", { dir: "auto" }, visible(value ?? ""))))))));
})();
