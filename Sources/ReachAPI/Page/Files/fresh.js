// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The rows that somebody sees, read by themselves while results are too many to come with the stream: latencies and doubts change
// without an event then.

import { json, ofTarget } from "./api.js";
import { follow, store, takeTarget } from "./store.js";

const AT_ONCE = 4;
const GOOD_FOR = 20_000;

const seen = new Set();
/// When each was asked for.
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
    if (changes.list) for (const id of asked.keys()) if (!store.targets.has(id)) asked.delete(id);
    // A change of state says nothing of the result that made it.
    for (const { id } of changes.turns) asked.set(id, 0);
    if (changes.turns.length > 0) look();
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
  try {
    const target = await json(ofTarget(id));
    if (store.targets.has(id)) takeTarget(target);
  } catch {
    // Its turn comes again; the stream tells when nobody answers, or when it is gone.
  }
  running -= 1;
  look();
}
