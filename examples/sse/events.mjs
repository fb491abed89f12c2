#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Prints the events of reachd, one per line: ID TYPE DATA. Resumes after every disconnect. In a browser, EventSource does most of
// this (docs/events.md names the exceptions): new EventSource(url).addEventListener("state", (event) => …).
//
//     events.mjs [URL [LAST-EVENT-ID]]

const [url = "http://127.0.0.1:7532/events", first = ""] = process.argv.slice(2);
let last = first;
let pause = 3000;

for (;;) {
  // A stream that says nothing sends a comment every 15 seconds: 45 without one, and it is broken.
  const controller = new AbortController();
  const watchdog = setTimeout(() => controller.abort(), 45_000);
  try {
    const headers = { Accept: "text/event-stream", ...(last && { "Last-Event-ID": last }) };
    const response = await fetch(url, { headers, signal: controller.signal });
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    let [id, type, data, rest] = [last, "message", [], ""];
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      watchdog.refresh();
      const lines = (rest + chunk).split("\n");
      rest = lines.pop();
      for (const line of lines.map((line) => line.replace(/\r$/, ""))) {
        if (line === "") {
          last = id;
          if (data.length) console.log(`${id} ${type} ${data.join("\n")}`);
          [type, data] = ["message", []];
          continue;
        }
        const [, name, value] = line.match(/^([^:]*):? ?(.*)$/);
        if (name === "id") id = value;
        else if (name === "event") type = value;
        else if (name === "data") data.push(value);
        else if (name === "retry" && /^\d+$/.test(value)) pause = Number(value);
      }
    }
  } catch (error) {
    console.error(`${url}: ${error.cause?.message ?? error.message}`);
  } finally {
    clearTimeout(watchdog);
  }
  await new Promise((resolve) => setTimeout(resolve, pause));
}
