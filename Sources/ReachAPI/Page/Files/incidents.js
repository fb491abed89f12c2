// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// One banner for each open incident, the fault nearest to this machine first.

import { guard, learn, onAccess } from "./access.js";
import { json } from "./api.js";
import { arrange, byID, h, mark, note, paced, setAttribute, setMark, setText } from "./dom.js";
import { scoped } from "./scope.js";
import { follow, store, takeIncident } from "./store.js";
import { go, incidentID } from "./views.js";
import { cause, count, lasting, moment } from "./words.js";

const SHOWN = 6;
/// Banners after "and N more"; the list of incidents has all.
const MOST = 100;
const SEVERITIES = ["down", "unreachable", "degraded"];
/// Kinds of causes other than the target itself, the nearest to this machine first.
const NEAREST = ["link", "route", "firewall", "gateway", "internet", "dns", "router", "hop", "mtu", "parent"];
/// A mute until the incident is closed: a time that no incident reaches.
const CLOSED = "9999-12-31T23:59:59Z";
const MUTES = [["1 h", 3_600], ["8 h", 28_800], ["until closed", null]];
const NAME = "reachd-name";

const banners = new Map();
let isExpanded = false;
let name = readName();

export function startIncidents() {
  follow((changes) => (changes.list || changes.incidents.size > 0) && draw());
  setInterval(() => document.hidden || draw(), 5_000);
  onAccess(() => [...banners.values()].forEach(guardButtons));
  byID("incidents-more").addEventListener("click", () => {
    if (isExpanded && store.incidents.size > MOST) return go({ view: "incidents" });
    isExpanded = !isExpanded;
    draw();
  });
  byID("incidents").addEventListener("refused", (event) => note(event.detail));
}

/// The place of an incident's kind: those of this machine's network, DNS and the way come before the targets' own.
export const rank = ({ kind }) => {
  const place = NEAREST.indexOf(kind);
  return place < 0 ? NEAREST.length : place;
};

/// Whether an open incident with a nearer fault stands for it.
export const isCovered = ({ covered_by: id }) => store.incidents.has(id);

/// The open incidents, as `reachd incidents` lists them: the fault nearest to this machine first, since it explains the others, which are
/// last; of equal ones the most severe, then those that no person takes care of, then the newest.
export function ranked() {
  const key = ({ severity, acknowledged, opened_at: first, reopened_at: from = first, ...rest }) => [rank(rest), SEVERITIES.indexOf(severity), acknowledged ? 1 : 0, -Date.parse(from)];
  const keyed = [...store.incidents.values()].map((incident) => [[isCovered(incident) ? 1 : 0, ...key(incident)], incident]);
  keyed.sort(([a], [b]) => a.map((value, index) => value - b[index]).find((difference) => difference !== 0) ?? 0);
  return keyed.map(([, incident]) => incident);
}

/// An incident in words, beside its title.
export function about({ id, covered_by: coverer, opened_at: first, reopened_at: from = first, closed_at: to, cause: place, targets, reopenings, acknowledged, muted_until: until, note_count: notes }) {
  const covered = to ? 0 : [...store.incidents.values()].filter((other) => other.covered_by === id).length;
  return [
    lasting(from, to), cause(place),
    to || targets.failing === targets.total ? count(targets.total, "target") : `${targets.failing.toLocaleString("en")} of ${count(targets.total, "target")} left`,
    covered > 0 && `covers ${count(covered, "older incident")}`, coverer && "covered by a nearer fault",
    reopenings && `opened again ${reopenings === 1 ? "once" : `${reopenings} times`}`,
    acknowledged && `acknowledged by ${acknowledged.by}`,
    isMuted(until) && (until.startsWith("9999") ? "muted until closed" : `muted until ${moment(until)}`),
    notes && count(notes, "note"),
  ].filter(Boolean).join(" · ");
}

const isMuted = (until) => Date.parse(until) > Date.now();

// MARK: Banners

