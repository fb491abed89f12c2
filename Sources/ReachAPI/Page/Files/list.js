// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The targets by group. Failing rows come first in their group, and groups with failures first; groups where all is well are closed.
// Only changes are written, and a long list is built over several frames.

import { groupDays } from "./days.js";
import { byID, h, move, paced, setAttribute, setText } from "./dom.js";
import { describe, isOn, isShown, startFilter } from "./filter.js";
import { Row } from "./row.js";
import { follow, isFleet, store } from "./store.js";
import { groupOf, spread, STATES, TROUBLE } from "./words.js";

/// Rows made in one frame: some milliseconds on a slow machine.
const BATCH = 60;
/// Up to this number of targets, groups where all is well stay open: all rows fit about one screen.
const FEW = 20;
/// How long a group stays open after its last failure, in milliseconds: one that fails now and then does not open and close.
const CALM = 10_000;
const CHOICES = "reachd-groups";
const heads = () => ["", "Target", isFleet() ? "Votes" : "Latency", "Last hour", "Last 24 hours", "Uptime", "Duration"];

const rows = new Map();
const groups = new Map();
/// Groups that the user opened or closed, by name, for this tab.
const chosen = readChoices();
let queue = [];
let isBuilding = false;
/// When all rows were built, in milliseconds since the page loaded; for measurements.
export let completeAt = null;

export function startList() {
  startFilter(filterAll);
  follow((changes) => {
    if (changes.scope) clear();
    if (changes.list) reconcile();
    for (const id of changes.ids) {
      const target = store.targets.get(id);
      const row = rows.get(id);
      if (target && row) renew(row, target);
    }
    if (changes.list || changes.link || changes.ids.size > 0) summarise();
  });
  byID("skip").addEventListener("click", (event) => {
    event.preventDefault();
    (visibleLinks()[0] ?? heading() ?? byID("groups")).focus();
  });
  setInterval(() => {
    if (document.hidden) return;
    for (const row of rows.values()) if (row.isSeen) row.tick();
    summarise();
  }, 5_000);
}

/// The links of the rows that are shown, in their order.
export const visibleLinks = () => [...byID("groups").querySelectorAll("section:not([hidden]) ul:not([hidden]) li:not([hidden]) a.name")];

/// The button of the group after that one in which an element is; of the first group, if there is none.
export function heading(element = null) {
  const buttons = [...byID("groups").querySelectorAll("section:not([hidden]) h3 button")];
  return buttons[buttons.indexOf(element?.closest("section.group")?.querySelector("h3 button")) + 1] ?? buttons[0];
}

// MARK: Rows

/// Removes all rows: those of another scope show other things.
function clear() {
  for (const [id, row] of rows) drop(id, row);
}

function drop(id, row) {
  leave(row);
  row.remove();
  rows.delete(id);
}

function renew(row, target) {
  row.update(target);
  if (groupOf(target) !== row.group) place(row, target);
  else settle(row);
  setShown(row, target);
}

function reconcile() {
  for (const [id, row] of rows) if (!store.targets.has(id)) drop(id, row);
  let index = 0;
  for (const [id, target] of store.targets) {
    const row = rows.get(id);
    index += 1;
    if (!row) continue;
    row.index = index;
    renew(row, target);
  }
  queue = [...store.targets.keys()].filter((id) => !rows.has(id));
  const texts = heads();
  if (byID("heads").children[2]?.textContent !== texts[2]) byID("heads").replaceChildren(...texts.map((text) => h("span", {}, text)));
  if (!isBuilding) {
    isBuilding = true;
    build();
  }
}

function build() {
  for (const id of queue.splice(0, BATCH)) {
    const target = store.targets.get(id);
    if (!target || rows.has(id)) continue;
    const row = new Row(target);
    row.index = rows.size + 1;
    rows.set(id, row);
    place(row, target);
    setShown(row, target);
  }
  if (queue.length > 0) return void requestAnimationFrame(build);
  isBuilding = false;
  completeAt ??= performance.now();
  document.body.dataset.rows = String(rows.size);
  summarise();
}

function place(row, target) {
  leave(row);
  row.group = groupOf(target);
  const group = groups.get(row.group) ?? makeGroup(row.group);
  group.rows.add(row);
  settle(row);
}

function leave(row) {
  const group = groups.get(row.group);
  if (!group) return;
  group.rows.delete(row);
  if (group.rows.size > 0) return;
  group.section.remove();
  groups.delete(row.group);
}

// MARK: Order

