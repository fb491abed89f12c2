// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The nodes of the fleet. They are polled, which also shows whether the fleet can be read, and whether targets were added or removed.

import { guard, learn, onAccess } from "./access.js";
import { json, request } from "./api.js";
import { byID, h, note, setText } from "./dom.js";
import { endOutage, isOut } from "./scope.js";
import { follow, isFleet, store, takeStanding } from "./store.js";
import { webAddress } from "./votes.js";
import { count } from "./words.js";

const rows = new Map();
let restart = () => {};
/// The number of targets for which the page last requested a new snapshot.
let expected = null;

/// - Parameter again: Called when the page needs a new snapshot.
export function startFleet(again) {
  restart = again;
  follow((changes) => {
    if (!changes.scope) return;
    byID("fleet-section").hidden = store.standing === null;
    if (store.standing === null) forgetNodes();
    else load();
  });
  onAccess(() => [...rows.values()].forEach(guardButton));
  document.addEventListener("visibilitychange", () => document.hidden || load());
  byID("fleet-section").addEventListener("refused", (event) => note(event.detail));
  next();
}

function next() {
  setTimeout(async () => {
    if (isOut() || !document.hidden) await load();
    next();
  }, isOut() ? 5_000 : 10_000);
}

async function load() {
  if (store.standing === null) return;
  try {
    draw(await json("fleet/nodes", { signal: AbortSignal.timeout(30_000) }));
    endOutage();
  } catch (problem) {
    // The stream shows when reachd does not respond.
    if (problem.code !== "fleet_unavailable") return;
    setText(byID("fleet-words"), "The nodes cannot be read now.");
    byID("fleet-nodes").hidden = true;
    await learnStanding();
  }
}

/// Reads why the database cannot be used; that answer does not need it.
async function learnStanding() {
  try {
    takeStanding(await json("fleet"));
  } catch {
    // The stream shows when reachd does not respond.
  }
}

function forgetNodes() {
  rows.clear();
  byID("fleet-body").replaceChildren();
  setText(byID("fleet-words"), "");
}

// MARK: Drawing

function draw({ coordinator, targets, unassigned, isolated = [], nodes = [] }) {
  // The access may have been lost meanwhile.
  if (store.standing === null) return;
  const unwatched = unassigned > 0 ? `, ${unassigned} without a node` : "";
  const cutOff = isolated.length > 0 ? `; isolated: ${isolated.join(", ")}` : "";
  setText(byID("fleet-words"), `${coordinator ? `Coordinator ${coordinator}` : "No coordinator"}, ${count(targets ?? 0, "target")}${unwatched}${cutOff}`);
  byID("fleet-nodes").hidden = nodes.length === 0;
  for (const [name, row] of rows) {
    if (nodes.some((node) => node.name === name)) continue;
    row.element.remove();
    rows.delete(name);
  }
  for (const node of nodes) {
    if (!rows.has(node.name)) rows.set(node.name, makeRow(node.name));
    drawNode(rows.get(node.name), node, coordinator);
  }
  noticeTargets(targets);
}

function makeRow(name) {
  const button = h("button", { type: "button", click: () => drain(name) });
  const cells = Array.from({ length: 5 }, () => h("td", {}));
  const head = h("th", { scope: "row" });
  const element = h("tr", {}, head, cells, h("td", {}, button));
  byID("fleet-body").append(element);
  return { element, head, cells, button, node: null };
}

/// The button stays the same element, so that it keeps the focus.
function drawNode(row, node, coordinator) {
  row.node = node;
  row.element.dataset.state = node.state;
  const address = webAddress(node.url);
  const roles = [node.name === coordinator && "coordinator", node.name === store.standing.node && "this node"].filter(Boolean).join(", ");
  const head = [address ? h("a", { href: address }, node.name) : node.name, roles && ` (${roles})`].filter(Boolean);
  const made = h("th", { scope: "row" }, head);
  if (!row.head.isEqualNode(made)) row.head.replaceChildren(...made.childNodes);
  [node.location, node.state, node.targets.toLocaleString("en"), node.backlog.toLocaleString("en"), node.version]
    .forEach((text, index) => setText(row.cells[index], text));
  const isDraining = node.state === "draining";
  row.button.hidden = !isDraining && node.state !== "live";
  setText(row.button, isDraining ? "Undrain" : "Drain");
  row.button.setAttribute("aria-label", `${isDraining ? "Undrain" : "Drain"} ${node.name}`);
  guardButton(row);
}

const guardButton = ({ button }) => guard(button);

/// No event reports that a target was added or removed.
function noticeTargets(targets) {
  if (!isFleet() || store.link !== "live" || targets === store.targets.size) return;
  // A difference that remains after a new snapshot has another reason.
  if (targets === expected) return;
  expected = targets;
  restart();
}

// MARK: Actions

async function drain(name) {
  const { button, node } = rows.get(name);
  button.disabled = true;
  try {
    await request(`fleet/nodes/${encodeURIComponent(name)}/${node.state === "draining" ? "undrain" : "drain"}`, { method: "POST" });
  } catch (problem) {
    learn(problem);
    note(problem.message);
  }
  await load();
  // A disabled button loses the focus; restore it.
  guard(button);
  if (document.activeElement === document.body) button.focus();
}
