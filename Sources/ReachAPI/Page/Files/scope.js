// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Whose targets the page shows: those of the fleet, or what this node knows, with `?scope=node`. Without a fleet there is no choice.

import { onUnavailable } from "./api.js";
import { byID, setText } from "./dom.js";
import { follow, store } from "./store.js";
import { moment } from "./words.js";

/// Whether the user chose this node's view.
let isNodeWanted = isNodeInURL();
/// Since when the fleet cannot be read, and why: `{ at, detail }`; null while it can.
let outage = null;
let restart = () => {};

/// Whether the next snapshot is that of this node.
export const isNodeNext = () => isNodeWanted || outage !== null;

/// Whether the page shows this node's view because the fleet cannot be read.
export const isOut = () => outage !== null;

/// A path with the scope of the data that the page shows, or with another one.
export function scoped(path, isNode = store.standing !== null && store.scope === "node") {
  return isNode ? `${path}${path.includes("?") ? "&" : "?"}scope=node` : path;
}

/// Adds the scope to the page's query, beside the filters.
export function addScope(query) {
  if (isNodeWanted) query.set("scope", "node");
}

/// The fleet answered: shows it again after an outage.
export function endOutage() {
  if (outage === null) return;
  outage = null;
  restart();
}

function isNodeInURL() {
  return new URLSearchParams(location.search).get("scope") === "node";
}

function choose(isNode) {
  isNodeWanted = isNode;
  // "Fleet" during an outage tries again at once.
  outage = null;
  const query = new URLSearchParams(location.search);
  query.delete("scope");
  addScope(query);
  const text = query.toString();
  history.replaceState(null, "", `${location.pathname}${text ? `?${text}` : ""}${location.hash}`);
  draw();
  restart();
}

/// - Parameter again: Called when the page needs the targets of another scope.
export function startScope(again) {
  restart = again;
  onUnavailable((problem) => {
    if (isNodeNext()) return;
    outage = { at: new Date().toISOString(), detail: problem.message };
    restart();
  });
  byID("scope-fleet").addEventListener("click", () => choose(false));
  byID("scope-node").addEventListener("click", () => isNodeWanted || choose(true));
  addEventListener("popstate", () => {
    if (isNodeInURL() === isNodeWanted || store.standing === null) return;
    isNodeWanted = !isNodeWanted;
    draw();
    restart();
  });
  follow((changes) => {
    // Without a fleet the parameter means nothing.
    if (changes.list && store.service !== null && store.standing === null) isNodeWanted = false;
    if (changes.scope || changes.list || changes.standing) draw();
    if (changes.scope && store.standing !== null) setText(byID("news"), label() || "The page shows the fleet.");
  });
}

function draw() {
  byID("scope").hidden = store.standing === null;
  byID("scope-fleet").setAttribute("aria-pressed", !isNodeWanted);
  byID("scope-node").setAttribute("aria-pressed", isNodeWanted);
  document.body.dataset.scope = store.scope;
  const view = byID("view");
  setText(view, label());
  view.hidden = view.textContent === "";
  view.classList.toggle("banner", outage !== null);
}

/// Which node's view is shown, and why; empty for the fleet's.
function label() {
  const { standing } = store;
  if (standing === null || store.scope !== "node") return "";
  const who = `${standing.node} in ${standing.location}`;
  if (outage === null) return `Only this node’s view is shown: what ${who} observes.`;
  const { since, detail } = standing.database;
  const why = (detail ?? outage.detail).replace(/\.?$/, ".");
  return `The fleet’s database cannot be read since ${moment(since ?? outage.at)}; showing this node’s view, ${who}. ${why}`;
}
