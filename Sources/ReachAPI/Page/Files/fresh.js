// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Polls the rows in view while the stream has no results: without them, latencies and pending results change without an event, and
// so do the votes of a fleet.

import { json, ofTarget } from "./api.js";
import { scoped } from "./scope.js";
import { dropTarget, follow, isFleet, store, takeTarget } from "./store.js";

const AT_ONCE = 4;
const GOOD_FOR = 20_000;

const seen = new Set();
/// When each target was requested.
const asked = new Map();
let running = 0;

export function watch(id) {
  seen.add(id);
  look();
}

export const leave = (id) => seen.delete(id);

export function startFresh() {
  setInterval(look, 5_000);
  document.addEventListener("visibilitychange", look);
  follow((changes) => {
    if (changes.scope) asked.clear();
    if (changes.list) for (const id of asked.keys()) if (!store.targets.has(id)) asked.delete(id);
    // A state event does not contain the result that caused it.
    for (const { id } of changes.turns) asked.set(id, 0);
    for (const id of changes.stale) asked.set(id, 0);
    if (changes.turns.length > 0 || changes.stale.size > 0) look();
  });
}

function look() {
  while (running < AT_ONCE) {
    const id = next();
    if (id === undefined) return;
    read(id);
  }
}

function next() {
  if (store.hasResults || store.link !== "live" || document.hidden) return undefined;
  const due = Date.now() - GOOD_FOR;
  for (const id of seen) if ((asked.get(id) ?? store.pictureAt) <= due) return id;
  return undefined;
}

async function read(id) {
  asked.set(id, Date.now());
  running += 1;
  const { scope } = store;
  const sequence = store.targets.get(id)?.sequence;
  try {
    const target = await json(scoped(ofTarget(id)));
    // A target of a fleet has no sequence: it is at least as new as the data at the request.
    if (store.targets.has(id) && store.scope === scope) takeTarget({ sequence, ...target });
  } catch (problem) {
    // Retried later; the stream shows a lost connection and removed targets, except those of a fleet.
    if (problem.status === 404 && store.scope === scope && isFleet()) dropTarget(id);
  }
  running -= 1;
  look();
}
