// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The details of one target. Its id is the URL's fragment, so that details can be linked to.

import { guard, learn, onAccess } from "./access.js";
import { json, ofTarget, request } from "./api.js";
import { certificates } from "./certificates.js";
import { phases } from "./charts.js";
import { dayBars, uptimeTable } from "./days.js";
import { byID, h, mark, note, paced, setText } from "./dom.js";
import { confirmDeletion, edit } from "./editor.js";
import { evidence, facts, outcome, resultFacts, trafficFacts } from "./evidence.js";
import { scoped } from "./scope.js";
import { follow, isFleet, named, store, takeTarget } from "./store.js";
import { startTips } from "./tips.js";
import { summary, traces } from "./trace.js";
import { causeOf, fleetEvidence, votesTable } from "./votes.js";
import { moment, place, plain, since, span } from "./words.js";

let shown = null;
let asked = null;
let returnTo = null;
/// The id of an unknown target in the URL's fragment.
let missed = null;
/// The traces of the shown target, as `/targets/{id}/trace` lists them.
let traced = null;
/// The connections of the shown target, which only its own response has.
let connections;
let buttons = {};
/// The charts of the shown target.
let charts = {};
const parts = {};

export function startDetails() {
  startTips();
  const dialog = byID("details");
  dialog.addEventListener("close", () => {
    // The event comes later: the details of another target may be open by now.
    if (dialog.open) return;
    shown = null;
    if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    (returnTo?.isConnected ? returnTo : null)?.focus();
  });
  dialog.addEventListener("refused", (event) => showFault(event.detail, "doing"));
  // A click beside the panel closes it.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  addEventListener("hashchange", route);
  onAccess(() => shown && drawButtons());
  follow((changes) => {
    if (changes.list && location.hash && shown === null) route();
    if (shown === null) return;
    if (changes.list && !store.targets.has(shown)) return dialog.close();
    if (changes.scope) reset();
    if (!changes.ids.has(shown)) return;
    refresh();
    if (changes.turns.length > 0) {
      refreshPast();
      refreshIncidents();
      refreshTraces();
    }
  });
  setInterval(() => {
    if (shown === null || document.hidden) return;
    refresh();
  }, 5_000);
  setInterval(() => {
    if (shown === null || document.hidden) return;
    refreshPast();
    refreshIncidents();
    refreshTraces();
  }, 60_000);
  route();
}

function route() {
  let id = "";
  try {
    id = decodeURIComponent(location.hash.slice(1));
  } catch {
    // A malformed fragment names no target.
  }
  if (id === "") return shown !== null && byID("details").close();
  if (id === shown) return;
  if (store.targets.has(id)) return open(id);
  // Unknown ids are reported once, after the first snapshot.
  if (store.service === null || id === missed) return;
  missed = id;
  note(`Unknown target ${id}.`);
}

/// The shown target is that of another scope.
function reset() {
  traced = null;
  connections = undefined;
  asked = null;
  draw(store.targets.get(shown));
  refresh();
  refreshPast();
  refreshIncidents();
  refreshTraces();
}

function section(name, title) {
  parts[name] = h("div", {});
  return h("section", { "aria-labelledby": `details-${name}`, hidden: true }, h("h3", { id: `details-${name}` }, title), parts[name]);
}

function open(id) {
  shown = id;
  missed = null;
  traced = null;
  connections = undefined;
  const dialog = byID("details");
  returnTo = document.activeElement === document.body ? null : document.activeElement;
  parts.head = h("div", { class: "head" });
  parts.fault = h("p", { class: "fault", role: "alert" });
  parts.elsewhere = h("span", { class: "hint" });
  // A modal dialog hides the page's own announcements from screen readers.
  parts.said = h("p", { class: "hidden", role: "status" });
  buttons = {
    probe: h("button", { type: "button", click: () => act("probe") }, "Probe now"),
    trace: h("button", { type: "button", click: () => act("trace") }, "Trace now"),
    pause: h("button", { type: "button", click: () => act(store.targets.get(shown)?.state === "paused" ? "resume" : "pause") }, "Pause"),
    edit: h("button", { type: "button", click: () => change() }, "Edit…"),
    remove: h("button", { type: "button", class: "danger", click: remove }, "Delete…"),
  };
  dialog.replaceChildren(
    h("header", {}, parts.head, h("button", { type: "button", class: "close", "aria-label": "Close", click: () => dialog.close() }, "×")),
    h("div", { class: "actions" }, buttons.probe, buttons.trace, buttons.pause, buttons.edit, buttons.remove, parts.elsewhere), parts.fault, parts.said,
    h("div", { class: "sections", tabindex: "0", role: "group", "aria-label": "Details" },
      section("why", "Explanation"), section("votes", "Votes"), section("incidents", "Incidents"), section("latencies", "Response times"),
      section("days", "Last 90 days"), section("uptime", "Uptime"), section("result", "Last result"), section("trace", "Trace"),
      section("certificates", "Certificates"), section("traffic", "This machine’s traffic"), section("history", "History"),
      section("settings", "Settings")));
  charts = { days: dayBars("Last 90 days") };
  parts.days.append(charts.days.element);
  const target = store.targets.get(id);
  draw(target);
  if (!dialog.open) dialog.showModal();
  dialog.querySelector(".close").focus();
  asked = null;
  refresh();
  refreshPast();
  refreshIncidents();
  refreshTraces();
}

