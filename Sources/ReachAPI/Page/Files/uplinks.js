// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The log of this machine's default uplinks: state, round trips, outages and the time lost this month.

import { json } from "./api.js";
import { byID, h, paced } from "./dom.js";
import { follow, isFleet, store } from "./store.js";
import { count, latency, moment, since, span } from "./words.js";

const STATES = { in_use: "in use", lost: "failed", unused: "not in use" };
const CAUSES = {
  link_down: "the link was down",
  no_carrier: "no carrier",
  no_interface: "the interface was gone",
  no_source_address: "no source address",
  route_gone: "the route was gone",
  gateway_silent: "the gateway did not respond",
};
/// Older outages are in the CSV.
const SHOWN = 5;

export function startUplinks() {
  follow((changes) => {
    if (changes.way || changes.link || changes.scope) load();
  });
  setInterval(() => document.hidden || store.link !== "live" || load(), 60_000);
  document.addEventListener("visibilitychange", () => document.hidden || load());
}

const load = paced(1_500, async () => {
  if (isFleet()) return;
  let uplinks = [];
  try {
    uplinks = (await json("uplinks")).uplinks;
  } catch {
    // The stream shows when reachd does not respond.
    return;
  }
  draw(uplinks);
});

function draw(uplinks) {
  const shown = uplinks.filter((uplink) => uplink.state !== "unused" || uplink.outages.length > 0).toReversed();
  shown.sort((a, b) => (a.state === "unused") - (b.state === "unused"));
  byID("uplinks-section").hidden = shown.length === 0;
  const rows = shown.map(row);
  const list = byID("uplinks");
  const key = rows.map((one) => `${one.dataset.state} ${one.textContent}`).join("\n");
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  const open = new Set([...list.querySelectorAll("details[open]")].map((one) => one.dataset.id));
  for (const one of rows) for (const details of one.querySelectorAll("details")) details.open = open.has(details.dataset.id);
  list.replaceChildren(...rows);
}

function row(uplink) {
  const state = uplink.outage ? "failed" : uplink.state;
  const by = `${uplink.interface ? `${uplink.interface}, ` : ""}gateway ${uplink.gateway}`;
  const words = uplink.outage
    ? `${CAUSES[uplink.outage.cause] ?? uplink.outage.cause}, since ${moment(uplink.outage.from)}`
    : `${STATES[uplink.state] ?? uplink.state}${uplink.periods[0] && !uplink.periods[0].to ? ` since ${moment(uplink.periods[0].from)}` : ""}`;
  const month = uplink.months[0];
  const isNow = month?.month === new Date().toISOString().slice(0, 7);
  const facts = [["Lost this month", isNow && month.lost_seconds > 0 ? span(month.lost_seconds) : "nothing"]];
  if (uplink.gateway_latency) facts.push(["Gateway", latency(uplink.gateway_latency.round_trip_seconds)]);
  if (uplink.public_hop) facts.push([`First public hop, ${uplink.public_hop.address}`, latency(uplink.public_hop.round_trip_seconds)]);
  return h("li", { "data-state": state },
    h("p", {}, h("b", {}, by), " ", h("span", { class: "words" }, words)),
    h("dl", { class: "facts" }, facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
    uplink.outages.length > 0 && outages(uplink));
}

function outages(uplink) {
  return h("details", { "data-id": uplink.id },
    h("summary", {}, count(uplink.outage_count, "outage")),
    h("ul", {}, uplink.outages.slice(0, SHOWN).map((outage) =>
      h("li", {}, `${moment(outage.from)}: ${CAUSES[outage.cause] ?? outage.cause}, ${length(outage)}`))));
}

function length(outage) {
  if (!outage.to) return `since ${span(since(outage.from))}`;
  const words = span(outage.seconds);
  if (outage.end === "replaced") return `${words}, then replaced`;
  return outage.end === "expired" ? `${words}, then given up` : words;
}
