// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Timelines of the rows in view: loaded a few at a time, cached for a minute, and extended by the results of the stream.

import { json, ofTarget } from "./api.js";
import { scoped } from "./scope.js";
import { follow, store } from "./store.js";
import { taken } from "./words.js";

const AT_ONCE = 4;
const GOOD_FOR = 60_000;
const SLICES = 60;

const known = new Map();
const seen = new Map();
const queue = new Set();
let running = 0;
/// Whether the service stores a history; without one, the results of the stream are all there is.
let isKept = true;

/// The timeline of a target, `{ hour, day, at }` with their slices; undefined until it is loaded.
export const timelineOf = (id) => known.get(id);

/// Marks a target as visible: `draw` is called when its timeline changes.
export function show(id, draw) {
  seen.set(id, draw);
  want(id);
}

export function hide(id) {
  seen.delete(id);
  queue.delete(id);
}

function want(id) {
  const timeline = known.get(id);
  if (!isKept || queue.has(id) || (timeline?.at ?? 0) > Date.now() - GOOD_FOR) return;
  queue.add(id);
  work();
}

async function work() {
  if (running >= AT_ONCE || document.hidden) return;
  const [id] = queue;
  if (id === undefined) return;
  queue.delete(id);
  running += 1;
  const { scope } = store;
  try {
    const { windows } = await json(scoped(ofTarget(id, "/timeline?window=1h,24h")));
    if (store.scope === scope) known.set(id, { hour: windows["1h"], day: windows["24h"], at: Date.now() });
    seen.get(id)?.();
  } catch (error) {
    if (store.scope !== scope) {
      // Of another scope; the rows in view ask again.
    } else if (error.status === 501) {
      isKept = false;
      queue.clear();
    } else if (error.status !== 404) {
      // Retried in ten seconds.
      known.set(id, { ...known.get(id), at: Date.now() - GOOD_FOR + 10_000 });
    }
  }
  running -= 1;
  work();
}

/// Reloads the timelines of rows in view that are older than a minute.
export function startTimelines() {
  const look = () => {
    if (document.hidden) return;
    for (const id of seen.keys()) want(id);
    work();
  };
  setInterval(look, 15_000);
  document.addEventListener("visibilitychange", look);
  follow((changes) => {
    if (changes.scope) {
      known.clear();
      queue.clear();
      isKept = true;
    }
    if (changes.list) for (const id of known.keys()) if (!seen.has(id)) known.delete(id);
    for (const [id, results] of changes.results) for (const result of results) note(id, result);
  });
}

/// Adds a result to the last hour.
function note(id, result) {
  const timeline = known.get(id) ?? { at: 0 };
  const minute = Math.floor(Date.parse(result.at) / 60_000) * 60_000;
  const hour = timeline.hour ?? { slice_seconds: 60, slices: [], from: new Date(minute - (SLICES - 1) * 60_000).toISOString() };
  const slices = [...hour.slices];
  while (slices.length < SLICES) slices.unshift({});
  const start = Date.parse(hour.from);
  const steps = Math.round((minute - start) / 60_000) - (slices.length - 1);
  for (let step = 0; step < Math.min(steps, SLICES); step += 1) {
    slices.shift();
    slices.push({});
  }
  const last = { ...slices.at(-1) };
  const values = [...(last.values ?? []), ...(result.success && taken(result) !== undefined ? [taken(result)] : [])].slice(-60);
  last.values = values;
  if (values.length > 0) last.p50_seconds = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  if (!result.success) last.failures = (last.failures ?? 0) + 1;
  slices[slices.length - 1] = last;
  const from = steps > 0 ? new Date(start + steps * 60_000).toISOString() : hour.from;
  known.set(id, { ...timeline, hour: { ...hour, from, slices } });
  seen.get(id)?.();
}
