// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// What is known, and who is told when it changes: once a frame, however many events came in it.

const FIELDS =
  "id,name,kind,hide_address,host,address,local_address,bound_interface,family,port,group,tags,probe,origin,status,state,reason,cause,pending,is_flapping,last_result,since,sequence";

/// The question for all targets, with what a list shows of them.
export const LIST = `targets?limit=10000&fields=${FIELDS}`;

export const store = {
  /// By id, in the order of the service.
  targets: new Map(),
  network: null,
  activity: { state: "not_active", visible: false, count: 0 },
  service: null,
  /// `loading`, `live`, `stale` or `lost`.
  link: "loading",
  /// Whether results of probes come with the stream.
  hasResults: true,
  /// When the whole picture was taken, in milliseconds since 1970.
  pictureAt: 0,
  /// When the last byte came, in milliseconds since 1970.
  newsAt: 0,
  /// Why there is nothing, in words.
  fault: null,
  /// Whether nobody tries again until somebody does something.
  isFinal: false,
};

const followers = [];
let pending = fresh();
/// Calls the flush off that is coming; null when none is.
let callOff = null;

function fresh() {
  return { list: false, ids: new Set(), network: false, activity: false, link: false, turns: [], results: new Map() };
}

/// Calls a function with what changed: `ids` of targets, `list` when there are others, and so on.
export const follow = (body) => followers.push(body);

function schedule() {
  if (callOff === null) arrange();
}

function arrange() {
  callOff?.();
  if (document.hidden) {
    // There are no frames for a tab that is not seen; its title is read all the same.
    const timer = setTimeout(flush, 500);
    callOff = () => clearTimeout(timer);
  } else {
    const frame = requestAnimationFrame(flush);
    callOff = () => cancelAnimationFrame(frame);
  }
}

// The frame that a tab waits for when it is hidden does not come.
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

/// Takes a whole picture.
export function takeSnapshot(status, targets) {
  store.service = status.service;
  store.network = status.network;
  store.activity = status.activity;
  store.targets = new Map(targets.map((target) => [target.id, target]));
  store.fault = null;
  store.pictureAt = Date.now();
  pending.list = pending.network = pending.activity = true;
  schedule();
}

/// Forgets everything: nobody may see it any more.
export function forget() {
  store.service = store.network = null;
  store.activity = { state: "not_active", visible: false, count: 0 };
  store.targets = new Map();
  store.newsAt = 0;
  // What is not told yet is never told.
  pending = { ...fresh(), list: true, network: true, activity: true };
  schedule();
  setLink("loading");
}

/// - Parameter isFinal: whether nobody tries again until somebody does something.
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

/// Takes a target that was read by itself, unless the stream told something newer meanwhile.
export function takeTarget(target) {
  const old = store.targets.get(target.id);
  if (old && old.sequence > target.sequence) return;
  // What is offered to filter by may be other groups and tags now.
  if (!old || old.group !== target.group || JSON.stringify(old.tags) !== JSON.stringify(target.tags)) pending.list = true;
  store.targets.set(target.id, target);
  touched(target.id);
}

export function dropTarget(id) {
  if (store.targets.delete(id)) changed("list");
}

/// Takes an event of the stream.
///
/// - Parameter sequence: its number; null for what is told and not kept.
export function take(type, data, sequence) {
  switch (type) {
    case "state": return takeState(data, sequence);
    case "reachability":
    case "path": return takePath(data, sequence);
    case "result": return takeResult(data);
    case "activity":
      store.activity = data;
      return changed("activity");
    case "target":
      return data.action === "removed" ? dropTarget(data.target.id) : takeTarget(data.target);
    case "certificate":
      return touched(data.target);
  }
}

/// A target, if an event is not older than what is known of it.
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
  // From a state to itself: another reason.
  if (data.from !== data.to) {
    target.since = data.at;
    delete target.pending;
    pending.turns.push({ id: target.id, name: target.name, from: data.from, to: data.to });
  }
  touched(target.id);
}

const BLOCK = ["status", "status_code", "reachable", "reachable_via_wwan", "reachable_via_wifi", "flags", "path", "resolution"];

function takePath(data, sequence) {
  if (data.target === null) {
    const network = { ...store.network };
    const was = network.reachable;
    for (const member of BLOCK) if (member in data) network[member] = data[member];
    if (was !== network.reachable) network.since = data.at;
    store.network = network;
    changed("way");
    return changed("network");
  }
  const target = current(data.target, sequence);
  if (!target) return;
  // A change of the path that is no delivery says neither.
  if (data.status) {
    target.status = data.status;
    target.reason = data.reason;
    target.cause = data.cause;
  }
  touched(target.id);
}

function takeResult(data) {
  const target = store.targets.get(data.target);
  if (!target) return;
  target.last_result = data.result;
  // It says what is in doubt since; what it does not say is not in doubt.
  target.pending = data.pending;
  target.is_flapping = data.is_flapping;
  // Nobody looks at a hidden tab, and its timers may come once a minute: the newest result is enough.
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