const draw = paced(250, () => {
  const all = ranked();
  const first = all.filter((incident) => !isCovered(incident)).slice(0, SHOWN);
  const shown = isExpanded ? all.slice(0, MOST) : first;
  const kept = new Set(shown.map(({ id }) => id));
  for (const id of banners.keys()) if (!kept.has(id)) banners.delete(id);
  byID("incidents").hidden = all.length === 0;
  arrange(byID("banners"), shown.map(banner));
  const more = byID("incidents-more");
  more.hidden = all.length === first.length;
  setAttribute(more, "aria-expanded", String(isExpanded));
  const left = all.length - shown.length;
  setText(more, left > 0 ? `and ${count(left, "more incident")}` : "fewer incidents");
});

/// The banner of an incident. The element stays the same while it is shown, so that it can be clicked.
function banner(incident) {
  let made = banners.get(incident.id);
  if (!made) {
    const { id } = incident;
    made = { id, mark: mark(incident.severity), title: h("span", {}), about: h("p", { class: "about" }), controls: controls(() => store.incidents.get(id)) };
    const link = h("a", { class: "name", href: `?incident=${encodeURIComponent(id)}`, "data-incident": id }, made.mark, made.title);
    made.element = h("li", { class: "incident" }, h("div", {}, link, made.about),
      h("div", { class: "do" }, made.controls.acknowledge));
    banners.set(id, made);
    guardButtons(made);
  }
  setAttribute(made.element, "data-state", incident.severity);
  made.element.classList.toggle("handled", Boolean(incident.acknowledged || isMuted(incident.muted_until)));
  setMark(made.mark, incident.severity);
  setText(made.title, incident.title);
  setText(made.about, about(incident));
  made.controls.draw(incident);
  return made.element;
}

function guardButtons({ element }) {
  for (const button of element.querySelectorAll("button")) guard(button);
}

/// Opens an incident at one of its fields.
async function visit(id, field) {
  if (incidentID() !== id) await go({ incident: id });
  byID(field)?.focus();
}

// MARK: Actions

/// The name under which the user acknowledged or wrote last; empty at first.
export const person = () => name;

export function setPerson(text) {
  name = text;
  try {
    localStorage.setItem(NAME, text);
  } catch {
    // Without storage the name lasts as long as the page.
  }
}

function readName() {
  try {
    return localStorage.getItem(NAME) ?? "";
  } catch {
    return "";
  }
}

/// Changes an incident: a merge patch (RFC 7396). Returns the incident; throws a Problem.
export async function change(id, body) {
  try {
    const incident = await json(scoped(`incidents/${encodeURIComponent(id)}`), { method: "PATCH", type: "application/merge-patch+json", body });
    takeIncident({ ...incident, note_count: incident.notes.length });
    return incident;
  } catch (problem) {
    learn(problem);
    throw problem;
  }
}

/// Buttons to acknowledge and mute an incident.
///
/// - Parameters:
///   - current: Returns the incident.
///   - done: Called with the changed incident.
///   - failed: Called with a reason.
export function controls(current, done = () => {}, failed = note) {
  const send = async (body) => {
    try {
      done(await change(current().id, body));
    } catch (problem) {
      failed(problem.message);
    }
  };
  const acknowledge = h("button", { type: "button", click: () => {
    if (current().acknowledged) return send({ acknowledged_by: null });
    if (name !== "") return send({ acknowledged_by: name });
    visit(current().id, "person");
  } });
  const choices = MUTES.map(([words, seconds]) => h("button", { type: "button", click: () => mute(seconds === null ? CLOSED : new Date(Date.now() + seconds * 1_000).toISOString()) }, words));
  const unmute = h("button", { type: "button", click: () => mute(null) }, "Unmute");
  const menu = h("details", { class: "menu" }, h("summary", {}, "Mute"), h("div", {}, choices, unmute));
  const mute = (until) => {
    menu.open = false;
    menu.firstChild.focus();
    return send({ muted_until: until });
  };
  return {
    acknowledge, menu,
    draw: ({ acknowledged, muted_until: until }) => {
      setText(acknowledge, acknowledged ? "Unacknowledge" : "Acknowledge");
      unmute.hidden = !isMuted(until);
    },
  };
}
