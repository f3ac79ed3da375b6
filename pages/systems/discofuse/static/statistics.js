"use strict";
// Discourse types and connectives of each domain, with the paper's numbers.
(() => {
  const { domains } = silverloom.data.statistics;
  const paper = (name) => `the paper, ${name[0].toUpperCase()}${name.slice(1)}`;
  const percent = (value) => `${value.toFixed(1)} %`;

  /** Horizontal bars for our numbers, and a tick for each number of the paper. */
  function bars(values, published) {
    const height = 22 * values.length;
    const x = { field: "percent", type: "quantitative", title: "% of the examples", scale: { zero: true }, axis: { tickCount: 5 } };
    const y = { field: "name", type: "nominal", sort: null, title: null };
    const tooltip = [{ field: "name", title: " " }, { field: "percent", format: ".1f" }, { field: "of" }, { field: "examples" }];
    const names = [...new Set(published.map((one) => one.of))];
    return () => ({
      width: "container", height, encoding: { x, y, tooltip },
      layer: [
        { data: { values }, mark: { type: "bar", color: silverloom.color("kept-fill") } },
        ...(published.length ? [{
          data: { values: published }, mark: { type: "tick", thickness: 3, size: 18 },
          encoding: { color: { field: "of", type: "nominal", scale: { domain: names, range: [silverloom.color("text"), silverloom.color("dropped-fill")] }, legend: { columns: 1 } } },
        }] : []),
      ],
    });
  }

  const shares = (one, counts) => counts.map(([name, examples]) => ({ name, examples, of: one.domain, percent: 100 * examples / one.examples }));
  const summary = (values) => values.filter((one) => one.examples).map((one) => `${one.name} ${percent(one.percent)}`).join(", ");

  for (const place of document.querySelectorAll("[data-types]")) {
    const one = domains[Number(place.dataset.types)], values = shares(one, one.types);
    silverloom.chart(place, bars(values, []), `Discourse types of ${one.domain}: ${summary(values)}`);
  }
  for (const place of document.querySelectorAll("[data-connectives]")) {
    const one = domains[Number(place.dataset.connectives)], values = shares(one, one.connectives);
    const published = one.published.flatMap(({ domain, connectives }) => Object.entries(connectives).map(([name, share]) => ({ name, percent: share, of: paper(domain) })));
    silverloom.chart(place, bars(values, published), `Connectives of ${one.domain}: ${summary(values)}`);
  }
})();
