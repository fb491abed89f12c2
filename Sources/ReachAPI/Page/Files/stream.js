// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Keeps the picture true: a snapshot, then every event behind its number, over connections that come and go. It is read by fetch
// and not by EventSource, which sends no token and does not tell of the comments by which a quiet stream shows that it lives.

import { json, request } from "./api.js";
import { LIST, setLink, store, take, takeSnapshot } from "./store.js";

/// No byte for so long, and nobody knows how things are. The service sends one every 15 s unless told otherwise.
let patience = 40_000;
const LONGEST_PATIENCE = 600_000;
/// So many results a second are worth their bytes; with more of them rows are read now and then.
const RESULT_LIMIT = 20;

/// The last event that was told, as `epoch-sequence`; null before the first snapshot.
let position = null;
let failures = 0;
let wake = () => {};
let connection = null;
let isRunning = false;
let isResting = false;

/// Runs for as long as the page does.
export async function run() {
  if (isRunning) return;
  isRunning = true;
  setInterval(watch, 2_000);
  addEventListener("online", () => wake());
  document.addEventListener("visibilitychange", () => document.hidden || wake());
  for (;;) {
    try {
      if (position === null) await picture();
      await listen();
    } catch (error) {
      if (error.status === 401) {
        isResting = true;
        setLink("lost", "A token is wanted.");
      } else if (!connection?.isOver) {
        setLink(store.link === "stale" ? "stale" : "lost", error.status ? error.message : null);
      }
    }
    connection = null;
    await pause(isResting ? 3_600_000 : Math.min(15_000, 500 * 2 ** failures++) * (0.75 + Math.random() / 2));
  }
}

/// Tries again at once: there is another token, or the network came back.
export function again() {
  isResting = false;
  failures = 0;
  position = null;
  wake();
  connection?.abort();
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

function watch() {
  if (connection === null || store.link !== "live" || Date.now() - store.newsAt < patience) return;
  setLink("stale");
  // Where the silence was only a slow heartbeat, it is known from now on.
  patience = Math.min(patience * 2, LONGEST_PATIENCE);
  connection.abort();
}

// MARK: Reading

async function picture() {
  const [status, first] = await Promise.all([json("status"), json(LIST)]);
  const targets = first.targets;
  let next = first.next;
  while (next) {
    const page = await json(`${LIST}&cursor=${encodeURIComponent(next)}`);
    targets.push(...page.targets);
    next = page.next;
  }
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

async function listen() {
  const controller = new AbortController();
  connection = { isOver: false, abort: () => controller.abort() };
  const results = isWorthResults() ? "&include=result" : "";
  const response = await request(`events?since=${encodeURIComponent(position)}${results}`, {
    accept: "text/event-stream",
    signal: controller.signal,
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const parser = new Parser();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    store.newsAt = Date.now();
    failures = 0;
    for (const event of parser.push(value)) {
      if (event.id !== null) position = event.id;
      if (event.type === "reset" || (event.type === "lagged" && event.data.of !== "result")) {
        // What was missed is not told one by one any more: the whole picture is.
        position = null;
        connection.isOver = true;
        controller.abort();
        return;
      }
      if (event.data !== null) take(event.type, event.data, event.id === null ? null : Number(event.id.split("-").pop()));
    }
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
