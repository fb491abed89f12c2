// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// A screen on the wall: `?view=wall`. Tiles as large as fit without scrolling, failures first; groups when the targets are too many.

import { arrange, byID, h, mark, paced, setAttribute, setMark, setText } from "./dom.js";
import { isCovered, ranked } from "./incidents.js";
import { counted, headline, status } from "./network.js";
import { follow, isFleet, isGone, store } from "./store.js";
import { isOfIncident } from "./row.js";
import { onView, view } from "./views.js";
import { count, groupOf, latency, since, shortSpan, spread, STATES, taken, TROUBLE } from "./words.js";

/// The smallest height of a tile that can be read, in CSS pixels; larger on larger screens, which are farther away.
const least = () => Math.max(46, Math.min(innerWidth, innerHeight) / 24);
/// The width of the narrowest tile as a multiple of its height.
const SHAPE = 2.9;
const GAP = 8;
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

const tiles = new Map();

export function start() {
  follow((changes) => (changes.list || changes.link || changes.network || changes.ids.size > 0 || changes.incidents.size > 0) && draw());
  new ResizeObserver(() => draw()).observe(document.documentElement);
  setInterval(() => document.hidden || draw(), 5_000);
  onView(draw);
}

const draw = paced(400, () => {
  if (view() !== "wall") return tiles.clear();
  setText(byID("wall-title"), isFleet() && !isGone() ? counted() : headline());
  setText(byID("wall-tally"), isFleet() || counted() === headline() ? "" : counted());
  setText(byID("wall-clock"), CLOCK.format(new Date()));
  setAttribute(byID("wall"), "data-status", isFleet() ? "unknown" : status());
  // As many titles as about a quarter of the screen holds.
  const incidents = ranked().filter((incident) => !isCovered(incident));
  const room = Math.max(1, Math.floor(innerHeight / 4 / titleHeight()));
  const titles = incidents.slice(0, incidents.length > room ? room - 1 : room);
  arrange(byID("wall-incidents"), titles.map(({ id, title, severity }) => fill(`incident ${id}`, severity, title, "")));
  if (incidents.length > titles.length) byID("wall-incidents").append(fill("incidents", "", `and ${count(incidents.length - titles.length, "more incident")}`, ""));
  const box = byID("wall-tiles").getBoundingClientRect();
  const width = innerWidth - 2 * box.left;
  const height = innerHeight - box.top - box.left;
  const { items, columns, size } = layout(width, height);
  const element = byID("wall-tiles");
  element.style.setProperty("--columns", columns);
  element.style.setProperty("--tile", `${size}px`);
  arrange(element, items.map((item) => fill(...item)));
  for (const key of tiles.keys()) if (!tiles.get(key).element.isConnected) tiles.delete(key);
});

const titleHeight = () => Math.max(20, Math.min(innerWidth, innerHeight) / 28);

/// The items that fit, how many columns, and the height of a tile in CSS pixels: targets, else groups, else the first groups.
function layout(width, height) {
  for (const items of [targets(), groups()]) {
    const fit = grid(items.length, width, height);
    if (fit.size >= least()) return { items, ...fit };
  }
  const all = groups();
  let number = all.length;
  while (number > 1 && grid(number, width, height).size < least()) number -= 1;
  const others = {};
  for (const [, , , , counts] of all.slice(number - 1)) for (const state of STATES) others[state] = (others[state] ?? 0) + (counts[state] ?? 0);
  const last = ["others", worst(others), count(all.length - number + 1, "other group"), spread(others), others];
  return { items: [...all.slice(0, number - 1), last], ...grid(number, width, height) };
}

/// The largest tiles of which so many fit.
function grid(number, width, height) {
  let best = { columns: 1, size: 0 };
  for (let columns = 1; columns <= Math.max(1, number); columns += 1) {
    const lines = Math.ceil(number / columns);
    const size = Math.floor(Math.min((width - (columns - 1) * GAP) / columns / SHAPE, (height - (lines - 1) * GAP) / lines));
    if (size > best.size) best = { columns, size };
  }
  return best;
}

const rank = (state) => (TROUBLE.has(state) ? STATES.indexOf(state) : STATES.length);

/// Targets that fail only for a fault of this machine's network or a parent, from which they are one tile that says so.
const SAME = 4;

function targets() {
  const all = [...store.targets.values()];
  const same = all.filter(isOfIncident);
  const shown = same.length < SAME ? all : all.filter((target) => !isOfIncident(target));
  const common = shown === all ? [] : [["same", "unreachable", ranked()[0]?.title ?? count(same.length, "target"), detail(same[0])]];
  return [...common, ...shown.map((target, index) => ({ target, index }))
    .sort((a, b) => rank(a.target.state) - rank(b.target.state) || a.index - b.index)
    .map(({ target }) => [`target ${target.id}`, target.state, target.name, detail(target)])];
}

function detail(target) {
  if (TROUBLE.has(target.state)) return `${target.state} ${shortSpan(since(target.since))}`;
  if (target.state !== "up") return target.state;
  const time = target.last_result?.success ? taken(target.last_result) : undefined;
  return time === undefined ? "" : latency(time);
}

function groups() {
  const found = new Map();
  for (const target of store.targets.values()) {
    const name = groupOf(target);
    if (!found.has(name)) found.set(name, {});
    found.get(name)[target.state] = (found.get(name)[target.state] ?? 0) + 1;
  }
  return [...found].sort(([a, one], [b, other]) => rank(worst(one)) - rank(worst(other)) || (a < b ? -1 : 1))
    .map(([name, counts]) => [`group ${name}`, worst(counts), name || "Other targets", spread(counts), counts]);
}

const worst = (counts) => STATES.find((state) => counts[state]);

/// The element of an item, with its current text.
function fill(key, state, name, text, counts) {
  if (!tiles.has(key)) {
    const made = { mark: mark("unknown"), name: h("b", {}), text: h("span", {}) };
    made.element = h("li", {}, made.mark, made.name, made.text);
    tiles.set(key, made);
  }
  const tile = tiles.get(key);
  setAttribute(tile.element, "data-state", state);
  // A group is coloured as far as it fails.
  const share = counts ? (counts[state] ?? 0) / Object.values(counts).reduce((sum, number) => sum + number, 0) : 1;
  tile.element.classList.toggle("part", share < 1);
  tile.element.style.setProperty("--share", `${Math.max(share * 100, 2)}%`);
  tile.mark.classList.toggle("none", state === "");
  if (state !== "") setMark(tile.mark, state);
  setText(tile.name, name);
  setText(tile.text, text);
  return tile.element;
}
