// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Words for codes and numbers.

import { now } from "./store.js";

/// In order of urgency.
export const STATES = ["down", "degraded", "unreachable", "unknown", "maintenance", "paused", "up"];

/// States that need attention.
export const TROUBLE = new Set(["down", "degraded", "unreachable"]);

const CAUSES = {
  target: "the target itself",
  local_network: "this machine’s network",
  path: "a router or firewall on the path",
  dns: "DNS",
  parent: "a target that it depends on",
  self: "reachd itself",
};

export const cause = (code) => CAUSES[code] ?? plain(code);

const ROLES = { this_machine: "this machine", gateway: "the gateway", target: "the target itself" };

/// The host that reported by ICMP why a packet did not arrive.
export function offender(one) {
  if (!one) return undefined;
  const place = ROLES[one.role] ?? (one.hops > 1 ? `a router, ${one.hops} hops away` : "a router");
  return `${one.address ? `${one.address} (${place})` : place}: ${one.message}`;
}

/// `no_source_address` as words.
export const plain = (code) => (code ?? "").replaceAll("_", " ");

const PATH_REASONS = {
  no_route: "no route",
  unreachable: "the route is of type unreachable",
  prohibited: "prohibited by a route or rule",
  blackhole: "the route is of type blackhole",
  link_down: "the link is down",
  no_carrier: "no carrier",
  no_interface: "no such interface",
  no_source_address: "no source address",
  local_address_not_ours: "the local address is not this machine’s",
  loopback_down: "the loopback interface is down",
  name_unresolved: "the name does not resolve",
  connection_available: "a connection must be established first",
  kernel_refused: "the kernel rejected the route lookup",
};

/// Why a path is not usable.
export const pathReason = (code) => PATH_REASONS[code] ?? plain(code);

/// `eth0 (wired) via 192.0.2.1`; null without an interface.
export function route(path) {
  if (!path?.interface) return null;
  return `${path.interface.name} (${interfaceType(path.interface.type)})${path.gateway ? ` via ${path.gateway}` : ""}`;
}

const TYPES = { wired_ethernet: "wired", wifi: "Wi-Fi", cellular: "cellular", loopback: "loopback", tunnel: "tunnel", other: "other" };

export const interfaceType = (code) => TYPES[code] ?? plain(code);

/// A latency.
export function latency(seconds) {
  if (seconds === undefined || seconds === null) return "–";
  const ms = seconds * 1000;
  if (ms < 1) return `${Math.max(ms, 0.001).toPrecision(2)} ms`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(1)} s`;
}

/// A duration, in its largest units.
export function span(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  if (whole < 86400) {
    const minutes = Math.floor((whole % 3600) / 60);
    return `${Math.floor(whole / 3600)} h${minutes ? ` ${minutes} min` : ""}`;
  }
  const hours = Math.floor((whole % 86400) / 3600);
  const days = Math.floor(whole / 86400);
  return `${days} d${days < 10 && hours ? ` ${hours} h` : ""}`;
}

/// The same without the smaller unit, for columns.
export const shortSpan = (seconds) => span(seconds).split(" ").slice(0, 2).join(" ");

export const since = (time) => (time ? (now() - Date.parse(time)) / 1000 : 0);

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/// A moment: the time today, else with the day.
export function moment(time) {
  const date = new Date(time);
  if (Number.isNaN(date.valueOf())) return "–";
  return date.toDateString() === new Date().toDateString() ? CLOCK.format(date) : DAY.format(date);
}

export const day = (time) => DATE.format(new Date(time));

/// A share, never rounded up: 100 % means all.
export function percent(ratio) {
  if (ratio === undefined || ratio === null) return "–";
  if (ratio >= 1) return "100 %";
  const digits = ratio > 0.99 ? 2 : 1;
  const scale = 100 * 10 ** digits;
  return `${(Math.floor(ratio * scale) / 10 ** digits).toFixed(digits)} %`;
}

/// The latency of a result, without the pauses between echo requests; undefined for push targets.
export const taken = (result) => result.icmp?.avg_seconds ?? result.duration_seconds;

/// `3 targets`.
export const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

/// The numbers of states in words, worst first: `2 down, 3 degraded, 95 up`.
export const spread = (counts) => STATES.filter((state) => counts[state]).map((state) => `${counts[state].toLocaleString("en")} ${state}`).join(", ");

/// `14:22, for 12 min`, or `14:22–14:40, 18 min` when it is over.
export function lasting(from, to) {
  if (!to) return `since ${moment(from)}, for ${span(since(from))}`;
  return `${moment(from)} – ${moment(to)}, ${span((Date.parse(to) - Date.parse(from)) / 1000)}`;
}

/// The address of a target, in one line.
export function place(target) {
  if (target.hide_address) return "address hidden";
  if (target.probe?.url) return target.probe.url;
  const bound = target.bound_interface ? ` on ${target.bound_interface}` : "";
  if (target.kind === "default") return `default path${target.family ? `, ${target.family === "ipv4" ? "IPv4" : "IPv6"}` : ""}${bound}`;
  const where = target.host ?? target.address ?? "";
  const from = target.local_address ? `${target.local_address} → ` : "";
  const port = target.probe?.port ?? target.port;
  return `${from}${where.includes(":") && port ? `[${where}]` : where}${port ? `:${port}` : ""}${bound}`;
}

/// The group that a target is listed in.
export const groupOf = (target) => target.group ?? (target.origin === "auto" ? "This machine" : "");
