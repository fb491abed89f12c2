// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Small charts: latencies as a line, states over time as a bar, the phases of a probe. Each series is one path, so that a
// thousand charts stay cheap.

import { h, s } from "./dom.js";
import { tipped } from "./tips.js";
import { latency, percent, plain, span } from "./words.js";

const SPARK = { width: 120, height: 24 };
const BAR = { width: 168, height: 18 };

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const BOTH = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/// The words of slices in tooltips, the last of which contains the current time.
function tips(svg, slices, seconds, lines) {
  const length = seconds * 1000;
  const start = (Math.floor(Date.now() / length) + 1 - slices.length) * length;
  const when = (index) => `${(seconds < 3600 ? CLOCK : BOTH).format(start + index * length)}–${CLOCK.format(start + (index + 1) * length)}`;
  tipped(svg, { count: slices.length, text: (index) => [when(index), ...lines(slices[index])].join("\n") });
}

/// In the order in which the times of a slice are told.
const TOLD = ["down", "degraded", "unreachable", "maintenance", "paused", "unknown"];

/// The uptime of a slice and its times in other states, a line each.
export function stateLines(slice) {
  const seconds = slice.state_seconds ?? {};
  const share = ratio([slice]);
  const times = TOLD.filter((state) => seconds[state] >= 0.5).map((state) => `${plain(state)} ${span(seconds[state])}`);
  return [share === null ? "no uptime known" : `uptime ${percent(share)}`, ...times];
}

/// States that are drawn as neither up nor down.
const OTHER = ["unreachable", "unknown", "maintenance", "paused"];

export function sparkline() {
  return s("svg", { class: "spark", viewBox: `0 0 ${SPARK.width} ${SPARK.height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    s("path", { class: "area" }), s("path", { class: "line" }), s("path", { class: "miss" }));
}

/// Draws medians of slices; a slice without a probe is a gap, one with failures a tick at the bottom.
export function drawSparkline(svg, slices) {
  const [area, line, miss] = svg.children;
  tips(svg, slices, 60, (slice) => [slice.p50_seconds === undefined ? "no response" : `median ${latency(slice.p50_seconds)}`, slice.failures ? `${slice.failures} failed` : ""].filter(Boolean));
  const values = slices.map((slice) => slice.p50_seconds);
  const known = values.filter((value) => value !== undefined);
  const ceiling = Math.max(...known, 1e-6) * 1.15;
  const step = SPARK.width / Math.max(slices.length - 1, 1);
  let path = "";
  let fill = "";
  let start = null;
  let previous = null;
  values.forEach((value, index) => {
    if (value === undefined) {
      // Probes may be rarer than slices: a gap of up to five slices does not break the line.
      if (previous === null || index - previous <= 5) return;
      if (start !== null) fill += `V${SPARK.height}H${start}Z`;
      start = previous = null;
      return;
    }
    const x = (index * step).toFixed(1);
    const y = (SPARK.height - 2 - (value / ceiling) * (SPARK.height - 4)).toFixed(1);
    if (start === null) {
      start = x;
      path += `M${x} ${y}h.01`;
      fill += `M${x} ${SPARK.height}V${y}`;
    } else {
      path += `L${x} ${y}`;
      fill += `L${x} ${y}`;
    }
    previous = index;
  });
  if (start !== null) fill += `V${SPARK.height}H${start}Z`;
  line.setAttribute("d", path);
  area.setAttribute("d", fill);
  miss.setAttribute("d", slices.map((slice, index) => (slice.failures ? `M${(index * step).toFixed(1)} ${SPARK.height}v-6` : "")).join(""));
}

export function uptimeBar(label = null) {
  const role = label === null ? { "aria-hidden": "true" } : { role: "img", "aria-label": label };
  return s("svg", { class: "bar", viewBox: `0 0 ${BAR.width} ${BAR.height}`, preserveAspectRatio: "none", ...role },
    s("path", { class: "unseen" }), s("path", { class: "up" }), s("path", { class: "other" }), s("path", { class: "degraded" }), s("path", { class: "down" }));
}

/// Draws slices of time. Down grows from the bottom and has a minimum height; unobserved time is a low stub.
export function drawUptime(svg, slices, sliceSeconds) {
  const parts = { unseen: "", up: "", other: "", degraded: "", down: "" };
  const step = BAR.width / slices.length;
  const width = Math.max(step - 1.5, step * 0.7).toFixed(2);
  slices.forEach((slice, index) => {
    const time = slice.state_seconds ?? {};
    const total = Object.values(time).reduce((sum, value) => sum + value, 0);
    const x = (index * step).toFixed(2);
    if (total < Math.min(sliceSeconds, 60) * 0.02) {
      parts.unseen += `M${x} ${BAR.height}v-3h${width}v3z`;
      return;
    }
    let y = BAR.height;
    const draw = (part, share, least) => {
      if (share <= 0) return;
      const height = Math.min(Math.max(share * BAR.height, least), y);
      parts[part] += `M${x} ${y.toFixed(1)}v-${height.toFixed(1)}h${width}v${height.toFixed(1)}z`;
      y -= height;
    };
    draw("down", (time.down ?? 0) / total, 5);
    draw("degraded", (time.degraded ?? 0) / total, 4);
    const other = OTHER.reduce((sum, state) => sum + (time[state] ?? 0), 0) / total;
    draw("other", other > 0.02 ? other : 0, 3);
    if (time.up && y > 0) parts.up += `M${x} ${y.toFixed(1)}V0h${width}V${y.toFixed(1)}z`;
  });
  for (const child of svg.children) child.setAttribute("d", parts[child.getAttribute("class")]);
  tips(svg, slices, sliceSeconds, stateLines);
}

/// The uptime of slices: (up + degraded) / (up + degraded + down); null without such time.
export function ratio(slices) {
  let up = 0;
  let judged = 0;
  for (const { state_seconds: time = {} } of slices) {
    up += (time.up ?? 0) + (time.degraded ?? 0);
    judged += (time.up ?? 0) + (time.degraded ?? 0) + (time.down ?? 0);
  }
  return judged > 0 ? up / judged : null;
}

/// The text alternative of a bar.
export function uptimeWords(slices, period) {
  const share = ratio(slices);
  if (share === null) return `No data for the last ${period}`;
  return `Uptime ${percent(share)} over the last ${period}`;
}

// MARK: Phases

const PHASES = [
  ["resolve", "resolve"], ["connect", "connect"], ["starttls", "STARTTLS"], ["tls", "TLS"], ["request", "request"], ["transfer", "transfer"],
];

/// The phases of a probe one below the other, each where it began.
export function phases(result) {
  const found = PHASES.filter(([name]) => result.phases?.[name] !== undefined);
  if (found.length === 0) return null;
  const total = Math.max(result.duration_seconds, found.reduce((sum, [name]) => sum + result.phases[name], 0), 1e-9);
  let start = 0;
  return h("ol", { class: "phases" }, found.map(([name, word]) => {
    const length = result.phases[name];
    const row = h("li", {}, h("span", { class: "what" }, word),
      s("svg", { class: `phase ${name}`, viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
        s("rect", { class: "track", width: 100, height: 8 }),
        s("rect", { class: "time", x: (start / total) * 100, width: Math.max((length / total) * 100, 0.8), height: 8 })),
      h("span", { class: "time" }, latency(length)));
    start += length;
    return row;
  }));
}
