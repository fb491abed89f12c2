// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Creates and changes elements. Text is always a text node: names, reasons and addresses never become markup.

const SVG = "http://www.w3.org/2000/svg";

/// An element with attributes and children; `null` and `false` are left out, functions become listeners.
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/// The same for SVG elements.
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

/// Shows a message below the header for 15 seconds, for example why an action is refused. A new message replaces it.
export function note(text) {
  clearTimeout(noteTimer);
  setText(byID("note"), text);
  if (text !== "") noteTimer = setTimeout(() => note(""), 15_000);
}

let noteTimer;

export const byID = (id) => document.getElementById(id);

/// Changes a text only if it differs: writing an equal text still costs a layout.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/// The sign of a state. Each state has its own shape, so that it does not depend on colours.
export function mark(state) {
  return s("svg", { class: `mark ${state}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, s("use", { href: `#mark-${state}` }));
}

export function setMark(svg, state) {
  setAttribute(svg, "class", `mark ${state}`);
  setAttribute(svg.firstChild, "href", `#mark-${state}`);
}

/// Puts an element before another of the same parent, or at the end, with its focus.
export function move(parent, item, next) {
  if (item.parentNode === parent && item.nextSibling === next) return;
  if (item.parentNode === parent && item.isConnected && parent.moveBefore) return parent.moveBefore(item, next);
  const focused = item.contains(document.activeElement) ? document.activeElement : null;
  parent.insertBefore(item, next);
  focused?.focus({ preventScroll: true });
}

/// Makes these elements the children, in this order; those that stay keep the focus.
export function arrange(parent, items) {
  const wanted = new Set(items);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let next = null;
  for (const item of items.toReversed()) {
    move(parent, item, next);
    next = item;
  }
}

/// Throttles a function: it runs at most once in this time, and always after the last call.
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
