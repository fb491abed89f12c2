// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The keys of the page. They do nothing while the user types in a form; dialogs have only Escape.

import { byID, h } from "./dom.js";
import { heading, visibleLinks } from "./list.js";
import { leave, view } from "./views.js";

const KEYS = [
  ["/", "search"], ["j ↓", "next target; from the search, the first"], ["k ↑", "target before"], ["Home End", "first and last target"],
  ["Enter", "details of the target; in the search, of the first"], ["g", "first group, then the next one; Enter opens or closes it"],
  ["?", "these keys"], ["Esc", "close, or leave the search or the wall"],
];
const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };

export function startKeys() {
  addEventListener("keydown", press);
  byID("show-keys").addEventListener("click", show);
}

function press(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const action = event.target === byID("q") ? ofSearch(event.key) : /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) ? null : ofPage(event);
  if (!action) return;
  event.preventDefault();
  action();
}

function ofPage({ key, target }) {
  if (key === "?") return show;
  if (view() === "wall" && key === "Escape") return () => leave("view");
  if (view() !== "targets") return null;
  if (key === "/") return () => byID("q").focus();
  if (key === "g") return () => heading(target)?.focus();
  // Home and End scroll the page, unless a target has the focus.
  if (!(key in STEPS) || (key.length > 1 && !byID("groups").contains(target))) return null;
  return () => step(STEPS[key], target);
}

/// In the search only keys that type nothing.
function ofSearch(key) {
  if (key === "ArrowDown") return () => visibleLinks()[0]?.focus();
  if (key === "Enter") return () => visibleLinks()[0]?.click();
  if (key === "Escape" && byID("q").value === "") return () => byID("q").blur();
  return null;
}

/// Moves the focus to another target: from a group's head to the targets beside it.
function step(by, from) {
  const links = visibleLinks();
  if (links.length === 0) return;
  let here = links.indexOf(from);
  if (here < 0) {
    const next = links.findIndex((link) => from.compareDocumentPosition(link) & Node.DOCUMENT_POSITION_FOLLOWING);
    here = byID("groups").contains(from) && next >= 0 ? next - (by > 0 ? 1 : 0) : by > 0 ? -1 : 1;
  }
  links[Math.min(Math.max(here + by, 0), links.length - 1)].focus();
}

function show() {
  const dialog = byID("keys");
  dialog.replaceChildren(h("div", { class: "question" },
    h("h2", { id: "keys-title" }, "Keys"),
    h("dl", { class: "facts" }, KEYS.map(([keys, words]) => h("div", {}, h("dt", {}, keys.split(" ").map((key) => h("kbd", {}, key))), h("dd", {}, words)))),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "main", click: () => dialog.close() }, "Close"))));
  dialog.showModal();
}
