// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The choices of the form and their fields: what `GET /kinds` lists, and the most common settings and expectations besides.

import { kinds } from "./kinds.js";

/// Choices without an active probe.
const PASSIVE = {
  // The default is loopback, for jobs of this machine: only the path to the address is monitored.
  push: { word: "Push: the target sends heartbeats", hint: "127.0.0.1", standard: "127.0.0.1", fields: [["probe.grace", "May be late by", "half the interval"]] },
  traffic: { word: "Traffic: connections of this machine's programs", hint: "example.org", port: true, fields: [["probe.max_age", "Unknown after", "5m"]] },
  none: { word: "Path only: this machine has a route to it", hint: "example.org", fields: [] },
};

/// Further fields of a kind: the path of the setting, a label, and the default as a placeholder; `true` and `false` are the value
/// of a box that is ticked.
const FIELDS = {
  http: [
    ["probe.method", "Method", "GET"], ["probe.redirects", "Redirects to follow", "0"], ["probe.expect.status", "Expected status", "200-299"],
    ["probe.expect.body_contains", "Body contains"], ["probe.expect.body_not_contains", "Body does not contain"],
    ["probe.expect.body_matches", "Body matches (regular expression)"],
  ],
  tls: [["probe.tls.server_name", "Server name", "the host"], ["probe.starttls", "STARTTLS", "smtp, imap, pop3 or ftp"]],
  tcp: [["probe.starttls", "STARTTLS", "smtp, imap, pop3 or ftp"]],
  dns: [["probe.expect.rcode", "Expected response code", "NOERROR"], ["probe.expect.answers", "Answers match (regular expression)"], ["probe.dns.transport", "Transport", "udp"]],
  udp: [],
  icmp: [["probe.icmp.count", "Echo requests", "1"]],
  grpc: [["probe.service", "Service", "the server as a whole"]],
  ntp: [["probe.expect.max_offset", "Largest offset", "100ms"], ["probe.expect.max_stratum", "Largest stratum", "15"]],
};
const CERTIFICATES = [["probe.expect.certificate_days", "Certificate valid for days"], ["probe.tls.insecure_skip_verify", "Accept any certificate", true]];
const ASKED = [
  ["probe.timeout", "Timeout", "5s"], ["probe.expect.max_latency", "Degraded if slower than", "500ms"],
  ["probe.expect.reachable", "Must not answer: an answer is a failure", false],
];
const COUNTS = [["probe.fall", "Down after failures"], ["probe.rise", "Up after successes"]];

/// The choices of the form and their fields; http, the most common, first.
export function choices() {
  const asked = [...kinds()].sort((a, b) => (b.type === "http") - (a.type === "http")).map((kind) => [kind.type, {
    word: `${kind.label}: ${kind.title}`,
    isURL: kind.port === "url",
    hint: kind.port === "url" ? "https://example.org/health" : kind.port === "none" ? "192.0.2.1" : "example.org",
    port: kind.port === "needed" || kind.port === "standard",
    standardPort: kind.standard_port,
    questions: kind.questions,
    fields: [...(FIELDS[kind.type] ?? []), ...(/^(http|tls|grpc)$/.test(kind.type) ? CERTIFICATES : []), ...ASKED, ...COUNTS],
    isAsked: true,
  }]);
  const passive = Object.entries(PASSIVE).map(([type, kind]) => [type, { questions: [], ...kind, fields: type === "none" ? [] : [...kind.fields, ...COUNTS] }]);
  return Object.fromEntries([...asked, ...passive]);
}
