"use strict";
// What every page needs: its data, the theme, and a safe way to build elements.
const silverloom = (() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const listeners = [];
  let data;

  function paint() {
    root.dataset.theme = stored() ?? (dark.matches ? "dark" : "light");
    for (const listener of listeners) listener();
  }
  paint();
  dark.addEventListener("change", paint);
  addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme").addEventListener("click", () => {
      const next = root.dataset.theme === "dark" ? "light" : "dark";
      try { localStorage.setItem("theme", next); } catch { /* a browser without storage forgets it */ }
      root.dataset.theme = next;
      for (const listener of listeners) listener();
    });
  });

  return {
    /** The data embedded in this page. */
    get data() { return data ??= JSON.parse(document.getElementById("data").textContent); },
    /** The relative path from this page to the root of the site. */
    root: root.dataset.root,
    color: (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim(),
    onTheme: (listener) => listeners.push(listener),
    /** The path of a dataset's page of some kind. */
    address: (name, kind = "datasets") => `${root.dataset.root}${kind}/${name.replaceAll("/", "-")}.html`,
    number: (value) => value.toLocaleString("en").replaceAll(",", "\u202f"),
    /** An element with attributes and children. Strings become text nodes, never markup. */
    el(tag, attributes = {}, ...children) {
      const element = document.createElement(tag);
      for (const [name, value] of Object.entries(attributes)) {
        if (value === true) element.setAttribute(name, "");
        else if (value !== false && value != null) element.setAttribute(name, value);
      }
      element.append(...children.filter((child) => child != null));
      return element;
    },
  };
})();
