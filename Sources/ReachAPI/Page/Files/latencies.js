// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The chart of a target's response times: the median as a line, up to the 95th percentile as a band, failures at the bottom.

import { h, s, setAttribute, setText } from "./dom.js";
import { keyed, tipped } from "./tips.js";
import { count, latency } from "./words.js";

/// The ranges, from the shortest.
const RANGES = [["1h", "1 h", "hour"], ["24h", "24 h", "24 hours"], ["7d", "7 d", "7 days"], ["30d", "30 d", "30 days"]];
const KEY = "reachd-range";
const HEIGHT = 190;
const EDGE = { left: 52, right: 10, top: 8, bottom: 22 };
/// Distances of the marks of the time axis, in seconds.
const STEPS = [60, 300, 600, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800];
const DAY_LENGTH = 86_400_000;
const HEADS = ["From", "Median", "p95", "Probes", "Failures"];

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
/// Slices of days begin at midnight UTC.
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const LOCAL_DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const BOTH = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

const isToday = (time) => new Date(time).toDateString() === new Date().toDateString();
/// When a slice begins: with the day unless it is today, without the time if it is a day.
const began = (time, length) => (length >= DAY_LENGTH ? DAY : isToday(time) ? CLOCK : BOTH).format(time);

function remembered() {
  try {
    const range = localStorage.getItem(KEY);
    return RANGES.some(([name]) => name === range) ? range : "24h";
  } catch {
    return "24h";
  }
}

/// The chart. It stays the same element while its data change, so that it keeps the focus.
///
/// - Returns: Its `element`, and `draw`, which takes the windows of `/targets/{id}/timeline` and the target's interval in seconds.
export function latencyChart() {
  let range = remembered();
  let data = null;
  const buttons = RANGES.map(([name, word, long]) =>
    h("button", { type: "button", "aria-label": `The last ${long}`, click: () => choose(name) }, word));
  const svg = keyed(s("svg", { class: "latencies", height: HEIGHT }), "Response times");
  const words = h("figcaption", { class: "said" });
  const table = h("details", { toggle: () => table.open && fillTable() }, h("summary", {}, "As a table"));
  const nothing = h("p", { class: "nothing" });
  const figure = h("figure", {}, svg, words, table);
  const element = h("div", { class: "chart" }, h("div", { class: "ranges", role: "group", "aria-label": "Range" }, buttons), nothing, figure);
  // The width decides how many marks the axes have.
  new ResizeObserver(() => data && paint()).observe(element);

  function choose(name) {
    range = name;
    try {
      localStorage.setItem(KEY, name);
    } catch {
      // Without storage the range lasts as long as the page.
    }
    paint();
  }

  function paint() {
    RANGES.forEach(([name], index) => setAttribute(buttons[index], "aria-pressed", String(name === range)));
    const view = viewOf(data.windows, range);
    const points = view.slices.filter((slice) => slice.p50_seconds !== undefined).length;
    figure.hidden = points === 0;
    nothing.hidden = points > 0;
    setText(nothing, points > 0 ? "" : data.isFleet ? "No response times in this range: the fleet has those of completed days." : "No response times in this range.");
    if (points === 0) return;
    plot(svg, view, data.interval, Math.max(element.clientWidth, 260));
    setText(words, summary(view));
    if (table.open) fillTable();
  }

  function fillTable() {
    const { slices, start, length } = viewOf(data.windows, range);
    const rows = slices.flatMap((slice, index) => slice.probes ? [h("tr", {}, h("th", { scope: "row" }, began(start + index * length, length)),
      h("td", {}, latency(slice.p50_seconds)), h("td", {}, latency(slice.p95_seconds)), h("td", {}, String(slice.probes)), h("td", {}, String(slice.failures ?? 0)))] : []);
    table.replaceChildren(table.firstChild, h("table", {},
      h("thead", {}, h("tr", {}, HEADS.map((word) => h("th", { scope: "col" }, word)))), h("tbody", {}, rows.toReversed())));
  }

  return {
    element,
    draw(windows, interval, isFleet) {
      data = { windows, interval, isFleet };
      paint();
    },
  };
}

