// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Why a target is in its state: the reason and whose fault it is, the packet's way, what the probe waits for.

import { h } from "./dom.js";
import { factsOf } from "./kinds.js";
import { cause, count, interfaceType, latency, moment, plain, since, span, taken } from "./words.js";

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
      ["In doubt", target.pending && `${target.pending.count} of ${target.pending.of} results toward ${target.pending.toward}`],
      ["Decided by", decision(target)],
      ["Next probe", next(target)],
      ["Depends on", target.depends_on?.join(", ")],
      ["Path", path.status && `${plain(path.status)}${path.unsatisfied_reason ? `: ${plain(path.unsatisfied_reason)}` : ""}`],
      ["Route", route(path)],
      ["Name", resolution(target.resolution)],
      ["Flags", target.flags?.text],
    ]),
  ];
}

function sentence(target) {
  const name = target.name;
  const detail = target.reason ? ` ${capital(target.reason.detail).replace(/\.?$/, ".")}` : "";
  switch (target.state) {
    case "up": return calls(target) ? `${name} calls as it should.` : target.probe ? `${name} answers.` : `A packet to ${name} has a way out.`;
    case "degraded": return `${name} answers, but not as it should.${detail}`;
    case "down": return `${name} ${failure(target)}, and the fault is its own.${detail}`;
    case "unreachable": return `${name} cannot be judged from here: the cause is ${cause(target.cause)}.${detail}`;
    case "paused": return `Somebody paused ${name}; it is not asked.`;
    case "maintenance": return `${name} is under maintenance; failures are expected.`;
    default: return `Not known yet.${detail}`;
  }
}

/// Whether it is the one that calls.
const calls = (target) => target.probe?.type === "push";

const capital = (text) => text.replace(/^./u, (first) => first.toUpperCase());

/// Reasons after which the target has answered in some way.
const ANSWERED = /^(unexpected|malformed|tls|starttls|grpc|http|ntp|certificate|pins)_|^(body_too_large|headers_too_large|too_many_redirects|bad_redirect|packet_loss|too_slow|some_addresses_failed)$/;
/// Reasons that are an answer: no.
const REFUSED = new Set(["connect_refused", "protocol_unreachable"]);
const TRUST = /^tls_(?!handshake_failed|alert|version_unsupported|files_unreadable)|^certificate_|^pins_/;

/// What a target that is down does, in a verb: silence, a refusal and a wrong answer are different faults.
function failure(target) {
  const code = target.reason?.code ?? "";
  if (calls(target)) return code === "heartbeat_failed" ? "says that it failed" : "does not call";
  if (code === "unexpectedly_reachable") return "is reachable, and must not be";
  if (TRUST.test(code)) return "answers with a certificate that is not accepted";
  if (ANSWERED.test(code)) return "answers, but not as it should";
  if (REFUSED.has(code)) return "refuses the connection";
  if (code === "connection_closed" || code === "connection_reset") return "ends the connection without an answer";
  return "does not answer";
}

function decision(target) {
  const probe = target.probe;
  if (!probe) return "the path alone: it has no probe";
  return `${count(probe.fall, "failure")}${probe.fall === 1 ? "" : " in a row"} down, ${probe.rise} ${probe.rise === 1 ? "success" : "successes"} up`;
}

/// What the last result came to, in a sentence.
export function outcome(target) {
  const { success, duration_seconds: duration, reason } = target.last_result;
  if (!calls(target)) return success ? `It answered in ${latency(taken(target.last_result))}.` : `It failed after ${latency(duration)}.`;
  if (success) return "It called.";
  return reason?.code === "heartbeat_failed" ? "It called, and said that it failed." : "It did not call.";
}

/// When it is asked next, as far as can be said from here.
function next(target) {
  const probe = target.probe;
  if (!probe) return null;
  if (probe.type === "push") return `it calls every ${span(probe.interval_seconds)}, ${span(probe.grace_seconds ?? 0)} of grace`;
  if (["paused", "unreachable"].includes(target.state)) return "rests until this changes";
  if (!target.last_result) return `every ${span(probe.interval_seconds)}, soon`;
  const wait = target.pending ? probe.confirm_interval_seconds : probe.interval_seconds;
  const left = wait - since(target.last_result.at);
  return `${left > 0 ? `in about ${span(left)}` : "about now"}, every ${span(wait)}`;
}

function route(path) {
  if (!path.interface) return null;
  const gateway = path.gateway ? ` via ${path.gateway}` : "";
  const source = path.source_address ? ` from ${path.source_address}` : "";
  return `${path.interface.name} (${interfaceType(path.interface.type)})${gateway}${source}`;
}

function resolution(resolution) {
  if (!resolution || resolution.state === "not_needed") return null;
  if (resolution.state === "complete") return resolution.addresses.join(", ");
  return `${resolution.state}${resolution.error ? `: ${resolution.error}` : ""}`;
}

/// What the last probe said, in facts.
export function resultFacts(result) {
  return facts([
    ["At", `${moment(result.at)}, ${span(since(result.at))} ago`],
    ["Said", result.reason ? result.reason.detail : result.detail],
    ["Code", result.reason && h("code", {}, result.reason.code)],
    ["Address", result.address],
    ...factsOf(result),
  ]);
}
