// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// What people read in the place of codes and numbers.

/// In the order in which they are told: what needs somebody first.
export const STATES = ["down", "degraded", "unreachable", "unknown", "maintenance", "paused", "up"];

/// Those that somebody should look at.
export const TROUBLE = new Set(["down", "degraded", "unreachable"]);

const CAUSES = {
  target: "the target itself",
  local_network: "this machine’s network",
  dns: "DNS",
  parent: "something that it depends on",
  self: "reachd itself",
};

export const cause = (code) => CAUSES[code] ?? plain(code);

/// `no_source_address` as words.
export const plain = (code) => (code ?? "").replaceAll("_", " ");

const TYPES = { wired_ethernet: "wired", wifi: "Wi-Fi", cellular: "cellular", loopback: "loopback", tunnel: "tunnel", other: "other" };

export const interfaceType = (code) => TYPES[code] ?? plain(code);

/// A time that something took.
export function latency(seconds) {
  if (seconds === undefined || seconds === null) return "–";
  const ms = seconds * 1000;
  if (ms < 1) return `${Math.max(ms, 0.001).toPrecision(2)} ms`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(1)} s`;
}

/// A length of time, in the largest unit that says something.
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

/// The same without its second half, for columns.
export const shortSpan = (seconds) => span(seconds).split(" ").slice(0, 2).join(" ");

export const since = (time) => (time ? (Date.now() - Date.parse(time)) / 1000 : 0);

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

/// How long a target took to answer, undefined of one that calls: the pauses between echo requests are not its own.
export const taken = (result) => result.icmp?.avg_seconds ?? result.duration_seconds;

/// `3 targets`.
export const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

/// Where a target is, in one line.
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

/// Whom a target is listed with.
export const groupOf = (target) => target.group ?? (target.origin === "auto" ? "This machine" : "");
