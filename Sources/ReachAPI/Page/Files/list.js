// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The targets by group. Rows keep their places while they change, only changes are written, and a long list is built over
// several frames.

import { byID, h, mark, paced, setAttribute, setMark, setText } from "./dom.js";
import { describe, isShown, startFilter } from "./filter.js";
import { Row, why } from "./row.js";
import { follow, isFleet, store } from "./store.js";
import { count, groupOf, since, shortSpan, STATES, TROUBLE } from "./words.js";

/// Rows made in one frame: some milliseconds on a slow machine.
const BATCH = 60;
const ATTENTION = 12;
const heads = () => ["State", "Target", isFleet() ? "Votes" : "Latency", "Last hour", "Last 24 hours", "Uptime", "Duration"];

const rows = new Map();
const groups = new Map();
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
      if (!target || !row) continue;
      if (groupOf(target) !== row.group) place(row, target);
      row.update(target);
      setShown(row, target);
    }
    if (changes.list || changes.link || changes.ids.size > 0) summarise();
  });
  byID("groups").addEventListener("keydown", walk);
  byID("skip").addEventListener("click", (event) => {
    event.preventDefault();
    (visibleLinks()[0] ?? byID("groups")).focus();
  });
  setInterval(() => {
    if (document.hidden) return;
    for (const row of rows.values()) if (row.isSeen) row.tick();
    attention();
  }, 5_000);
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

function reconcile() {
  for (const [id, row] of rows) if (!store.targets.has(id)) drop(id, row);
  for (const [id, target] of store.targets) {
    const row = rows.get(id);
    if (row) {
      if (groupOf(target) !== row.group) place(row, target);
      row.update(target);
      setShown(row, target);
    }
  }
  queue = [...store.targets.keys()].filter((id) => !rows.has(id));
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
  group.list.append(row.element);
}

function leave(row) {
  const group = groups.get(row.group);
  if (!group) return;
  group.rows.delete(row);
  if (group.rows.size > 0) return;
  group.section.remove();
  groups.delete(row.group);
}

function makeGroup(name) {
  const id = `group-${Math.random().toString(36).slice(2)}`;
  const counts = h("span", { class: "counts" });
  const list = h("ul", { role: "list", "aria-labelledby": id });
  const section = h("section", { class: "group", "aria-labelledby": id },
    h("h3", { id }, name || "Other targets", " ", counts), h("div", { class: "heads", "aria-hidden": "true" }, heads().map((head) => h("span", {}, head))), list);
  const group = { name, section, list, counts, rows: new Set() };
  groups.set(name, group);
  // By name; the automatic targets first, targets without a group last.
  const key = ({ name: text }) => (text === "This machine" ? "0" : text === "" ? "2" : `1${text.toLowerCase()}`);
  const next = [...groups.values()].filter((other) => other !== group && key(other) > key(group)).sort((a, b) => (key(a) < key(b) ? -1 : 1))[0];
  byID("groups").insertBefore(section, next?.section ?? null);
  return group;
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
    group.section.hidden = visible === 0;
    setText(group.counts, STATES.filter((state) => counts[state]).map((state) => `${counts[state]} ${state}`).join(" · "));
  }
  setText(byID("shown"), store.link === "loading" ? "" : describe(shown, store.targets.size));
  const empty = byID("empty");
  empty.hidden = shown > 0 || store.network === null || isBuilding;
  setText(empty, store.targets.size === 0 ? "No targets yet. Add one here or in the configuration." : "No targets match.");
  attention();
});

/// The targets that need attention, newest first, above the groups.
function attention() {
  const troubled = [...store.targets.values()].filter((target) => TROUBLE.has(target.state)).sort((a, b) => (a.since < b.since ? 1 : -1));
  const list = byID("attention");
  list.hidden = troubled.length === 0;
  const shown = troubled.slice(0, ATTENTION);
  const items = shown.map(trouble);
  if (troubled.length > ATTENTION) {
    setText(others, `and ${count(troubled.length - ATTENTION, "other")}`);
    items.push(others);
  }
  for (const id of links.keys()) if (!shown.some((target) => target.id === id)) links.delete(id);
  if (items.length === list.children.length && items.every((item, index) => item === list.children[index])) return;
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  list.replaceChildren(...items);
  // Keep the focus in the list, on the same link if it is still there.
  if (focused) (list.contains(focused) ? focused : list.querySelector("a") ?? byID("groups")).focus({ preventScroll: true });
}

const links = new Map();
const others = h("li", { class: "more" });

/// The entry of a target. The element stays the same while the target is in the list, so that it can be clicked.
function trouble(target) {
  let link = links.get(target.id);
  if (!link) {
    link = { mark: mark(target.state), name: h("b", {}), text: h("span", {}) };
    link.a = h("a", { href: `#${encodeURIComponent(target.id)}` }, link.mark, link.name, link.text);
    link.item = h("li", {}, link.a);
    links.set(target.id, link);
  }
  setMark(link.mark, target.state);
  setText(link.name, target.name);
  setText(link.text, ` ${target.state} for ${shortSpan(since(target.since))}`);
  setAttribute(link.a, "title", why(target));
  setAttribute(link.item, "data-state", target.state);
  return link.item;
}

// MARK: Keys

const visibleLinks = () => [...byID("groups").querySelectorAll("section:not([hidden]) li:not([hidden]) a.name")];

function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const links = visibleLinks();
  const here = links.indexOf(document.activeElement);
  if (links.length === 0) return;
  event.preventDefault();
  links[Math.min(Math.max(here + step, 0), links.length - 1)].focus();
}