/// Moves a row to its place: by severity, the newest failures first, else in the order of the service.
function settle(row) {
  const { list } = groups.get(row.group);
  const { state, since } = row.target;
  // Kept in the row: that of another one may have changed since it got its place.
  row.order = TROUBLE.has(state) ? [STATES.indexOf(state), -Date.parse(since)] : [STATES.length, 0];
  const isPlaced = row.element.parentNode === list;
  const before = Row.of(isPlaced ? row.element.previousElementSibling : list.lastElementChild);
  const after = Row.of(isPlaced ? row.element.nextElementSibling : null);
  if ((!before || isBefore(before, row)) && (!after || isBefore(row, after))) return void (isPlaced || list.append(row.element));
  let next = list.firstElementChild;
  while (next && (next === row.element || isBefore(Row.of(next), row))) next = next.nextElementSibling;
  move(list, row.element, next);
}

function isBefore(row, other) {
  const [severity, time] = [row.order[0] - other.order[0], row.order[1] - other.order[1]];
  return (severity || time || row.index - other.index) < 0;
}

/// Groups with failures come first; of equal ones, the automatic targets first, targets without a group last.
function settleGroup(group) {
  const key = ({ worst, name }) => `${worst}${name === "This machine" ? "0" : name === "" ? "2" : `1${name.toLowerCase()}`}`;
  const next = [...groups.values()].filter((other) => other !== group && key(other) > key(group)).sort((a, b) => (key(a) < key(b) ? -1 : 1))[0];
  move(byID("groups"), group.section, next?.section ?? null);
}

// MARK: Groups

function makeGroup(name) {
  const id = `group-${Math.random().toString(36).slice(2)}`;
  const counts = h("span", { class: "counts" });
  const list = h("ul", { role: "list", id, "aria-labelledby": `${id}-name` });
  const button = h("button", { type: "button", "aria-controls": id, click: () => choose(group) },
    h("span", { id: `${id}-name` }, name || "Other targets"), " ", counts);
  const section = h("section", { class: "group", "aria-labelledby": `${id}-name` }, h("h3", {}, button), groupDays(name), list);
  const group = { name, section, list, button, counts, rows: new Set(), worst: STATES.length, badAt: -Infinity };
  groups.set(name, group);
  settleGroup(group);
  return group;
}

function choose(group) {
  chosen[group.name] = group.list.hidden;
  open(group, chosen[group.name]);
  try {
    sessionStorage.setItem(CHOICES, JSON.stringify(chosen));
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

function readChoices() {
  try {
    return { __proto__: null, ...JSON.parse(sessionStorage.getItem(CHOICES)) };
  } catch {
    return { __proto__: null };
  }
}

function open(group, isOpen) {
  setAttribute(group.button, "aria-expanded", String(isOpen));
  if (group.list.hidden === isOpen) group.list.hidden = !isOpen;
}

/// Whether a group is open: as the user chose, else while a target of it fails, or all targets are few. Filters open all groups.
function isOpen(group) {
  if (isOn()) return true;
  if (group.name in chosen) return chosen[group.name];
  return store.targets.size <= FEW || performance.now() - group.badAt < CALM || group.list.contains(document.activeElement);
}

// MARK: Visible rows

function setShown(row, target) {
  const isHidden = !isShown(target);
  if (row.element.hidden !== isHidden) row.element.hidden = isHidden;
}

function filterAll() {
  for (const [id, row] of rows) {
    const target = store.targets.get(id);
    if (target) setShown(row, target);
  }
  summarise();
}

const summarise = paced(100, () => {
  let shown = 0;
  for (const group of groups.values()) {
    const counts = {};
    let visible = 0;
    for (const row of group.rows) {
      counts[row.target.state] = (counts[row.target.state] ?? 0) + 1;
      if (!row.element.hidden) visible += 1;
    }
    shown += visible;
    if (group.section.hidden !== (visible === 0)) group.section.hidden = visible === 0;
    setText(group.counts, spread(counts));
    const worst = STATES.findIndex((state) => counts[state] && TROUBLE.has(state));
    if (worst >= 0) group.badAt = performance.now();
    if (group.worst !== (worst < 0 ? STATES.length : worst)) {
      group.worst = worst < 0 ? STATES.length : worst;
      settleGroup(group);
    }
    open(group, isOpen(group));
  }
  setText(byID("shown"), store.link === "loading" ? "" : describe(shown, store.targets.size));
  byID("heads").hidden = shown === 0;
  const empty = byID("empty");
  empty.hidden = shown > 0 || store.network === null || isBuilding;
  setText(empty, store.targets.size === 0 ? "No targets yet. Add one here or in the configuration." : "No targets match.");
});
