// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// One incident: cause, evidence, timeline, members and notes. Its id is in the URL: `?incident=ID`.

import { guard, onAccess } from "./access.js";
import { json } from "./api.js";
import { byID, h, mark, note, paced, setText } from "./dom.js";
import { facts } from "./evidence.js";
import { about, change, controls, person, setPerson } from "./incidents.js";
import { scoped } from "./scope.js";
import { follow, store } from "./store.js";
import { elements } from "./trace.js";
import { incidentID, leave, onView } from "./views.js";
import { cause, count, moment, offender, plain, span } from "./words.js";

/// Members at first, and added by each "others".
const MEMBERS = 100;
const MORE = 1_000;

const KINDS = { link: "interface", router: "router", hop: "last hop", mtu: "last hop", gateway: "gateway", parent: "target", refusal: "address", silence: "address", certificate: "certificate" };
const MOMENTS = { joined: "more targets failed", left: "targets recovered", changed: "another cause was seen", corrected: "cause corrected", reopened: "opened again", unacknowledged: "no longer acknowledged", unmuted: "no longer muted", noted: "note" };
const ENDS = { recovered: "recovered", paused: "paused", maintenance: "in maintenance", removed: "removed", other_cause: "failed by itself", corrected: "cause corrected" };

let shown = null;
/// The response of the service; null before it came.
let incident = null;
let limit = MEMBERS;
let returnTo = null;
const parts = {};

export function start() {
  const dialog = byID("incident");
  dialog.addEventListener("close", () => {
    const id = shown;
    if (shown !== null && incidentID() === shown) leave("incident");
    shown = incident = null;
    (returnTo?.isConnected ? returnTo : document.querySelector(`main a[data-incident="${CSS.escape(id ?? "")}"]`))?.focus();
  });
  dialog.addEventListener("refused", (event) => showFault(event.detail));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  onAccess(() => shown !== null && guardAll());
  follow((changes) => {
    // The first snapshot tells whether this is a fleet, and a new one that events may be missing.
    if (changes.list || changes.scope) show();
    if (shown !== null && (changes.list || changes.incidents.has(shown))) refresh();
  });
  setInterval(() => {
    if (shown === null || !incident || document.hidden) return;
    drawHead();
    // What is observed of the way changes without an event.
    if (incident.diagnosis) refresh();
  }, 5_000);
  onView(show);
}

/// Opens or closes the sheet, as the URL says.
function show() {
  const id = incidentID();
  const dialog = byID("incident");
  if (id === null || store.service === null) {
    shown = null;
    return void (dialog.open && dialog.close());
  }
  if (id === shown) return;
  shown = id;
  incident = null;
  limit = MEMBERS;
  if (!dialog.open) returnTo = document.activeElement === document.body ? null : document.activeElement;
  build(dialog);
  // What the list knows is shown at once.
  if (store.incidents.has(id)) draw({ ...store.incidents.get(id), timeline: [], notes: [], members: [] });
  if (!dialog.open) dialog.showModal();
  dialog.querySelector(".close").focus();
  refresh();
}

function build(dialog) {
  const section = (name, title) => {
    parts[name] = h("div", {});
    return h("section", { "aria-labelledby": `incident-${name}`, hidden: true }, h("h3", { id: `incident-${name}` }, title), parts[name]);
  };
  parts.head = h("div", { class: "head" }, h("h2", { id: "incident-title" }, "Incident"));
  parts.fault = h("p", { class: "fault", role: "alert" });
  parts.person = h("input", { id: "person", maxlength: 128, autocomplete: "name", value: person() });
  parts.text = h("textarea", { id: "note-text", maxlength: 2000, rows: 2 });
  parts.controls = controls(() => incident, draw, showFault);
  parts.form = h("form", { class: "write" },
    h("label", { for: "person" }, "Your name, for notes and acknowledgements"), parts.person, h("label", { for: "note-text" }, "Note"), parts.text,
    h("div", { class: "buttons" }, h("button", { type: "submit" }, "Add note")));
  parts.form.addEventListener("submit", write);
  parts.person.addEventListener("input", () => setPerson(parts.person.value.trim()));
  dialog.replaceChildren(
    h("header", {}, parts.head, h("button", { type: "button", class: "close", "aria-label": "Close", click: () => dialog.close() }, "×")),
    h("div", { class: "actions" }, parts.controls.acknowledge, parts.controls.menu), parts.fault,
    h("div", { class: "sections", tabindex: "0", role: "group", "aria-label": "Incident" },
      section("cause", "Cause"), section("advice", "What to do"), section("way", "Path"), section("timeline", "Timeline"), section("members", "Targets"),
      section("notes", "Notes"), parts.form));
  guardAll();
}

function guardAll() {
  for (const button of [parts.controls.acknowledge, ...parts.controls.menu.querySelectorAll("button"), parts.form.querySelector("button")]) {
    guard(button, incident === null ? "The incident is not loaded yet." : null);
  }
}

const showFault = (text) => setText(parts.fault, text);

const refresh = paced(800, async () => {
  const id = shown;
  if (id === null) return;
  try {
    const answer = await json(scoped(`incidents/${encodeURIComponent(id)}?limit=${limit}`));
    if (shown === id) draw(answer);
  } catch (problem) {
    if (shown !== id) return;
    if (problem.status !== 404) return showFault(problem.message);
    byID("incident").close();
    note(problem.message);
  }
});