const isKnown = (slice) => slice.probes > 0 || Object.values(slice.state_seconds ?? {}).some((seconds) => seconds > 0);

/// When a timeline's first known slice begins, in milliseconds since 1970; infinite without one.
function beginning({ from, slices, slice_seconds: seconds }) {
  const first = slices.findIndex(isKnown);
  return first < 0 ? Infinity : Date.parse(from) + first * seconds * 1000;
}

/// What a range shows. For a target that is younger than the range: all of its time, in the shortest slices that have it.
function viewOf(windows, range) {
  const whole = windows[range];
  const oldest = beginning(whole);
  const names = RANGES.map(([name]) => name);
  const fitting = names.slice(0, names.indexOf(range)).find((name) => {
    const start = beginning(windows[name]);
    return start > Date.parse(windows[name].from) && start < Infinity && oldest + whole.slice_seconds * 1000 > start;
  });
  const { from, slices, slice_seconds: seconds } = windows[fitting ?? range];
  const start = beginning(windows[fitting ?? range]);
  const isYoung = start > Date.parse(from) && start < Infinity;
  const first = isYoung ? slices.findIndex(isKnown) : 0;
  return { start: Date.parse(from) + first * seconds * 1000, length: seconds * 1000, slices: slices.slice(first), isYoung };
}

/// The summary below the chart, which is also its text alternative.
function summary({ start, length, slices, isYoung }) {
  const probes = slices.reduce((sum, slice) => sum + (slice.probes ?? 0), 0);
  const failures = slices.reduce((sum, slice) => sum + (slice.failures ?? 0), 0);
  const medians = slices.map((slice) => slice.p50_seconds).filter((value) => value !== undefined);
  const most = Math.max(...slices.map((slice) => slice.p95_seconds ?? 0));
  const [low, high] = [latency(Math.min(...medians)), latency(Math.max(...medians))];
  return `${isYoung ? `Since ${began(start, length)}: m` : "M"}edians ${low === high ? low : `${low} to ${high}`}, p95 up to ${latency(most)}, ${
    count(probes, "probe")}, ${failures === 0 ? "none failed" : `${failures.toLocaleString("en")} failed`}.`;
}

/// Round values of an axis from zero to at least the highest value: 1, 2 or 5 times a power of ten apart.
export function roundValues(highest, most = 4) {
  const rough = Math.max(highest, 1e-6) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) * power;
  return Array.from({ length: Math.ceil(highest / step - 1e-9) + 1 }, (_, index) => index * step);
}

/// A value of the axis, in the unit of the highest one.
function mark(seconds, highest) {
  const [scale, unit] = highest < 1 ? [1000, "ms"] : [1, "s"];
  return seconds === 0 ? "0" : `${Number((seconds * scale).toPrecision(3))} ${unit}`;
}

/// Round moments of the time axis, in milliseconds since 1970, with their words.
function roundTimes(start, end, length, most) {
  const step = (STEPS.find((seconds) => (end - start) / 1000 / seconds <= most) ?? STEPS.at(-1)) * 1000;
  const isByDay = length >= DAY_LENGTH;
  const zone = isByDay ? 0 : new Date(end).getTimezoneOffset() * 60_000;
  const first = Math.ceil((start - zone) / step) * step + zone;
  return Array.from({ length: Math.max(0, Math.floor((end - first) / step) + 1) }, (_, index) => {
    const time = first + index * step;
    const isMidnight = end - start > DAY_LENGTH && new Date(time).getHours() + new Date(time).getMinutes() === 0;
    return [time, (isByDay ? DAY : step >= DAY_LENGTH || isMidnight ? LOCAL_DAY : CLOCK).format(time)];
  });
}

