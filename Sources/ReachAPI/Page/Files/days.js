// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The last 90 days of a target or a group: one bar a day, whose colours have the shares of the day's time. And the uptime of a target.

import { json, ofTarget } from "./api.js";
import { drawUptime, ratio, stateLines, uptimeBar } from "./charts.js";
import { h, setText } from "./dom.js";
import { scoped } from "./scope.js";
import { store } from "./store.js";
import { keyed, tipped } from "./tips.js";
import { count, groupOf, latency, moment, percent, span } from "./words.js";

const AT_ONCE = 4;
/// Members of a group whose days are loaded.
const MEMBERS = 200;
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const known = (day) => Object.values(day.state_seconds ?? {}).reduce((sum, seconds) => sum + seconds, 0);

/// The bars.
///
/// - Returns: Their `element`, and `draw`, which takes the window `90d` of `/targets/{id}/timeline`.
export function dayBars(label) {
  const bar = keyed(uptimeBar(""), label);
  const words = h("figcaption", {});
  const element = h("figure", { class: "days" }, bar, words);
  return {
    element,
    draw({ from, slices, slice_seconds: seconds }, who = "") {
      const first = slices.findIndex((day) => known(day) > 0);
      bar.toggleAttribute("hidden", first < 0);
      if (first < 0) return setText(words, "No days are known yet.");
      const days = slices.slice(first);
      const start = (index) => Date.parse(from) + (first + index) * seconds * 1000;
      // Few days are not stretched over the whole width.
      bar.style.width = `${Math.min(100, (days.length * 100) / 30)}%`;
      drawUptime(bar, days, seconds);
      tipped(bar, { count: days.length, text: (index) => [DATE.format(start(index)), ...stateLines(days[index])].join("\n") });
      const since = first > 0 ? `, since ${DATE.format(start(0))}` : "";
      const observed = days.reduce((sum, day) => sum + known(day), 0);
      const period = observed < 86_400 && days.length <= 2 ? `${span(observed)} of observation` : `${days.length} days`;
      setText(words, `Uptime ${percent(ratio(days))} in ${period}${since}${who}. Days are in UTC.`);
    },
  };
}

/// The days of a group, loaded when they are opened.
///
/// - Parameter name: As `groupOf` has it.
export function groupDays(name) {
  const bars = dayBars(`90 days of ${name || "other targets"}`);
  const status = h("p", { class: "hint", role: "status" });
  return h("details", { class: "group-days", toggle: (event) => event.target.open && load(name, bars, status) }, h("summary", {}, "90 days"), status, bars.element);
}

async function load(name, bars, status) {
  const ids = [...store.targets.values()].filter((target) => groupOf(target) === name).map(({ id }) => id);
  const queue = ids.slice(0, MEMBERS);
  const total = queue.length;
  let sum = null;
  let fault = null;
  setText(status, "Loading…");
  bars.element.hidden = true;
  const work = async () => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      try {
        const days = (await json(scoped(ofTarget(id, "/timeline?window=90d")))).windows["90d"];
        if (sum === null) sum = days;
        else add(sum, days);
      } catch (problem) {
        // A member may have been removed.
        if (problem.status !== 404) fault = problem;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  setText(status, fault ? fault.message : "");
  bars.element.hidden = sum === null;
  if (sum) bars.draw(sum, `, ${ids.length > total ? `the first ${total} of ` : ""}${count(ids.length, "target")}`);
}

/// Adds the times of a target's days to those of others.
function add(sum, days) {
  // Midnight has passed meanwhile.
  if (days.from !== sum.from) return;
  days.slices.forEach(({ state_seconds: seconds = {} }, index) => {
    const all = (sum.slices[index].state_seconds ??= {});
    for (const [state, time] of Object.entries(seconds)) all[state] = (all[state] ?? 0) + time;
  });
}

// MARK: Uptime

const HEADS = ["Last", "Uptime", "Observed", "Median latency", "p95 latency"];
const PERIODS = [["1h", "hour"], ["24h", "24 hours"], ["7d", "7 days"], ["30d", "30 days"]];
const SECONDS = { "1h": 3_600, "24h": 86_400, "7d": 604_800, "30d": 2_592_000 };

/// The uptime of the periods. One that has no more observed time than a shorter one says nothing, and one that was not observed from its
/// beginning says since when.
export function uptimeTable(windows, timelines) {
  let most = -Infinity;
  const rows = PERIODS.flatMap(([key, word]) => {
    const window = windows[key];
    const observed = window.coverage_ratio * SECONDS[key];
    // Shares are rounded.
    if (observed <= most + SECONDS[key] / 10_000) return [];
    most = observed;
    const { from, slices, slice_seconds: length } = timelines[key];
    const first = slices.findIndex(({ state_seconds: time = {} }) => Object.keys(time).length > 0);
    const name = first > 0 && window.coverage_ratio < 0.9 ? `since ${moment(Date.parse(from) + first * length * 1000)}` : word;
    return [h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, percent(window.uptime_ratio)), h("td", {}, percent(window.coverage_ratio)),
      h("td", {}, latency(window.p50_seconds)), h("td", {}, latency(window.p95_seconds)))];
  });
  return [h("table", {}, h("thead", {}, h("tr", {}, HEADS.map((word) => h("th", { scope: "col" }, word)))), h("tbody", {}, rows))];
}
