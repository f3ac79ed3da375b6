// Record where Tab goes: returns how often to press it; then `tabbing.faults()` lists the faults.
() => {
  const WORKED = "a[href], button, select, input, textarea, summary, [onclick], [contenteditable=true]";
  const ROLES = "button link checkbox tab switch slider menuitem option radio combobox textbox".split(" ");
  const GROUPS = "tablist radiogroup toolbar listbox menu menubar grid tree".split(" ");
  const withRole = (roles) => roles.map((role) => `[role=${role}]`).join(", ");
  const LOOK = ["outlineStyle", "outlineWidth", "outlineColor", "boxShadow", "borderColor", "borderWidth",
    "backgroundColor", "color", "textDecorationLine"];
  const name = (element) => {
    const words = (element.getAttribute("aria-label") || element.innerText || element.value || "").trim();
    return `<${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ""}> "${words.slice(0, 40)}"`;
  };
  const seen = (element) => {
    const box = element.getBoundingClientRect();
    const whole = { opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true };
    return box.width > 0 && box.height > 0 && element.checkVisibility(whole);
  };
  const look = (element) => {
    const of = (part) => (part ? LOOK.map((property) => getComputedStyle(part)[property]) : []);
    const label = element.labels ? element.labels[0] : null;
    return JSON.stringify([of(element), of(element.parentElement), of(label), of(element.nextElementSibling)]);
  };

  document.activeElement.blur();
  const quiet = document.createElement("style"); // a look that fades in is there at once
  quiet.textContent = "*, *::before, *::after { transition: none !important; animation: none !important }";
  document.head.append(quiet);
  const wanted = [...document.querySelectorAll(`${WORKED}, ${withRole(ROLES)}`)].filter(
    (element) => seen(element) && !element.disabled && !element.closest("[inert], [aria-disabled=true], :disabled")
  );
  const before = new Map(wanted.map((element) => [element, look(element)]));
  const stops = [];
  const unseen = [];
  let round = false; // whether Tab came back to where it was
  const stopped = (event) => {
    const element = event.target;
    if (stops.includes(element)) {
      round = true;
      return;
    }
    stops.push(element);
    if (before.has(element) && look(element) === before.get(element)) unseen.push(element);
  };
  document.addEventListener("focusin", stopped);
  const start = document.createElement("span"); // so that Tab starts at the top, wherever one clicked before
  start.tabIndex = 0;
  document.body.prepend(start);
  start.focus({ preventScroll: true });
  stops.length = 0;
  start.remove();

  const alike = (element) => {
    // Tab stops at one element of a group; the arrow keys reach the others.
    if (element.type === "radio" && element.name) return (other) => other.type === "radio" && other.name === element.name;
    const group = element.closest(withRole(GROUPS));
    return (other) => group !== null && group.contains(other);
  };
  const earlier = (a, b) => {
    // Whether a is read before b: above it and not in a later column, or left of it on one line.
    const [first, second] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
    const line = Math.min(first.bottom, second.bottom) - Math.max(first.top, second.top);
    if (line > Math.min(first.height, second.height) / 2) return first.right <= second.left + 1;
    return first.bottom <= second.top + 1 && first.left <= second.right;
  };
  window.tabbing = {
    round: () => round || document.activeElement === document.body,
    faults() {
      document.removeEventListener("focusin", stopped);
      quiet.remove();
      const faults = [];
      for (const element of wanted) {
        if (!stops.includes(element) && !stops.some(alike(element))) {
          faults.push(`Tab does not reach ${name(element)}`);
        }
      }
      for (const element of stops.filter((stop) => stop.tabIndex > 0)) {
        faults.push(`a tabindex of ${element.tabIndex} takes ${name(element)} out of the order of the page`);
      }
      for (const element of unseen) faults.push(`focus is not seen on ${name(element)}`);
      for (let at = 1; at < stops.length; at++) {
        const [last, next] = [stops[at - 1], stops[at]];
        const back = last.compareDocumentPosition(next) & Node.DOCUMENT_POSITION_PRECEDING;
        if (back) faults.push(`Tab goes back from ${name(last)} to ${name(next)}`);
        else if (last.parentElement === next.parentElement && earlier(next, last)) {
          faults.push(`Tab goes from ${name(last)} to ${name(next)}, which is read before it`);
        }
      }
      return faults;
    },
  };
  return wanted.length;
}
