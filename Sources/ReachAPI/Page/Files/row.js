// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// One target in the list. Its charts are created when it first comes into view, and only changes are written.

import { drawSparkline, drawUptime, ratio, sparkline, uptimeBar, uptimeWords } from "./charts.js";
import { h, mark, setAttribute, setMark, setText } from "./dom.js";
import { leave, watch } from "./fresh.js";
import { isFleet } from "./store.js";
import { hide, show, timelineOf } from "./timelines.js";
import { causeOf, drawVotes, pendingWords } from "./votes.js";
import { latency, percent, place, shortSpan, since, taken } from "./words.js";

const views = new WeakMap();

const sight = new IntersectionObserver((entries) => {
  for (const entry of entries) views.get(entry.target)?.seen(entry.isIntersecting);
}, { rootMargin: "150px" });

export class Row {
  /// The row of an element of the list; undefined without one.
  static of(element) {
    return views.get(element);
  }

  constructor(target) {
    this.id = target.id;
    this.isSeen = false;
    this.mark = mark(target.state);
    this.state = h("span", { class: "word" });
    this.link = h("a", { href: `#${encodeURIComponent(target.id)}`, class: "name" });
    this.place = h("span", { class: "place" });
    this.why = h("span", { class: "why" });
    // A fleet has votes and no latencies. The page makes new rows when the scope changes.
    this.isFleet = isFleet();
    this.measure = h("span", { class: this.isFleet ? "votes" : "latency" });
    // The link covers the row; the marks are above it for their titles.
    if (this.isFleet) this.measure.addEventListener("click", () => this.link.click());
    this.since = h("span", { class: "since" });
    this.spark = h("span", { class: "sparkcell" });
    this.bar = h("span", { class: "barcell" });
    this.ratio = h("span", { class: "ratio" });
    this.element = h("li", { class: "row" },
      this.mark,
      h("span", { class: "title" }, this.link, this.place, h("span", { class: "reason" }, this.state, " ", this.why)),
      this.measure, this.spark, this.bar, this.ratio, this.since);
    views.set(this.element, this);
    this.update(target);
    sight.observe(this.element);
  }

  /// Shows the current data.
  update(target) {
    this.target = target;
    setAttribute(this.element, "data-state", target.state);
    this.element.classList.toggle("flapping", target.is_flapping === true);
    setMark(this.mark, target.state);
    setText(this.state, target.is_flapping ? `${target.state}, flapping` : target.state);
    setText(this.link, target.name);
    setText(this.place, place(target) === target.name ? "" : place(target));
    const isCovered = isOfIncident(target);
    setText(this.why, isCovered ? "" : why(target));
    setAttribute(this.link, "title", isCovered ? why(target) : null);
    this.element.classList.toggle("covered", isCovered);
    this.drawMeasure(target);
    this.tick();
  }

  drawMeasure(target) {
    if (this.isFleet) return drawVotes(this.measure, target);
    const time = target.last_result?.success ? taken(target.last_result) : undefined;
    setText(this.measure, time === undefined ? "–" : latency(time));
  }

  /// Updates the duration of the state. After a recovery it is the same in all rows, and says nothing.
  tick() {
    setText(this.since, this.target.state === "up" ? "" : shortSpan(since(this.target.since)));
  }

  seen(isSeen) {
    this.isSeen = isSeen;
    if (!isSeen) return this.forget();
    if (this.spark.firstChild === null) {
      this.spark.append(this.isFleet ? uptimeBar() : sparkline());
      this.bar.append(uptimeBar("No data for the last 24 hours"));
    }
    this.draw();
    show(this.id, () => this.draw());
    watch(this.id);
  }

  draw() {
    const timeline = timelineOf(this.id);
    if (timeline?.hour && this.isFleet) drawUptime(this.spark.firstChild, timeline.hour.slices, timeline.hour.slice_seconds);
    else if (timeline?.hour) drawSparkline(this.spark.firstChild, timeline.hour.slices);
    const day = timeline?.day ?? { slices: Array.from({ length: 24 }, () => ({})), slice_seconds: 3600 };
    const bar = this.bar.firstChild;
    drawUptime(bar, day.slices, day.slice_seconds);
    bar.setAttribute("aria-label", uptimeWords(day.slices, "24 hours"));
    setText(this.ratio, percent(ratio(day.slices)));
  }

  forget() {
    hide(this.id);
    leave(this.id);
  }

  remove() {
    sight.unobserve(this.element);
    this.forget();
    this.element.remove();
  }
}

/// Whether a target fails only because this machine's network or a parent does: the banner of that incident has the reason.
export const isOfIncident = ({ state, cause, pending }) =>
  !isFleet() && state === "unreachable" && (cause === "local_network" || cause === "parent") && !pending;

/// Why a target is not up, in one line, or the pending results.
export function why(target) {
  if (target.pending?.until) return pendingWords(target.pending);
  if (target.pending) return `${target.pending.count} of ${target.pending.of} results for ${target.pending.toward}`;
  if (target.state === "up" || !target.reason) return "";
  const whose = target.cause && target.cause !== "target" ? ` (${causeOf(target.cause)})` : "";
  return `${target.reason.detail}${whose}`;
}
