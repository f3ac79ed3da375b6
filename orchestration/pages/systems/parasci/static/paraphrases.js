"use strict";
// What both thresholds of each method would keep, and generated sentences against their sources.
(() => {
  for (const place of document.querySelectorAll("[data-plane]")) silverloom.twoThresholds(place, silverloom.data.planes[place.dataset.plane]);
})();
