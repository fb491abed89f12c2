// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The view and the incident that the page shows. They are in the URL's query beside the filters: `?view=wall`, `?incident=ID`. Their
// modules are loaded when they are needed for the first time.

import { note, setAttribute } from "./dom.js";

const VIEWS = ["incidents", "wall"];
const PARTS = [
  { isNeeded: () => view() === "incidents", load: () => import("./log.js") },
  { isNeeded: () => view() === "wall", load: () => import("./wall.js") },
  { isNeeded: () => incidentID() !== null, load: () => import("./incident.js") },
];
const listeners = [];

const query = () => new URLSearchParams(location.search);

/// `targets`, `incidents` or `wall`.
export const view = () => VIEWS.find((name) => name === query().get("view")) ?? "targets";

/// The id of the incident in the URL; null without one.
export const incidentID = () => query().get("incident");

/// Calls a function now and whenever the URL changes.
export function onView(body) {
  listeners.push(body);
  body();
}

/// Changes parameters of the query; null deletes one. Returns when the module of what they show is loaded.
///
/// - Parameter isStep: Whether the browser's back button undoes it.
export function go(changes, isStep = true) {
  const next = query();
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  const url = `${location.pathname}${text ? `?${text}` : ""}${location.hash}`;
  if (isStep) history.pushState({ isStep: true }, "", url);
  else history.replaceState(null, "", url);
  return route();
}

/// Leaves what a step opened: goes back to where it began, or removes the parameter.
export function leave(name) {
  if (history.state?.isStep) history.back();
  else go({ [name]: null }, false);
}

function route() {
  document.body.dataset.view = view();
  for (const link of document.querySelectorAll("header [data-view]")) {
    setAttribute(link, "aria-current", link.dataset.view === view() ? "page" : null);
  }
  for (const part of document.querySelectorAll("main > [data-of]")) part.hidden = part.dataset.of !== view();
  for (const listener of listeners) listener();
  return Promise.all(PARTS.filter(({ isNeeded }) => isNeeded()).map(start));
}

/// Loads and starts a part once.
async function start(part) {
  try {
    await (part.started ??= part.load().then((module) => module.start()));
  } catch {
    part.started = null;
    note("A part of the page cannot be loaded now; reload the page.");
  }
}

/// Links to views and incidents change the URL without loading the page again.
function click(event) {
  const link = event.target.closest?.("a[data-view], a[data-incident]");
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (link.dataset.incident) go({ incident: link.dataset.incident });
  else if (link.dataset.view !== view()) go({ view: link.dataset.view === "targets" ? null : link.dataset.view, incident: null });
}

export function startViews() {
  addEventListener("click", click);
  addEventListener("popstate", route);
  route();
}
