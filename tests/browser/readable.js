// Return the faults of readability as a list of sentences. The argument is the minimum size of running text in pixels.
(least) => {
  const faults = [];
  const smallest = 10; // of any text, also in plots
  const slack = 1.5;
  const root = document.scrollingElement;
  const name = (element) => {
    const id = element.id ? `#${element.id}` : "";
    const kind = element.classList.length ? `.${[...element.classList].join(".")}` : "";
    return `<${element.tagName.toLowerCase()}${id}${kind}>`;
  };
  if (root.scrollWidth > root.clientWidth + 1) {
    faults.push(`the page is ${root.scrollWidth} wide and scrolls sideways in ${root.clientWidth}`);
  }

  // A box of one pixel is only for screen readers.
  const forReadersOnly = (box, style) => (box.width <= 1 && box.height <= 1) || style.clipPath === "inset(50%)";
  const cutBy = (element, text) => {
    let seen = text;
    let inX = true;
    let inY = true;
    for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
      const style = getComputedStyle(at);
      const inline = style.display === "inline" && !(at instanceof SVGElement);
      if (!inline && (style.overflowX !== "visible" || style.overflowY !== "visible")) {
        const box = at.getBoundingClientRect();
        if (forReadersOnly(box, style)) return null;
        const scrolls = (value) => value === "auto" || value === "scroll";
        const clips = (value) => value === "hidden" || value === "clip";
        if (inX && clips(style.overflowX) && (seen.left < box.left - slack || seen.right > box.right + slack)) {
          return style.textOverflow === "ellipsis" && at.closest("[title]") ? null : at;
        }
        const leading = Math.max(slack, text.height * 0.25); // glyphs may be taller than their line
        if (inY && clips(style.overflowY) && (seen.top < box.top - leading || seen.bottom > box.bottom + leading)) {
          return at;
        }
        if (scrolls(style.overflowX)) inX = false;
        if (scrolls(style.overflowY)) inY = false;
      }
      if (style.position === "fixed") break;
    }
    if (inX && (seen.left < -slack || seen.right + window.scrollX > root.clientWidth + slack)) return document.documentElement;
    return null;
  };

  const sizes = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const element = node.parentElement;
    const words = node.data.trim();
    if (!words || element.closest("script, style, noscript, template, title, [aria-hidden=true]")) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()].filter((box) => box.width && box.height);
    if (!boxes.length) continue;
    const box = element.getBoundingClientRect();
    if (forReadersOnly(box, getComputedStyle(element))) continue;
    // a label may be rotated: the scale of its vertical axis in any direction
    const turned = element instanceof SVGGraphicsElement ? element.getScreenCTM() : null;
    const scale = turned ? Math.hypot(turned.c, turned.d) : 1;
    const size = parseFloat(getComputedStyle(element).fontSize) * Math.abs(scale || 1);
    sizes.set(size, (sizes.get(size) || 0) + words.length);
    const shown = words.length > 60 ? `${words.slice(0, 60)}...` : words;
    if (size < smallest) faults.push(`${name(element)} "${shown}" is set in ${size.toFixed(1)} px`);
    for (const part of boxes) {
      const by = cutBy(element, part);
      if (by) {
        faults.push(`${name(element)} "${shown}" is cut by ${name(by)}`);
        break;
      }
    }
  }
  if (!sizes.size) faults.push("no text is seen");
  const base = [...sizes].sort((a, b) => b[1] - a[1])[0];
  if (base && base[0] < least) faults.push(`most of the text is set in ${base[0]} px, less than ${least}`);
  return faults;
}