// MARK: Requests

/// Shows an error and its origin, `asking` (a refresh) or `doing` (an action). A later refresh clears only errors of refreshes.
function showFault(fault, of = "") {
  parts.fault.textContent = fault;
  parts.fault.dataset.of = of;
}

const refresh = paced(800, async () => {
  const id = shown;
  if (id === null || asked === id) return;
  asked = id;
  const { scope } = store;
  try {
    const target = named(await json(scoped(ofTarget(id))));
    if (shown === id && store.scope === scope) {
      connections = target.traffic;
      draw(target);
      if (parts.fault.dataset.of === "asking") showFault("");
    }
  } catch (problem) {
    if (shown === id && problem.status !== 404) showFault(problem.message, "asking");
  }
  asked = null;
});

const refreshPast = paced(1_500, async () => {
  const id = shown;
  if (id === null) return;
  const { scope } = store;
  const paths = ["/uptime", "/timeline?window=1h,24h,7d,30d,90d", "/history?limit=25"];
  const [uptime, timeline, past] = await Promise.allSettled(paths.map((path) => json(scoped(ofTarget(id, path)))));
  if (shown !== id || store.scope !== scope) return;
  const problem = [uptime, timeline, past].find((answer) => answer.status === "rejected")?.reason;
  if (problem) {
    replace("uptime", [h("p", { class: "because" }, problem.message)]);
    for (const name of ["latencies", "days"]) parts[name].parentElement.hidden = true;
    return replace("history", []);
  }
  drawLatencies(timeline.value.windows, store.targets.get(id)?.probe);
  parts.days.parentElement.hidden = false;
  charts.days.draw(timeline.value.windows["90d"]);
  replace("uptime", uptimeTable(uptime.value.windows, timeline.value.windows));
  replace("history", drawTransitions(past.value));
});

/// The chart, which is loaded when it is first needed.
async function drawLatencies(windows, probe) {
  const own = charts;
  try {
    const { latencyChart } = await import("./latencies.js");
    if (charts !== own || shown === null) return;
    if (!charts.latencies) parts.latencies.append((charts.latencies = latencyChart()).element);
    // Heartbeats and connections of other programs have no response times.
    parts.latencies.parentElement.hidden = !probe || probe.type === "push" || probe.type === "traffic";
    charts.latencies.draw(windows, probe?.interval_seconds, isFleet());
  } catch {
    // The next refresh tries again.
  }
}

/// The incidents of the target.
const refreshIncidents = paced(1_500, async () => {
  const id = shown;
  if (id === null) return;
  try {
    const { incidents } = await json(scoped(`incidents?limit=5&target=${encodeURIComponent(id)}`));
    if (shown === id) replace("incidents", drawIncidents(incidents));
  } catch {
    // Errors of the details are shown; the incidents remain as they are.
  }
});

const refreshTraces = paced(1_500, async () => {
  const id = shown;
  if (id === null || isFleet() || untraceable(store.targets.get(id))) return;
  try {
    const answer = await json(ofTarget(id, "/trace"));
    // The response to "Trace now" may have come meanwhile.
    if (shown !== id || Date.parse(answer.latest?.at) < Date.parse(traced?.latest?.at)) return;
    traced = answer;
    drawTraces();
  } catch {
    // Errors of the details are shown; traces remain as they are.
  }
});

// MARK: Drawing

/// Replaces a part only when it differs, to keep selections and the position of screen readers.
function replace(name, children) {
  const part = parts[name];
  part.parentElement.hidden = children.length === 0;
  const made = h("div", {}, children);
  if (part.firstChild?.isEqualNode(made)) return;
  part.replaceChildren(made);
}

function draw(target) {
  if (!target) return;
  const head = h("div", {},
    h("h2", { id: "details-title" }, mark(target.state), h("span", {}, target.name)),
    h("p", { class: "sub" }, h("b", { class: target.state }, target.is_flapping ? `${target.state}, flapping` : target.state),
      ` for ${span(since(target.since))}`, place(target) === target.name ? "" : ` · ${place(target)}`));
  if (!parts.head.firstChild?.isEqualNode(head)) parts.head.replaceChildren(head);
  // Events do not carry the connections.
  replace("why", isFleet() ? fleetEvidence(target) : evidence(target));
  replace("traffic", isFleet() ? [] : trafficFacts(target.traffic ?? connections));
  replace("votes", isFleet() ? votesTable(target) : []);
  const result = target.last_result;
  replace("result", result ? [
    h("p", { class: "because" }, outcome(target)),
    phases(result), resultFacts(result),
  ].filter(Boolean) : []);
  drawTraces(target);
  replace("certificates", result?.tls ? certificates(result.tls) : []);
  replace("settings", [settings(target)]);
  drawButtons(target);
}

function drawTraces(target = store.targets.get(shown)) {
  if (target) replace("trace", traces(traced, target));
}

