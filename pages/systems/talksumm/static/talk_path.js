"use strict";
// The path of a talk: time from left to right, the paper from top to bottom.
(() => {
  const NS = "http://www.w3.org/2000/svg";
  const svg = (tag, attributes, ...children) => {
    const element = document.createElementNS(NS, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const TICKS = [1, 2, 5, 10, 15, 30];

  silverloom.clock = (seconds) => {
    const whole = Math.floor(seconds), pad = (value) => String(value).padStart(2, "0");
    const hours = Math.floor(whole / 3600);
    return `${hours ? `${hours}:` : ""}${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}`;
  };

  /** Draw the path into `place`; a click calls `choose(run index)`. Returns `show(sentence index or null)`. */
  silverloom.path = (place, caption, choose) => {
    const { runs, sentences, sections, words, starts, gold } = silverloom.data;
    // A run lasts until the word after it begins; the last word lasts 0.4 s, about an average word.
    const end = starts ? starts.at(-1) + 0.4 : words.length, origin = starts ? Math.min(starts[0], 0) : 0;
    const time = (word) => (word >= words.length ? end : starts ? starts[word] : word);
    let scale, now, guide, selected = null;

    function ticks(width) {
      const span = (end - origin) / (starts ? 60 : 1), most = Math.max(2, width / 90);
      const steps = TICKS.flatMap((step) => (starts ? [step / 2, step, step * 10] : [step, step * 10, step * 100, step * 1000, step * 10000])).sort((a, b) => a - b);
      const step = steps.find((one) => span / one <= most) ?? steps.at(-1);
      const found = [];
      for (let at = Math.ceil(origin); at <= span; at += step) found.push(at);
      return found.map((at) => [starts ? at * 60 : at, starts ? silverloom.clock(at * 60) : silverloom.number(at)]);
    }

    const line = (list) => list.map(([first, last, sentence]) => `M${scale.x(time(first))} ${scale.y(sentence)}H${Math.max(scale.x(time(first)) + 1, scale.x(time(last + 1)))}`).join("");

    function draw() {
      const width = place.clientWidth, height = width < 600 ? 200 : 300;
      const left = width < 600 ? 8 : 176, right = 8, bottom = 22, top = 8;
      const round = (value) => Math.round(value * 10) / 10;
      scale = {
        x: (at) => round(left + ((at - origin) / (end - origin || 1)) * (width - left - right)),
        y: (sentence) => round(top + ((sentence + 0.5) / sentences.length) * (height - top - bottom)),
        word: (x) => origin + ((x - left) / (width - left - right)) * (end - origin),
      };
      const edge = (sentence) => round(top + (sentence / sentences.length) * (height - top - bottom));
      const picture = svg("svg", { width, height, role: "img", "aria-label": "The path of the talk: time from left to right, the sentences of the paper from top to bottom. The paper and the transcript below offer the same as text." });
      let free = 0;
      sections.forEach((section, index) => {
        if (!section.size) return;
        const [from, to] = [edge(section.first), edge(section.first + section.size)];
        picture.append(svg("rect", { x: left, y: from, width: width - left - right, height: to - from, class: `band s${index % 8}${index % 2 ? " odd" : ""}` }));
        if (width < 600 || (from + to) / 2 < free) return;  // no room for its name
        const name = section.title || "without a heading", short = name.length > 22 ? `${name.slice(0, 21)}…` : name;
        picture.append(svg("text", { x: left - 8, y: (from + to) / 2 + 4, "text-anchor": "end" }, svg("title", {}, name), short));
        free = (from + to) / 2 + 13;
      });
      for (const [at, label] of ticks(width - left - right)) {
        const x = scale.x(at);
        picture.append(svg("line", { x1: x, x2: x, y1: top, y2: height - bottom, class: "grid" }));
        picture.append(svg("text", { x, y: height - 6, "text-anchor": x < left + 20 ? "start" : x > width - 30 ? "end" : "middle" }, label));
      }
      const forth = [], back = [];
      for (let at = 1; at < runs.length; at++) {
        const [, last, before] = runs[at - 1], [first, , after] = runs[at];
        (after < before ? back : forth).push(`M${scale.x(time(last + 1))} ${scale.y(before)}L${scale.x(time(first))} ${scale.y(after)}`);
      }
      if (gold) picture.append(svg("path", { d: line(gold.runs.filter(([, , sentence]) => sentence !== null)), class: "gold" }));
      guide = svg("line", { x1: left, x2: width - right, class: "guide" });
      now = svg("path", { class: "now" });
      picture.append(guide, svg("path", { d: forth.join(""), class: "forth" }), svg("path", { d: back.join(""), class: "back" }), svg("path", { d: line(runs), class: "stay" }), now);
      picture.addEventListener("click", (event) => { const run = nearest(event); if (run >= 0) choose(run); });
      picture.addEventListener("pointermove", (event) => describe(nearest(event)));
      picture.addEventListener("pointerleave", () => describe(-1));
      place.replaceChildren(picture);
      show(selected);
    }

    function nearest(event) {
      const at = scale.word(event.clientX - place.firstChild.getBoundingClientRect().left);
      let low = 0, high = runs.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (time(runs[middle][0]) <= at) low = middle; else high = middle - 1;
      }
      return high < 0 ? -1 : low;
    }

    function describe(run) {
      if (run < 0) { caption.replaceChildren(...legend()); return; }
      const [first, , index] = runs[run], sentence = sentences[index];
      const when = starts ? silverloom.clock(starts[first]) : `word ${silverloom.number(first + 1)}`;
      caption.textContent = `${when} · sentence ${sentence.position + 1}: ${sentence.text.slice(0, 120)}${sentence.text.length > 120 ? "…" : ""}`;
    }

    function legend() {
      const { el } = silverloom, key = (name, text) => el("span", { class: "legend" }, el("span", { class: `key ${name}` }), text);
      const parts = [key("", "within a sentence"), key("forth", "forward"), key("back", "back"), "time from left to right, the paper from top to bottom"];
      if (gold) parts.unshift(key("gold", "manual labels"));
      return parts;
    }

    function show(sentence) {
      selected = sentence;
      if (!now) return;
      const chosen = sentence === null ? [] : runs.filter((run) => run[2] === sentence);
      now.setAttribute("d", line(chosen));
      guide.style.display = sentence === null ? "none" : "";
      if (sentence !== null) for (const name of ["y1", "y2"]) guide.setAttribute(name, scale.y(sentence));
    }

    let width = 0;
    new ResizeObserver(() => { if (place.clientWidth !== width) { width = place.clientWidth; draw(); } }).observe(place);
    width = place.clientWidth;
    draw();
    describe(-1);
    return show;
  };
})();
