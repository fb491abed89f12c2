// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Why a target is in its state: the reason and whose fault it is, the packet's way, what the probe waits for.

import { h } from "./dom.js";
import { factsOf } from "./kinds.js";
import { cause, count, latency, moment, pathReason, route, since, span, taken } from "./words.js";

/// Name and value pairs, without those that have no value.
export function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false);
  return h("dl", { class: "facts" }, known.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

export function evidence(target) {
  const path = target.path ?? {};
  return [
    h("p", { class: "because" }, sentence(target)),
    facts([
      ["Reason", target.reason && h("code", {}, target.reason.code)],
      ["Cause", target.cause && cause(target.cause)],
      ["Pending", target.pending && `${target.pending.count} of ${target.pending.of} results for ${target.pending.toward}`],
      ["Decided by", decision(target)],
      ["Next probe", next(target)],
      ["Depends on", target.depends_on?.join(", ")],
      ["Path", path.unsatisfied_reason ? pathReason(path.unsatisfied_reason) : route(path)],
      ["Source", path.source_address],
      ["Name", resolution(target.resolution)],
    ]),
  ];
}

function sentence(target) {
  const name = target.name;
  const detail = target.reason ? ` ${capital(target.reason.detail).replace(/\.?$/, ".")}` : "";
  switch (target.state) {
    case "up": return calls(target) ? `${name} sends its heartbeats.` : target.probe ? `${name} responds.` : `This machine has a route to ${name}.`;
    case "degraded": return `${name} responds, but not as expected.${detail}`;
    case "down": return `${name} ${failure(target)}. The cause is the target itself.${detail}`;
    case "unreachable": return `${name} cannot be reached from here. The cause is ${cause(target.cause)}.${detail}`;
    case "paused": return `${name} is paused and not probed.`;
    case "maintenance": return `${name} is in maintenance; failures are expected.`;
    default: return `Not evaluated yet.${detail}`;
  }
}

/// Whether the target sends heartbeats.
const calls = (target) => target.probe?.type === "push";

const capital = (text) => text.replace(/^./u, (first) => first.toUpperCase());

/// Reasons that imply an answer of the target.
const ANSWERED = /^(unexpected|malformed|tls|starttls|grpc|http|ntp|certificate|pins)_|^(body_too_large|headers_too_large|too_many_redirects|bad_redirect|packet_loss|too_slow|some_addresses_failed)$/;
/// Reasons that imply a refusal.
const REFUSED = new Set(["connect_refused", "protocol_unreachable"]);
const TRUST = /^tls_(?!handshake_failed|alert|version_unsupported|files_unreadable)|^certificate_|^pins_/;

/// The failure of a target that is down: silence, a refusal and a wrong answer differ.
function failure(target) {
  const code = target.reason?.code ?? "";
  if (calls(target)) return code === "heartbeat_failed" ? "reported a failure" : "sends no heartbeat";
  if (code === "unexpectedly_reachable") return "is reachable, but must not be";
  if (TRUST.test(code)) return "presents a certificate that is not accepted";
  if (ANSWERED.test(code)) return "responds, but not as expected";
  if (REFUSED.has(code)) return "refuses the connection";
  if (code === "connection_closed" || code === "connection_reset") return "closes the connection without an answer";
  return "does not respond";
}

function decision(target) {
  const probe = target.probe;
  if (!probe) return "the path alone; there is no probe";
  return `${count(probe.fall, "failure")}${probe.fall === 1 ? "" : " in a row"} down, ${probe.rise} ${probe.rise === 1 ? "success" : "successes"} up`;
}

/// The last result as a sentence.
export function outcome(target) {
  const { success, duration_seconds: duration, reason } = target.last_result;
  if (!calls(target)) return success ? `Response in ${latency(taken(target.last_result))}.` : `Failure after ${latency(duration)}.`;
  if (success) return "Heartbeat received.";
  return reason?.code === "heartbeat_failed" ? "Heartbeat received: it reported a failure." : "No heartbeat.";
}

/// The time of the next probe, as far as the page knows it.
function next(target) {
  const probe = target.probe;
  if (!probe) return null;
  if (probe.type === "push") return `heartbeat every ${span(probe.interval_seconds)}, grace ${span(probe.grace_seconds ?? 0)}`;
  if (["paused", "unreachable"].includes(target.state)) return "not while in this state";
  if (!target.last_result) return `every ${span(probe.interval_seconds)}, soon`;
  const wait = target.pending ? probe.confirm_interval_seconds : probe.interval_seconds;
  const left = wait - since(target.last_result.at);
  return `${left > 0 ? `in about ${span(left)}` : "about now"}, every ${span(wait)}`;
}

function resolution(resolution) {
  if (!resolution || resolution.state === "not_needed") return null;
  if (resolution.state === "complete") return resolution.addresses.join(", ");
  return `${resolution.state}${resolution.error ? `: ${resolution.error}` : ""}`;
}

/// The facts of the last result.
export function resultFacts(result) {
  return facts([
    ["At", `${moment(result.at)}, ${span(since(result.at))} ago`],
    ["Answer", result.reason ? result.reason.detail : result.detail],
    ["Code", result.reason && h("code", {}, result.reason.code)],
    ["Address", result.address],
    ...factsOf(result),
  ]);
}
