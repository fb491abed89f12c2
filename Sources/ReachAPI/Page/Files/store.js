// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The data of the page. Followers are notified of changes once a frame, however many events arrived.

const FIELDS =
  "id,name,kind,hide_address,host,address,local_address,bound_interface,family,port,group,tags,probe,origin,state,reason,cause,pending,is_flapping,last_result,since,sequence,quorum,votes";

/// The request for all targets, with the fields that the list shows.
export const LIST = `targets?limit=10000&fields=${FIELDS}`;

export const store = {
  /// Whose targets these are: `fleet`, or `node` for this node's, also without a fleet.
  scope: "node",
  /// This node's standing in its fleet; null without one.
  standing: null,
  /// By id, in the order of the service.
  targets: new Map(),
  /// The open incidents by id.
  incidents: new Map(),
  network: null,
  activity: { state: "not_active", visible: false, count: 0 },
  service: null,
  /// `loading`, `live`, `stale` or `lost`.
  link: "loading",
  /// Whether the stream includes results of probes.
  hasResults: true,
  /// When the snapshot was taken, in milliseconds since 1970.
  pictureAt: 0,
  /// When the last byte arrived, in milliseconds since 1970.
  newsAt: 0,
  /// Why there is no connection, as a sentence.
  fault: null,
  /// Whether there is no retry until the user acts.
  isFinal: false,
};

/// Whether the targets are those of the fleet, with votes and without results and paths.
export const isFleet = () => store.scope === "fleet";

/// Whether the data shown may be out of date.
export const isGone = () => store.link === "lost" || store.link === "stale";

/// The time of the data, in milliseconds since 1970: durations do not grow while nothing is heard of the service.
export const now = () => (isGone() ? store.newsAt : Date.now());

const followers = [];
let pending = fresh();
/// Cancels the scheduled flush; null if none is scheduled.
let callOff = null;

function fresh() {
  return { list: false, ids: new Set(), network: false, activity: false, link: false, scope: false, standing: false, turns: [], stale: new Set(), results: new Map(), incidents: new Set(), happened: [] };
}

/// Calls a function with the changes: `ids` of changed targets, `list` if targets were added or removed or all data is new, `incidents`
/// with the ids of changed ones, and so on.
export const follow = (body) => followers.push(body);

function schedule() {
  if (callOff === null) arrange();
}

function arrange() {
  callOff?.();
  if (document.hidden) {
    // A hidden tab gets no frames, but its title is visible.
    const timer = setTimeout(flush, 500);
    callOff = () => clearTimeout(timer);
  } else {
    const frame = requestAnimationFrame(flush);
    callOff = () => cancelAnimationFrame(frame);
  }
}

// When a tab is hidden, a requested frame does not come: schedule again.
document.addEventListener("visibilitychange", () => callOff !== null && arrange());

function flush() {
  callOff = null;
  const changes = pending;
  pending = fresh();
  for (const follower of followers) follower(changes);
}

function changed(part) {
  pending[part] = true;
  schedule();
}

function touched(id) {
  pending.ids.add(id);
  schedule();
}

/// Replaces all data by a snapshot.
///
/// - Parameter incidents: The open ones.
export function takeSnapshot(status, targets, incidents) {
  takeScope(status.scope ?? "node", status.fleet ?? null);
  store.service = status.service;
  store.network = status.network;
  store.activity = status.activity;
  store.targets = new Map(targets.map((target) => [target.id, named(target)]));
  store.incidents = new Map(incidents.map((incident) => [incident.id, incident]));
  store.fault = null;
  store.pictureAt = Date.now();
  pending.list = pending.network = pending.activity = true;
  schedule();
}

function takeScope(scope, standing) {
  if (store.scope !== scope || (store.standing === null) !== (standing === null)) pending.scope = true;
  store.scope = scope;
  store.standing = standing;
}

export function takeStanding(standing) {
  store.standing = standing;
  changed("standing");
}

/// A target whose declaration a node of the fleet cannot read has no name.
export const named = (target) => ("name" in target ? target : { ...target, name: target.id, isUnreadable: true });

/// Deletes all data: the page has no access to it any more.
export function forget() {
  store.service = store.network = null;
  store.activity = { state: "not_active", visible: false, count: 0 };
  store.targets = new Map();
  store.incidents = new Map();
  store.newsAt = 0;
  // Followers are not notified of earlier changes.
  pending = { ...fresh(), list: true, network: true, activity: true };
  takeScope("node", null);
  schedule();
  setLink("loading");
}

