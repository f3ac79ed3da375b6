"use strict";
// Two texts against each other, word by word.
(() => {
  const { el } = silverloom;
  const MOST = 4_000_000; // cells of the table: beyond it, the middle counts as replaced whole

  /** Split into words and what is between them. */
  const words = (text) => text.match(/\s+|[\p{L}\p{N}\p{M}'’]+|[^\s\p{L}\p{N}\p{M}]/gu) ?? [];

  /**
   * The longest common subsequence of words as a list of [kind, text]: kind is "same", "new" or "old".
   * Common beginnings and ends are set aside first, so that long texts with few changes are quick.
   */
  silverloom.difference = (before, after) => {
    const old = words(before), now = words(after);
    let start = 0, end = 0;
    while (start < old.length && start < now.length && old[start] === now[start]) start++;
    while (end < old.length - start && end < now.length - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
    const steps = [["same", old.slice(0, start)], ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)), ["same", old.slice(old.length - end)]];
    const joined = [];
    for (const [kind, part] of steps) {
      if (!part.length) continue;
      if (joined.at(-1)?.[0] === kind) joined.at(-1)[1] += part.join("");
      else joined.push([kind, part.join("")]);
    }
    return joined;
  };

  function middle(old, now) {
    if (!old.length || !now.length || old.length * now.length > MOST) return [["old", old], ["new", now]];
    const width = now.length + 1, length = new Uint32Array((old.length + 1) * width);
    for (let i = old.length - 1; i >= 0; i--)
      for (let j = now.length - 1; j >= 0; j--)
        length[i * width + j] = old[i] === now[j] ? length[(i + 1) * width + j + 1] + 1 : Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
    const steps = [];
    let i = 0, j = 0;
    while (i < old.length || j < now.length) {
      if (i < old.length && j < now.length && old[i] === now[j]) { steps.push(["same", [old[i++]]]); j++; }
      else if (i < old.length && (j === now.length || length[(i + 1) * width + j] >= length[i * width + j + 1])) steps.push(["old", [old[i++]]]);
      else steps.push(["new", [now[j++]]]);
    }
    return steps;
  }

  /** The difference of two texts as one element: what is gone struck out, what is new underlined, both named for screen readers. */
  silverloom.diff = (before, after) => {
    const { visible, spoken } = silverloom;
    return el("p", { class: "text diff", dir: "auto" }, ...silverloom.difference(before, after).map(([kind, text]) =>
      kind === "same" ? visible(text)
        : kind === "new" ? el("ins", {}, spoken(" [added: "), visible(text), spoken("] "))
          : el("del", {}, spoken(" [removed: "), visible(text), spoken("] "))));
  };
})();
