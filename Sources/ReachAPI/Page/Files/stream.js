// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Keeps the picture true: a snapshot, then every event behind its number, over connections that come and go. It is read by fetch
// and not by EventSource, which sends no token and does not tell of the comments by which a quiet stream shows that it lives.

import { request } from "./api.js";
import { LIST, setLink, store, take, takeSnapshot } from "./store.js";

/// No byte for so long, and nobody knows how things are. The service sends one every 15 s unless told otherwise.
let patience = 40_000;
const LONGEST_PATIENCE = 600_000;
/// So many results a second are worth their bytes; with more of them the rows in view are read by themselves (fresh.js).
const RESULT_LIMIT = 20;

/// The last event that was told, as `epoch-sequence`; null before the first snapshot.
let position = null;
let failures = 0;
let wake = () => {};
/// What is going on: `abort` ends all of it, `heardAt` is when it began or when its last byte came.
let attempt = null;
let isRunning = false;
let isResting = false;
/// Another number with each new token: what an attempt with the old one came to does not count.
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
        if (isResting) setLink("lost", "A token is wanted.", true);
        else setLink(store.link === "stale" ? "stale" : "lost", error.status ? error.message : null);
      }
    } finally {
      // However it ended, nothing of it goes on beside the next one.
      controller.abort();
      attempt = null;
    }
    if (begun !== turn) continue;
    await pause(isResting ? 3_600_000 : Math.min(15_000, 500 * 2 ** failures++) * (0.75 + Math.random() / 2));
  }
}

/// Tries again at once: there is another token, or the network came back.
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

/// Gives up what is silent: a stream that was live, and as well an attempt whose packets go nowhere.
function watch() {
  if (attempt === null || Date.now() - attempt.heardAt < patience) return;
  if (store.link === "live") {
    setLink("stale");
    // Where the silence was only a slow heartbeat, it is known from now on.
    patience = Math.min(patience * 2, LONGEST_PATIENCE);
  }
  attempt.abort();
}

// MARK: Reading

/// The text of an answer, piece by piece as it comes; each of them is a sign of life.
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
  const [status, first] = await Promise.all([whole("status", of), whole(LIST, of)]);
  const targets = first.targets;
  let next = first.next;
  while (next) {
    const page = await whole(`${LIST}&cursor=${encodeURIComponent(next)}`, of);
    targets.push(...page.targets);
    next = page.next;
  }
  of.signal.throwIfAborted();
  takeSnapshot(status, targets);
  store.newsAt = Date.now();
  // The older of the two: what one of them shows already is heard again, and nothing is missed.
  position = `${status.epoch}-${Math.min(status.sequence, first.sequence)}`;
}

function isWorthResults() {
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
  for await (const piece of pieces(`events?since=${encodeURIComponent(position)}${results}`, "text/event-stream", of)) {
    store.newsAt = of.heardAt;
    let last = position;
    // If what came cannot be taken the picture is in doubt, and made anew.
    position = null;
    for (const event of parser.push(piece)) {
      // What was missed is not told one by one any more: the whole picture is.
      if (event.type === "reset" || (event.type === "lagged" && event.data.of !== "result")) return;
      last = event.id ?? last;
      if (event.data !== null) take(event.type, event.data, event.id === null ? null : Number(event.id.split("-").pop()));
    }
    position = last;
    failures = 0;
    setLink("live");
  }
  // It ended in good order: reachd goes away.
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
