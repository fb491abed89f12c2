// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The list of incidents, open and closed, under the days on which they began: `?view=incidents`.

import { json } from "./api.js";
import { byID, h, mark, paced, setText } from "./dom.js";
import { about } from "./incidents.js";
import { scoped } from "./scope.js";
import { follow, store } from "./store.js";
import { onView, view } from "./views.js";
import { count, day } from "./words.js";

const PAGE = 100;
const MOST = 1_000;
let limit = PAGE;
/// The response of the service.
let latest = { incidents: [] };

export function start() {
  byID("log-more").addEventListener("click", () => {
    limit = MOST;
    load();
  });
  byID("log-q").addEventListener("input", () => draw(latest));
  onView(load);
  follow((changes) => (changes.list || changes.incidents.size > 0) && load());
  setInterval(() => document.hidden || load(), 60_000);
}

const load = paced(1_000, async () => {
  if (view() !== "incidents" || store.service === null) return;
  let answer = latest;
  try {
    answer = await json(scoped(`incidents?limit=${limit}`));
  } catch (problem) {
    // Older data stays; the stream shows when reachd does not respond.
    if (byID("log-days").firstChild === null) showEmpty(problem.message);
    return;
  }
  draw(answer);
});

function showEmpty(text) {
  byID("log-empty").hidden = text === "";
  setText(byID("log-empty"), text);
}

function draw(answer) {
  latest = answer;
  const { next, open } = answer;
  const wanted = byID("log-q").value.trim().toLowerCase();
  const incidents = answer.incidents.filter(({ title, state }) => `${title} ${state}`.toLowerCase().includes(wanted));
  setText(byID("log-count"), `${wanted && `${incidents.length} of `}${next ? "the newest " : ""}${count(answer.incidents.length, "incident")}, ${open} open`);
  showEmpty(incidents.length > 0 ? "" : wanted ? "No incident matches." : "No incidents yet.");
  const days = new Map();
  for (const incident of incidents.toSorted((a, b) => (a.opened_at < b.opened_at ? 1 : -1))) {
    const name = day(incident.opened_at);
    if (!days.has(name)) days.set(name, []);
    days.get(name).push(incident);
  }
  const made = h("div", {}, [...days].map(([name, list]) => h("section", {}, h("h3", {}, name), h("ul", {}, list.map(item)))));
  if (!byID("log-days").firstChild?.isEqualNode(made)) {
    const focused = byID("log-days").contains(document.activeElement) ? document.activeElement.dataset.incident : null;
    byID("log-days").replaceChildren(made);
    if (focused) made.querySelector(`[data-incident="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }
  byID("log-more").hidden = !next || limit === MOST;
}

function item(incident) {
  const { id, title, state, severity } = incident;
  return h("li", { class: `incident ${state}`, "data-state": state === "open" ? severity : null },
    h("a", { class: "name", href: `?incident=${encodeURIComponent(id)}`, "data-incident": id }, mark(severity), h("span", {}, title)),
    h("p", { class: "about" }, h("b", {}, state), ` · ${about(incident)}`));
}