const ORIGINS = { config: "the configuration file; change or delete it there", api: "an API client", auto: "reachd itself", discovery: "discovery", fleet: "the fleet" };

function settings(target) {
  const probe = target.probe;
  return facts([
    ["ID", h("code", {}, target.id)],
    ["Declaration", target.isUnreadable && "cannot be read by this version of reachd"],
    ["Group", target.group],
    ["Tags", Object.entries(target.tags ?? {}).map(([name, value]) => `${name}:${value}`).join(", ")],
    ["Probe", target.isUnreadable ? null : probe ? `${probe.type}, every ${span(probe.interval_seconds)}${probe.timeout_seconds ? `, timeout ${span(probe.timeout_seconds)}` : ""}` : "none"],
    ["Declared by", ORIGINS[target.origin] ?? target.origin],
    ["Stored", target.persisted === false && "no; lost when reachd stops"],
  ]);
}

function drawButtons(target = store.targets.get(shown)) {
  if (!target) return;
  buttons.pause.textContent = target.state === "paused" ? "Resume" : "Pause";
  const others = isFleet() ? "This is the fleet’s view; a node that watches the target can do this." : null;
  guard(buttons.probe, others ?? unprobed(target));
  guard(buttons.trace, others ?? untraceable(target));
  guard(buttons.pause, null);
  const elsewhere = target.origin === "api" ? null : isFleet() ? "A file declares it: change that, and run “reachd fleet apply”." : `Declared by ${ORIGINS[target.origin] ?? target.origin}.`;
  guard(buttons.edit, elsewhere);
  guard(buttons.remove, elsewhere);
  setText(parts.elsewhere, elsewhere ?? "");
}

/// Why a target cannot be probed by hand; null when it can.
function unprobed(target) {
  const type = target?.probe?.type;
  return !type ? "The target has no probe." : type === "push" || type === "traffic" ? `A ${type} target is not probed.` : null;
}

/// Why the path to a target cannot be traced, as far as the page knows; null when it can.
function untraceable(target) {
  return target?.hide_address ? "The target hides its address, which a trace would show." : unprobed(target);
}

function drawIncidents(incidents) {
  if (incidents.length === 0) return [];
  return [h("ul", { class: "turns" }, incidents.map((incident) => {
    const begin = incident.reopened_at ?? incident.opened_at;
    const end = incident.closed_at ? (Date.parse(incident.closed_at) - Date.parse(begin)) / 1000 : since(begin);
    return h("li", { class: incident.state }, mark(incident.state === "open" ? incident.severity : "up"),
      h("a", { href: `?incident=${encodeURIComponent(incident.id)}` }, incident.title),
      h("span", { class: "why" }, `${moment(begin)}, ${incident.state === "open" ? "open for" : "closed after"} ${span(end)}`));
  }))];
}

/// The changes of state, newest first, each with the duration of the state.
function drawTransitions(page) {
  if (page.transitions.length === 0) return [h("p", { class: "because" }, "No state changes yet.")];
  const lasted = (index) => (Date.parse(page.transitions[index - 1].at) - Date.parse(page.transitions[index].at)) / 1000;
  return [h("ol", { class: "turns" }, page.transitions.map((turn, index) => h("li", {}, mark(turn.to),
    h("time", { datetime: turn.at }, moment(turn.at)), h("b", {}, turn.to),
    // The current state's duration is in the head, which is drawn more often.
    h("span", {}, index === 0 ? "until now" : `for ${span(lasted(index))}`),
    turn.reason && h("span", { class: "why" }, turn.reason.detail ?? plain(turn.reason.code)),
    turn.cause && turn.cause !== "target" && h("span", { class: "why" }, `cause: ${causeOf(turn.cause)}`))))];
}

// MARK: Actions

async function act(action) {
  const id = shown;
  const button = buttons[action] ?? buttons.pause;
  button.disabled = true;
  button.setAttribute("aria-busy", "true");
  showFault("");
  try {
    const answer = await (await request(ofTarget(id, `/${action}`), { method: "POST" })).json();
    if (action === "trace") {
      if (shown === id) showTraces(answer);
    } else {
      takeTarget(answer);
      if (shown === id) draw(answer);
    }
  } catch (problem) {
    learn(problem);
    if (shown === id) showFault(problem.message, "doing");
  }
  button.removeAttribute("aria-busy");
  // A disabled button loses the focus; restore it.
  drawButtons();
  if (shown === id && document.activeElement === document.body) button.focus();
}

/// Shows the traces that a client requested, and announces their result.
function showTraces(answer) {
  traced = answer;
  drawTraces();
  if (!answer.latest) return;
  parts.said.textContent = summary(answer);
  parts.trace.parentElement.scrollIntoView({ block: "nearest" });
}

async function change() {
  const target = store.targets.get(shown);
  if (!target) return;
  showFault("");
  try {
    await edit(target);
  } catch (problem) {
    learn(problem);
    showFault(problem.message, "doing");
  }
}

function remove() {
  const target = store.targets.get(shown);
  if (target) confirmDeletion(target, () => byID("details").close());
}
