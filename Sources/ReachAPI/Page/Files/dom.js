// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Making and changing elements. Text is always a text node: no name, reason or address ever becomes markup.

const SVG = "http://www.w3.org/2000/svg";

/// An element with attributes and children; `null` and `false` are left out, functions become listeners.
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/// The same for what is drawn.
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/// Says in one line under the head what somebody asked for and cannot have. The next thing takes its place.
export function note(text) {
  clearTimeout(noteTimer);
  setText(byID("note"), text);
  if (text !== "") noteTimer = setTimeout(() => note(""), 15_000);
}

let noteTimer;

export const byID = (id) => document.getElementById(id);

/// Changes a text only where it is another one: a write that changes nothing still costs a layout.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/// The sign of a state: a shape of its own, for those who see no colours.
export function mark(state) {
  return s("svg", { class: `mark ${state}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, s("use", { href: `#mark-${state}` }));
}

export function setMark(svg, state) {
  setAttribute(svg, "class", `mark ${state}`);
  setAttribute(svg.firstChild, "href", `#mark-${state}`);
}

/// Runs at most once in so many milliseconds, the last time included.
export function paced(milliseconds, body) {
  let timer = null;
  let last = 0;
  return () => {
    if (timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      last = Date.now();
      body();
    }, Math.max(0, last + milliseconds - Date.now()));
  };
}