/// - Parameter isFinal: Whether there is no retry until the user acts.
export function setLink(link, fault = null, isFinal = false) {
  if (store.link === link && store.fault === fault && store.isFinal === isFinal) return;
  store.link = link;
  store.fault = fault;
  store.isFinal = isFinal;
  changed("link");
}

export function takeResolvers(resolvers) {
  if (!store.network || String(store.network.resolvers) === String(resolvers)) return;
  store.network = { ...store.network, resolvers };
  changed("network");
}

/// Stores a target from a separate response, unless the stream delivered a newer state.
export function takeTarget(target) {
  const old = store.targets.get(target.id);
  if (old && old.sequence > target.sequence) return;
  // The filters offer the groups and tags of all targets.
  if (!old || old.group !== target.group || JSON.stringify(old.tags) !== JSON.stringify(target.tags)) pending.list = true;
  store.targets.set(target.id, named(target));
  touched(target.id);
}

export function dropTarget(id) {
  if (store.targets.delete(id)) changed("list");
}

/// Applies an event of the stream.
///
/// - Parameter sequence: Its sequence; null for transient events.
export function take(type, data, sequence) {
  switch (type) {
    case "state": return takeState(data, sequence);
    case "vote": return takeVote(data, sequence);
    case "reachability":
    case "path": return takePath(data, sequence);
    case "result": return takeResult(data);
    case "activity":
      store.activity = data;
      return changed("activity");
    case "target":
      if (data.action === "removed") return dropTarget(data.target.id);
      return isFleet() ? takeDeclaration(data, sequence) : takeTarget(data.target);
    case "incident":
      pending.happened.push(data);
      return takeIncident(data.incident);
    case "certificate":
    case "route_change":
      return touched(data.target);
  }
}

/// Takes an incident from an event or a response.
export function takeIncident(incident) {
  if (incident.state === "open") store.incidents.set(incident.id, incident);
  else store.incidents.delete(incident.id);
  pending.incidents.add(incident.id);
  schedule();
}

/// Takes a declaration of the fleet, whose event does not have the state.
function takeDeclaration({ target, at }, sequence) {
  const { state = "unknown", since = at, reason, cause, quorum, votes } = store.targets.get(target.id) ?? {};
  takeTarget({ state, since, reason, cause, quorum, votes, ...target, sequence });
  pending.stale.add(target.id);
}

/// A target, unless the event is older than its data.
function current(id, sequence) {
  const target = store.targets.get(id);
  if (!target || sequence < target.sequence) return null;
  target.sequence = sequence;
  return target;
}

function takeState(data, sequence) {
  const target = current(data.target, sequence);
  if (!target) return;
  target.state = data.to;
  target.reason = data.reason;
  target.cause = data.cause;
  if (data.quorum) target.quorum = data.quorum;
  // Equal states mean that only the reason changed.
  if (data.from !== data.to) {
    target.since = data.at;
    delete target.pending;
    pending.turns.push({ id: target.id, name: target.name, from: data.from, to: data.to });
  }
  touched(target.id);
}

/// What a location reports; how it counts, and the quorum, must be read.
function takeVote(data, sequence) {
  const target = current(data.target, sequence);
  if (!target) return;
  pending.stale.add(target.id);
  touched(target.id);
}

function takePath(data, sequence) {
  if (data.target === null) {
    const network = { ...store.network };
    for (const member of ["path", "resolution"]) if (member in data) network[member] = data[member];
    // A `path` event without a delivery has none.
    if (data.status) {
      const { status, reachable } = data;
      if (reachable !== network.system_configuration?.reachable) network.since = data.at;
      network.system_configuration = { status, reachable };
    }
    store.network = network;
    changed("way");
    return changed("network");
  }
  const target = current(data.target, sequence);
  if (!target) return;
  // A `path` event without a delivery has neither.
  if (data.status) {
    target.reason = data.reason;
    target.cause = data.cause;
  }
  touched(target.id);
}

function takeResult(data) {
  const target = store.targets.get(data.target);
  if (!target) return;
  target.last_result = data.result;
  // A result has the pending state; without the member nothing is pending.
  target.pending = data.pending;
  target.is_flapping = data.is_flapping;
  // A hidden tab draws nothing, and its timers may run only once a minute: keep only the newest result.
  const results = document.hidden ? [] : pending.results.get(target.id) ?? [];
  pending.results.set(target.id, [...results, data.result]);
  touched(target.id);
}

/// How many targets are in each state.
export function tally() {
  const counts = {};
  for (const target of store.targets.values()) counts[target.state] = (counts[target.state] ?? 0) + 1;
  return counts;
}
