// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The path to a target as a line of hops: the last trace, and the last one that the target answered.

import { h } from "./dom.js";
import { facts } from "./evidence.js";
import { count, latency, moment, since, span } from "./words.js";

const METHODS = { tcp: "TCP", udp: "UDP", icmp: "echo requests" };

/// The last trace and the last good one; nothing without a trace.
///
/// - Parameter answer: Of `/targets/{id}/trace`.
export function traces(answer, target) {
  const { latest, last_good: good } = answer ?? {};
  if (!latest) return [];
  const parts = [h("p", { class: "because" }, summary(answer)), line(latest, answer, target, true), traceFacts(latest)];
  if (good && good.at !== latest.at) {
    parts.push(h("h4", {}, `Last good trace, ${moment(good.at)}`), line(good, {}, target, false));
  }
  return parts;
}

/// The result of the last trace as a sentence.
export function summary({ latest, last_good: good, comparison, next_hop: next }) {
  if (!comparison) return `${capital(latest.detail)}.`;
  return `The path ${comparison}${next && good ? ` at ${moment(good.at)}` : ""}.`;
}

/// The elements that were considered for the silent targets of an incident, the one at fault marked.
///
/// - Parameter diagnosis: Of `/incidents/{id}`; undefined where there is none.
export function elements(diagnosis) {
  if (!diagnosis) return [];
  const items = diagnosis.elements.map((element) => {
    const place = element.prefix ?? element.addresses?.join(", ") ?? element.kind;
    const silent = `${element.silent} of ${count(element.targets, "target")} silent`;
    const isBroken = element.at_fault === true;
    return item(isBroken ? "broken" : "", element.kind === "gateway" || element.kind === "router" ? element.hop : "", place, null,
      isBroken ? silent : `${silent} · ${element.text}`, isBroken ? element.text : null);
  });
  const line = items.length > 0 && h("ol", { class: "route" }, item("", "", "this machine"), items);
  return [h("p", { class: "because" }, diagnosis.text), line].filter(Boolean);
}

const capital = (text) => text.replace(/^./u, (first) => first.toUpperCase());

function traceFacts(trace) {
  const port = trace.port === undefined ? "" : ` to port ${trace.port}`;
  return facts([
    ["Time", `${moment(trace.at)}, ${span(since(trace.at))} ago`],
    ["Packets", `${METHODS[trace.method] ?? trace.method}${port}, ${count(trace.packets, "packet")}, ${latency(trace.duration_seconds)}`],
    ["Flow", !trace.one_flow && "several flows, so hops may belong to different paths"],
  ]);
}

/// The hops from this machine to the destination. Behind the last answer follow the hop that came next before, and the destination.
function line(trace, { last_hop: last, next_hop: next }, target, isLatest) {
  const isBroken = trace.outcome !== "reached" && trace.outcome !== "refused";
  // Traces to other targets, or their silence, show where packets end, too.
  const end = isLatest && !target.reason?.trace?.largest_packet_bytes ? target.reason?.trace?.last_hop : undefined;
  const offender = isBroken ? target.reason?.offender : undefined;
  const items = [item("", "", "this machine")];
  for (const hop of trace.hops) {
    const [address, ...others] = hop.addresses;
    const notes = [
      others.length > 0 && `also ${others.join(", ")}`,
      address && hop.lost > 0 && `${hop.lost} of ${hop.sent} lost`,
      hop.mpls && `MPLS ${hop.mpls.map((entry) => `${entry.label} (TTL ${entry.ttl})`).join(", ")}`,
      trace.loop?.includes(address) && "in a loop",
    ].filter(Boolean);
    const isEnd = end?.hop === hop.hop && hop.addresses.includes(end.address);
    const fault = (isBroken ? broken(trace, hop, { last, next, offender }) : null) ?? (isEnd ? "packets end behind this hop" : null);
    if (trace.outcome === "refused" && address === trace.address) notes.push("refuses the packets");
    items.push(item(fault ? "broken" : address ? "" : "silent", hop.hop, address ?? "no answer", hop.median_seconds, notes.join(" · "), fault));
  }
  if (isBroken) {
    if (next && next.address !== trace.address) items.push(item("beyond", next.hop, next.address, null, "came next before"));
    items.push(item("beyond", "", trace.address, null, trace.outcome === "silent" ? "does not answer" : "not reached"));
  }
  return h("ol", { class: "route" }, items);
}

/// The fault at a hop; null where there is none.
function broken(trace, hop, { last, next, offender }) {
  if (offender?.address && hop.addresses.includes(offender.address)) return `reports: ${offender.message}`;
  if (trace.outcome === "rejected" && hop === trace.hops.at(-1)) return "refuses the packets";
  // Only an earlier trace shows that a router followed. The last router before a silent destination is not at fault.
  if (last?.hop === hop.hop && next && next.address !== trace.address) return "the path stops behind this hop";
  return null;
}

function item(state, number, address, seconds, note, fault) {
  return h("li", { class: state },
    h("span", { class: "number" }, number !== "" && h("span", { class: "hidden" }, "hop "), String(number)), h("b", {}, address),
    h("span", { class: "time" }, seconds === null || seconds === undefined ? "" : latency(seconds)),
    note && h("span", { class: "note" }, note), fault && h("span", { class: "fault" }, fault));
}