async function write(event) {
  event.preventDefault();
  const [author, text] = [parts.person.value.trim(), parts.text.value.trim()];
  const missing = author === "" ? parts.person : text === "" ? parts.text : null;
  showFault(missing === null ? "" : missing === parts.person ? "A note needs your name." : "The note is empty.");
  if (missing) return missing.focus();
  try {
    draw(await change(shown, { note: { author, text } }));
    parts.text.value = "";
  } catch (problem) {
    showFault(problem.message);
  }
}

// MARK: Drawing

function draw(answer) {
  const isFirst = incident === null;
  incident = answer;
  drawHead();
  replace("cause", [reasons()]);
  replace("advice", incident.advice ? [h("p", { class: "because" }, incident.advice)] : []);
  replace("way", elements(incident.diagnosis));
  replace("notes", incident.notes.map(({ author, text, at, public: isPublic }) => h("div", { class: "said" }, h("p", { class: "sub" }, `${author}, ${moment(at)}${isPublic ? ", public" : ""}`), h("p", { class: "because" }, text))));
  replace("timeline", incident.timeline.length > 0 ? [h("ol", { class: "turns" }, incident.timeline.map(turn))] : []);
  replace("members", members());
  parts.controls.draw(incident);
  if (isFirst) guardAll();
}

/// Replaces a part only when it differs, to keep selections and the position of screen readers.
function replace(name, children) {
  const part = parts[name];
  if (part.parentElement.matches("section")) part.parentElement.hidden = children.length === 0;
  const made = h("div", {}, children);
  if (!part.firstChild?.isEqualNode(made)) part.replaceChildren(made);
}

function drawHead() {
  const { severity, title, state, notes } = incident;
  replace("head", [
    h("h2", { id: "incident-title" }, mark(severity), h("span", {}, title)),
    h("p", { class: "sub" }, h("b", { class: state === "open" ? severity : "" }, state), ` · ${about({ ...incident, note_count: notes.length })}`),
  ]);
}

function reasons() {
  const { kind, subject, evidence = {}, other_causes: others, first_target: first, covered_by: coverer } = incident;
  const { trace } = evidence;
  const hop = (one) => one && `${one.address}, hop ${one.hop}`;
  return facts([
    ["Where", cause(incident.cause)],
    ["Covered by", store.incidents.has(coverer) && h("a", { href: `?incident=${encodeURIComponent(coverer)}`, "data-incident": coverer }, store.incidents.get(coverer).title)],
    [KINDS[kind]?.replace(/^./, (letter) => letter.toUpperCase()) ?? "Subject", kind !== "target" && subject],
    ["Interface", evidence.interface !== subject && evidence.interface],
    ["Reason", evidence.detail],
    ["Reported by", offender(evidence.offender)],
    [trace?.largest_packet_bytes ? "Largest packet" : "Path ends after", trace?.largest_packet_bytes ? `${trace.largest_packet_bytes} bytes, up to ${hop(trace.last_hop)}` : hop(trace?.last_hop)],
    ["Came next before", hop(trace?.next_hop)],
    ["Seen first at", first && nameOf({ target: first })],
    ["Also", others?.map((one) => `${KINDS[one.kind] ?? plain(one.kind)}${one.subject ? ` ${one.subject}` : ""}`).join(", ")],
  ]);
}

/// One line of the timeline: when, how long after the beginning, and what.
function turn({ at, until, event, targets, text }) {
  const after = (Date.parse(at) - Date.parse(incident.opened_at)) / 1_000;
  const long = until ? ` – ${moment(until)}` : "";
  return h("li", {}, h("time", { datetime: at }, `${moment(at)}${long}`), h("b", {}, MOMENTS[event] ?? event),
    targets > 0 && h("span", {}, count(targets, "target")), after >= 1 && h("span", {}, `after ${span(after)}`),
    text && h("span", { class: "why" }, text));
}

const nameOf = ({ target, name }) => (store.targets.has(target) ? h("a", { href: `#${encodeURIComponent(target)}` }, store.targets.get(target).name) : name ?? target);

/// The members, those that fail first.
function members() {
  const { members: list, targets } = incident;
  if (list.length === 0) return [];
  const sorted = [...list.filter(({ until }) => !until), ...list.filter(({ until }) => until)];
  const others = targets.total - list.length;
  return [
    h("ul", { class: "turns" }, sorted.map((member) => h("li", {}, mark(member.until ? "unknown" : member.state), nameOf(member),
      h("span", {}, `${member.state} ${moment(member.from)}${member.until ? ` – ${moment(member.until)}, ${span((Date.parse(member.until) - Date.parse(member.from)) / 1_000)}` : ", still failing"}`),
      h("span", {}, [member.turns && `failed ${member.turns} times`, member.end && (ENDS[member.end] ?? plain(member.end))].filter(Boolean).join(", "))))),
    others > 0 && h("button", { type: "button", click: () => {
      limit = Math.min(limit + MORE, 10_000);
      refresh();
    } }, `and ${count(others, "other")}`),
  ].filter(Boolean);
}
