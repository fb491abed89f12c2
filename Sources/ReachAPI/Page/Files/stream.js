// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Keeps the store current: a snapshot, then every event after its sequence, with reconnects. It uses fetch, since
// EventSource can neither send a token nor report the keep-alive comments of a quiet stream.

import { Problem, request } from "./api.js";
import { isNodeNext, scoped } from "./scope.js";
import { isFleet, LIST, setLink, store, take, takeSnapshot } from "./store.js";

/// After this time without a byte the data counts as stale. The service sends a keep-alive every 15 s by default.
let patience = 40_000;
const LONGEST_PATIENCE = 600_000;
/// Results per second up to which the stream includes them; above it, rows in view are polled (fresh.js).
const RESULT_LIMIT = 20;

/// The last event received, as `epoch-sequence`; null before the first snapshot.
let position = null;
let failures = 0;
let wake = () => {};
/// The current connection attempt: `abort` ends its requests, `heardAt` is its start or the time of its last byte.
let attempt = null;
let isRunning = false;
let isResting = false;
/// Incremented with each new token or scope: results of attempts with the old one are ignored.
let turn = 0;

/// Runs for as long as the page does.
export async function run() {
  if (isRunning) return;
  isRunning = true;
  setInterval(watch, 2_000);
  addEventListener("online", () => wake());
  document.addEventListener("visibilitychange", () => document.hidden || wake());
  for (;;) {
    const begun = turn;
    const controller = new AbortController();
    attempt = { signal: controller.signal, abort: () => controller.abort(), heardAt: Date.now() };
    try {
      if (position === null) await picture(attempt);
      await listen(attempt);
    } catch (error) {
      if (begun === turn) {
        isResting = error.status === 401;
        if (isResting) setLink("lost", "An access token is required.", true);
        else setLink(store.link === "stale" ? "stale" : "lost", error.status ? error.message : null);
      }
    } finally {
      // No request of this attempt may continue beside the next one.
      controller.abort();
      attempt = null;
    }
    if (begun !== turn) continue;
    await pause(isResting ? 3_600_000 : Math.min(15_000, 500 * 2 ** failures++) * (0.75 + Math.random() / 2));
  }
}

/// Reconnects at once, with a new snapshot: the token, the scope or the list of targets changed.
export function again() {
  turn += 1;
  isResting = false;
  failures = 0;
  position = null;
  wake();
  attempt?.abort();
}

function pause(milliseconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    wake = () => {
      if (isResting) return;
      clearTimeout(timer);
      resolve();
    };
  });
}

/// Aborts a silent attempt, whether its stream was live or it never connected.
function watch() {
  if (attempt === null || Date.now() - attempt.heardAt < patience) return;
  if (store.link === "live") {
    setLink("stale");
    // The service may have a longer keep-alive interval: wait longer from now on.
    patience = Math.min(patience * 2, LONGEST_PATIENCE);
  }
  attempt.abort();
}

// MARK: Reading

/// The text of a response in pieces as they arrive; each one shows that the connection is alive.
async function* pieces(path, accept, of) {
  const response = await request(path, { accept, signal: of.signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  of.heardAt = Date.now();
  for (;;) {
    const { done, value } = await reader.read();
    of.heardAt = Date.now();
    if (done) return;
    yield value;
  }
}

async function whole(path, of) {
  let text = "";
  for await (const piece of pieces(path, "application/json", of)) text += piece;
  return JSON.parse(text);
}

async function picture(of) {
  const isNode = isNodeNext();
  // The incidents are not older than the status, so the events after its sequence complete them.
  const [[status, incidents], [targets, sequence]] = await Promise.all([
    whole(scoped("status", isNode), of).then(async (status) => [status, await openIncidents(isNode, of)]),
    listed(isNode, of),
  ]);
  if (status.sequence === undefined) throw new Problem(503, { title: "The fleet’s database cannot be read." });
  of.signal.throwIfAborted();
  takeSnapshot(status, targets, incidents);
  store.newsAt = Date.now();
  // The older of the two: some events are received again, and none is missed.
  position = `${status.epoch}-${Math.min(status.sequence, sequence)}`;
}

/// All targets, and the sequence of the first page.
async function listed(isNode, of) {
  const first = await whole(scoped(LIST, isNode), of);
  const targets = dated(first);
  for (let next = first.next; next; ) {
    const page = await whole(scoped(`${LIST}&cursor=${encodeURIComponent(next)}`, isNode), of);
    targets.push(...dated(page));
    next = page.next;
  }
  return [targets, first.sequence];
}

async function openIncidents(isNode, of) {
  const incidents = [];
  for (let next = ""; next !== undefined; ) {
    const cursor = next ? `&cursor=${encodeURIComponent(next)}` : "";
    const page = await whole(scoped(`incidents?state=open&limit=1000${cursor}`, isNode), of);
    incidents.push(...page.incidents);
    next = page.next;
  }
  return incidents;
}

/// The targets of a page. Those of a fleet have no sequence: they are as old as the page.
const dated = ({ targets, sequence }) => targets.map((target) => ({ sequence, ...target }));

function isWorthResults() {
  if (isFleet()) return false;
  let rate = 0;
  for (const target of store.targets.values()) {
    if (target.probe && target.state !== "paused") rate += 1 / target.probe.interval_seconds;
  }
  return rate <= RESULT_LIMIT;
}

async function listen(of) {
  store.hasResults = isWorthResults();
  const results = store.hasResults ? "&include=result" : "";
  const parser = new Parser();
  for await (const piece of pieces(scoped(`events?since=${encodeURIComponent(position)}${results}`), "text/event-stream", of)) {
    // A piece that was read before the attempt was aborted may be of another scope.
    of.signal.throwIfAborted();
    store.newsAt = of.heardAt;
    let last = position;
    // If applying an event fails, the next attempt begins with a new snapshot.
    position = null;
    for (const event of parser.push(piece)) {
      // Events were missed and cannot be replayed: begin with a new snapshot.
      if (event.type === "reset" || (event.type === "lagged" && event.data.of !== "result")) return;
      // A file with many changes was applied to the fleet: not each has an event.
      if (isFleet() && event.type === "config" && !event.data.is_listed) return;
      last = event.id ?? last;
      if (event.data !== null) take(event.type, event.data, event.id === null ? null : Number(event.id.split("-").pop()));
    }
    position = last;
    failures = 0;
    setLink("live");
  }
  // The stream ended regularly: reachd stops.
  setLink("lost");
}

/// Reads `text/event-stream` in pieces of any size.
class Parser {
  #rest = "";

  push(text) {
    const blocks = (this.#rest + text).split("\n\n");
    this.#rest = blocks.pop();
    return blocks.map(Parser.#event);
  }

  static #event(block) {
    const event = { id: null, type: "message", data: null };
    for (const line of block.split("\n")) {
      const colon = line.indexOf(": ");
      const value = line.slice(colon + 2);
      switch (line.slice(0, colon)) {
        case "id": event.id = value; break;
        case "event": event.type = value; break;
        case "data": event.data = JSON.parse(value); break;
      }
    }
    return event;
  }
}