function plot(svg, { start, length, slices }, interval, width) {
  const right = width - EDGE.right;
  const floor = HEIGHT - EDGE.bottom;
  const values = roundValues(Math.max(...slices.map((slice) => slice.p95_seconds ?? slice.p50_seconds ?? 0)));
  const highest = values.at(-1);
  const until = Math.min(start + slices.length * length, Math.max(Date.now(), start + length / 2));
  const x = (time) => EDGE.left + ((Math.min(time, until) - start) / (until - start)) * (right - EDGE.left);
  const y = (seconds) => floor - (seconds / highest) * (floor - EDGE.top);
  const middle = (index) => x(start + (index + 0.5) * length);
  const times = roundTimes(start, until, length, (right - EDGE.left) / 70);

  // Probes may be rarer than slices.
  const reach = Math.max(1, Math.ceil((1.5 * (interval ?? 0) * 1000) / length));
  // A run reaches from the beginning of its first slice to the end of its last one: few slices fill the chart, too.
  const point = (slice, at) => [x(start + at * length), y(slice.p50_seconds), y(slice.p95_seconds ?? slice.p50_seconds)].map((value) => value.toFixed(1));
  const runs = [];
  let last = -Infinity;
  slices.forEach((slice, index) => {
    if (slice.p50_seconds === undefined) {
      // A slice of failures ends the line.
      if (slice.probes) last = -Infinity;
      return;
    }
    if (index - last > reach) runs.push([point(slice, index)]);
    else runs.at(-1).pop();
    runs.at(-1).push(point(slice, index + 0.5), point(slice, index + 1));
    last = index;
  });
  const line = runs.map((run) => `M${run.map(([at, median]) => `${at} ${median}`).join("L")}`).join("");
  const band = runs.map((run) => `M${run.map(([at, median]) => `${at} ${median}`).join("L")}L${run.toReversed().map(([at, , most]) => `${at} ${most}`).join("L")}Z`).join("");
  let misses = "";
  let shares = "";
  slices.forEach((slice, index) => {
    if (!slice.failures) return;
    const [from, to] = [x(start + index * length), x(start + (index + 1) * length)];
    const span = `H${Math.max(to, from + 2).toFixed(1)}V`;
    misses += `M${from.toFixed(1)} ${floor}${span}${floor - 5}H${from.toFixed(1)}Z`;
    shares += `M${from.toFixed(1)} ${floor}${span}${y((slice.failures / slice.probes) * highest).toFixed(1)}H${from.toFixed(1)}Z`;
  });

  const pointer = s("path", { class: "pointer" });
  setAttribute(svg, "viewBox", `0 0 ${width} ${HEIGHT}`);
  svg.replaceChildren(
    s("path", { class: "grid", d: values.map((value) => `M${EDGE.left} ${y(value).toFixed(1)}H${right}`).join("") }),
    ...values.map((value) => s("text", { class: "value", x: EDGE.left - 8, y: y(value) + 4 }, mark(value, highest))),
    s("path", { class: "grid", d: times.map(([time]) => `M${x(time).toFixed(1)} ${floor}v4`).join("") }),
    ...times.map(([time, words]) => s("text", { class: "time", x: Math.min(x(time), right - 12), y: HEIGHT - 5 }, words)),
    s("path", { class: "shares", d: shares }), s("path", { class: "band", d: band }), s("path", { class: "line", d: line }),
    s("path", { class: "misses", d: misses }), pointer);
  tipped(svg, {
    count: slices.length,
    text: (index) => pointWords(slices[index], start + index * length, length),
    at: (share) => Math.min(Math.max(Math.floor(((share * width - EDGE.left) / (right - EDGE.left)) * ((until - start) / length)), 0), slices.length - 1),
    x: (index) => middle(index) / width,
    mark: (index) => pointer.setAttribute("d", index === null ? "" : `M${middle(index).toFixed(1)} ${EDGE.top}V${floor}`),
  });
}

/// A slice in words, a line each.
function pointWords(slice, time, length) {
  const until = length < DAY_LENGTH ? `–${CLOCK.format(time + length)}` : "";
  const when = `${began(time, length)}${until}`;
  if (!slice.probes) return `${when}\nno probe`;
  const times = slice.p50_seconds === undefined ? "no response" : `median ${latency(slice.p50_seconds)}, p95 ${latency(slice.p95_seconds)}`;
  return `${when}\n${times}\n${count(slice.probes, "probe")}, ${slice.failures ? `${slice.failures.toLocaleString("en")} failed` : "none failed"}`;
}
