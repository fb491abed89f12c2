// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The explanation of a target's state: reason, cause, path, pending results and thresholds.

import { h } from "./dom.js";
import { factsOf } from "./kinds.js";
import { cause, count, latency, moment, offender, pathReason, percent, plain, route, since, span, taken } from "./words.js";

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
      // Only the response for one target has it.
      ["What to do", target.advice],
      ["Cause", target.cause && cause(target.cause)],
      ["Reported by", offender(target.reason?.offender)],
      ["Pending", target.pending && `${target.pending.count} of ${target.pending.of} results for ${target.pending.toward}`],
      ["Thresholds", thresholds(target.probe)],
      ["Next probe", next(target)],
      ["Heartbeats", heartbeats(target)],
      ["Depends on", target.depends_on?.join(", ")],
      ["Path", path.unsatisfied_reason ? pathReason(path.unsatisfied_reason) : route(path)],
      ["Source", path.source_address],
      ["Resolution", resolution(target.resolution)],
    ]),
  ];
}

function sentence(target) {
  const { name, path } = target;
  const detail = target.reason ? ` ${capital(target.reason.detail, path?.interface?.name).replace(/\.?$/, ".")}` : "";
  switch (target.state) {
    case "up": return calls(target) ? `${name} sends its heartbeats.` : target.probe?.type === "traffic" ? `Connections of this machine with ${name} succeed.` : target.probe ? `${name} responds.` : `This machine has a route to ${name}.`;
    case "degraded": return `${name} responds, but not as expected.${detail}`;
    case "down": return `${name} ${failure(target)}. The cause is the target itself.${detail}`;
    case "unreachable": return `${name} cannot be reached from here. The cause is ${cause(target.cause)}.${detail}`;
    case "paused": return `${name} is paused and not probed.`;
    case "maintenance": return `${name} is in maintenance; failures are expected.`;
    default:
      if (target.reason?.code === "no_traffic") return `The state of ${name} is unknown.${detail}`;
      if (!target.cause) return `${name} has not been evaluated yet.${detail}`;
      return `The state of ${name} is unknown. The cause is ${cause(target.cause)}.${detail}`;
  }
}

/// This machine's own connections with the target; nothing without any in the last hour.
export function trafficFacts(traffic) {
  const hour = traffic?.hour;
  if (!hour || hour.connections + hour.failed === 0) return [];
  return [facts([
    ["Connections", connections(traffic)],
    ["Last hour", `${hour.connections.toLocaleString("en")} succeeded, ${hour.failed === 0 ? "none" : hour.failed.toLocaleString("en")} failed`],
    ["Round trip", hour.median_rtt_seconds !== undefined && latency(hour.median_rtt_seconds)],
    ["Sent again", hour.retransmission_share > 0 && percent(hour.retransmission_share)],
    ["Hanging", hanging(traffic.hanging_at_failure)],
  ])];
}

/// What this machine's own connections showed lately; undefined without any.
function connections(traffic) {
  const recent = traffic?.recent;
  if (!recent || recent.connections + recent.failed === 0) return undefined;
  const failed = recent.failed === 0 ? "none failed" : `${recent.failed} failed (${[
    recent.refused && `${recent.refused} refused`, recent.unanswered && `${recent.unanswered} not answered`,
  ].filter(Boolean).join(", ")})`;
  const share = recent.observed_share < 0.9 ? `; ${Math.round(recent.observed_share * 100)} % of the time observed` : "";
  return `this machine: ${recent.connections} succeeded, ${failed} in the last ${recent.minutes} minutes${share}`;
}

/// The open connections that hung when the target failed; undefined when none did.
function hanging(found) {
  if (!found?.hanging) return undefined;
  return `${found.hanging} of ${count(found.examined, "open connection")} of this machine, ${moment(found.at)}`;
}

/// Whether the target sends heartbeats.
const calls = (target) => target.probe?.type === "push";

/// A sentence of a text that may begin with a name.
const capital = (text, name) => (name && text.startsWith(`${name} `) ? text : text.replace(/^./u, (first) => first.toUpperCase()));

/// Reasons that imply an answer of the target.
const ANSWERED = /^(unexpected|malformed|tls|starttls|grpc|http|ntp|certificate|pins)_|^(body_too_large|headers_too_large|bad_content_encoding|too_many_redirects|bad_redirect|packet_loss|too_slow|some_addresses_failed)$/;
/// Reasons that imply a refusal.
const REFUSED = new Set(["connect_refused", "protocol_unreachable"]);
const TRUST = /^tls_(?!handshake_failed|alert|version_unsupported|files_unreadable)|^certificate_|^pins_/;

/// The failure of a target that is down: silence, a refusal or a wrong answer.
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

/// When a probe's results change the state.
export function thresholds(probe) {
  if (!probe) return "none; without a probe the path decides";
  const [fall, rise] = [consecutive(probe.fall, "failure", "failures"), consecutive(probe.rise, "success", "successes")];
  return `down after ${fall}, up after ${rise}`;
}

const consecutive = (number, one, several) => (number === 1 ? `1 ${one}` : `${number} consecutive ${several}`);

/// The schedule of a push target's heartbeats.
function heartbeats(target) {
  if (!calls(target)) return null;
  return `every ${span(target.probe.interval_seconds)}, grace ${span(target.probe.grace_seconds ?? 0)}`;
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
  if (!probe || calls(target)) return null;
  if (target.state === "paused") return "none while paused";
  // Probes stop while the path or a parent is unusable, not when a probe found the cause elsewhere. Lists have no decision.
  if (target.state === "unreachable" && target.decision?.basis !== "probe") {
    return target.decision ? "none while unreachable" : null;
  }
  if (!target.last_result) return `every ${span(probe.interval_seconds)}, soon`;
  const wait = target.pending ? probe.confirm_interval_seconds : probe.interval_seconds;
  const left = wait - since(target.last_result.at);
  return `${left > 0 ? `in about ${span(left)}` : "about now"}, every ${span(wait)}`;
}

function resolution(resolution) {
  if (!resolution || resolution.state === "not_needed") return null;
  if (resolution.state === "complete") return resolution.addresses.join(", ");
  return `${plain(resolution.state)}${resolution.error ? `: ${resolution.error}` : ""}`;
}

/// The facts of the last result.
export function resultFacts(result) {
  return facts([
    ["Time", `${moment(result.at)}, ${span(since(result.at))} ago`],
    ["Detail", result.reason ? result.reason.detail : result.detail],
    ["Code", result.reason && h("code", {}, result.reason.code)],
    ["Address", result.address],
    ...factsOf(result),
  ]);
}
