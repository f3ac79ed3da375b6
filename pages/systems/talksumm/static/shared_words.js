"use strict";
// Words that two texts share: the longest common runs of ROUGE tokens.
(() => {
  const { el } = silverloom;

  /** The tokens of a text as ROUGE-1.5.5 reads them, with their offsets: [token, start, end]. */
  silverloom.rougeWords = (text) => [...text.matchAll(/[A-Za-z0-9]+/g)].map((found) => [found[0].toLowerCase(), found.index, found.index + found[0].length]);

  /**
   * The longest runs of at least two tokens of `ours` that are also in `theirs`: [first token, last token], in text
   * order. No run contains another; two may overlap.
   */
  silverloom.sharedRuns = (ours, theirs) => {
    const runs = [];
    // row[j]: how many tokens from ours[i] on equal those from theirs[j] on; only one row of the table is kept
    let below = new Uint32Array(theirs.length + 1);
    const lengths = new Uint32Array(ours.length);
    for (let i = ours.length - 1; i >= 0; i--) {
      const row = new Uint32Array(theirs.length + 1);
      for (let j = theirs.length - 1; j >= 0; j--) if (ours[i] === theirs[j]) row[j] = below[j + 1] + 1;
      lengths[i] = row.reduce((one, other) => Math.max(one, other), 0);
      below = row;
    }
    let end = 0;
    lengths.forEach((length, i) => {
      if (length < 2 || i + length <= end) return;
      end = i + length;
      runs.push([i, end - 1]);
    });
    return runs;
  };

  /**
   * Two texts with their shared words marked: the nodes of each, and the runs as [words, length], longest first.
   * Where runs overlap, each mark ends where the next begins.
   */
  silverloom.sharedWords = (first, second) => {
    const tokens = [first, second].map(silverloom.rougeWords), words = tokens.map((list) => list.map(([token]) => token));
    const [ours, theirs] = [silverloom.sharedRuns(words[0], words[1]), silverloom.sharedRuns(words[1], words[0])];
    const nodes = [[first, tokens[0], ours], [second, tokens[1], theirs]].map(([text, found, runs]) => marked(text, found, runs));
    const longest = new Map();
    for (const [from, to] of ours) longest.set(words[0].slice(from, to + 1).join(" "), to - from + 1);
    return { nodes, runs: [...longest].sort((one, other) => other[1] - one[1]), shares: [share(ours, words[0]), share(theirs, words[1])] };
  };

  function marked(text, tokens, runs) {
    const shown = silverloom.visible(text), nodes = [];
    let at = 0;
    runs.forEach(([from, to], index) => {
      const until = Math.min(to, (runs[index + 1]?.[0] ?? Infinity) - 1), start = tokens[from][1], end = tokens[until][2];
      const run = tokens.slice(from, to + 1).map(([token]) => token).join(" "), length = to - from + 1;
      nodes.push(shown.slice(at, start), el("mark", { class: length >= 5 ? "long-run" : length >= 3 ? "run-of-three" : "run-of-two", "data-run": run }, shown.slice(start, end)));
      at = end;
    });
    nodes.push(shown.slice(at));
    return nodes;
  }

  function share(runs, words) {
    let end = -1, count = 0;
    for (const [from, to] of runs) { count += to - Math.max(from, end + 1) + 1; end = to; }
    return words.length ? count / words.length : 0;
  }
})();
