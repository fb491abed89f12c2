// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The filters: state, group, tag and text. They are in the URL's query, with the names that `/targets` uses.

import { byID, h, mark, setText } from "./dom.js";
import { addScope } from "./scope.js";
import { follow, store, tally } from "./store.js";
import { groupOf, place, STATES } from "./words.js";

const filter = { states: new Set(), group: "", tag: "", text: "" };
const chips = new Map();
let changed = () => {};

/// Whether a target matches the filters.
export function isShown(target) {
  if (filter.states.size > 0 && !filter.states.has(target.state)) return false;
  if (filter.group !== "" && groupOf(target) !== filter.group) return false;
  if (filter.tag !== "") {
    const colon = filter.tag.indexOf(":");
    if (target.tags?.[filter.tag.slice(0, colon)] !== filter.tag.slice(colon + 1)) return false;
  }
  return filter.text === "" || words(target).includes(filter.text);
}

/// Whether a filter is set.
export const isOn = () => filter.states.size > 0 || filter.group !== "" || filter.tag !== "" || filter.text !== "";

function words(target) {
  const tags = Object.entries(target.tags ?? {}).map(([name, value]) => `${name}:${value}`);
  return [target.id, target.name, place(target), target.group, target.state, target.reason?.code, target.reason?.detail, ...tags]
    .join("\n").toLowerCase();
}

export const describe = (shown, total) => (isOn() ? `${shown.toLocaleString("en")} of ${total.toLocaleString("en")}` : total.toLocaleString("en"));

// MARK: The URL

function read() {
  const query = new URLSearchParams(location.search);
  filter.states = new Set(query.getAll("state").filter((state) => STATES.includes(state)));
  filter.group = query.get("group") ?? "";
  filter.tag = query.get("tag") ?? "";
  filter.text = (query.get("q") ?? "").trim().toLowerCase();
  byID("q").value = query.get("q") ?? "";
  fillChoices();
  paint();
}

function write() {
  // Other parameters, such as the view, stay.
  const query = new URLSearchParams(location.search);
  for (const name of ["state", "group", "tag", "q", "scope"]) query.delete(name);
  for (const state of filter.states) query.append("state", state);
  if (filter.group) query.set("group", filter.group);
  if (filter.tag) query.set("tag", filter.tag);
  if (byID("q").value.trim()) query.set("q", byID("q").value.trim());
  addScope(query);
  const text = query.toString();
  history.replaceState(null, "", `${location.pathname}${text ? `?${text}` : ""}${location.hash}`);
}

function apply() {
  write();
  paint();
  changed();
}

// MARK: Choices

function paint() {
  const counts = tally();
  for (const [state, { button, number }] of chips) {
    const count = counts[state] ?? 0;
    setText(number, count.toLocaleString("en"));
    button.setAttribute("aria-pressed", filter.states.has(state));
    button.hidden = count === 0 && !filter.states.has(state) && state !== "up" && state !== "down";
    button.classList.toggle("none", count === 0);
  }
  byID("clear").hidden = !isOn();
}

function fillChoices() {
  const groups = new Set();
  const tags = new Set();
  for (const target of store.targets.values()) {
    groups.add(groupOf(target));
    for (const [name, value] of Object.entries(target.tags ?? {})) tags.add(`${name}:${value}`);
  }
  groups.delete("");
  // The choices include the value from the URL, even if no target has it.
  if (filter.group) groups.add(filter.group);
  if (filter.tag) tags.add(filter.tag);
  choices(byID("group"), "All groups", [...groups].sort(), filter.group);
  choices(byID("tag"), "All tags", [...tags].sort().slice(0, 500), filter.tag);
}

function choices(select, all, names, value) {
  const old = [...select.options].slice(1).map((option) => option.value);
  if (old.length !== names.length || old.some((name, index) => name !== names[index])) {
    select.replaceChildren(h("option", { value: "" }, all), ...names.map((name) => h("option", { value: name }, name)));
  }
  select.value = value;
  select.parentElement.hidden = names.length === 0;
}

/// - Parameter body: Called when the filters change.
export function startFilter(body) {
  changed = body;
  for (const state of [...STATES].reverse()) {
    const number = h("span", { class: "number" }, "0");
    const button = h("button", { type: "button", class: `chip ${state}`, "aria-pressed": "false", "data-state": state }, mark(state), number, ` ${state}`);
    button.addEventListener("click", () => {
      if (!filter.states.delete(state)) filter.states.add(state);
      apply();
    });
    chips.set(state, { button, number });
    byID("states").append(button);
  }
  byID("q").addEventListener("input", () => {
    filter.text = byID("q").value.trim().toLowerCase();
    apply();
  });
  byID("group").addEventListener("change", (event) => {
    filter.group = event.target.value;
    apply();
  });
  byID("tag").addEventListener("change", (event) => {
    filter.tag = event.target.value;
    apply();
  });
  byID("filters").addEventListener("submit", (event) => event.preventDefault());
  byID("filters").addEventListener("reset", (event) => {
    event.preventDefault();
    filter.states.clear();
    filter.group = filter.tag = filter.text = byID("q").value = "";
    fillChoices();
    apply();
    byID("q").focus();
  });
  addEventListener("popstate", () => {
    read();
    changed();
  });
  read();
  follow((changes) => {
    if (changes.list) fillChoices();
    if (changes.list || changes.turns.length > 0 || changes.ids.size > 0) paint();
  });
}
