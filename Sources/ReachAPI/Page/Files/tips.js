// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Tooltips of charts, by pointer and by keyboard. One box serves all charts; a thousand rows need no listeners of their own.

import { h, setAttribute, setText } from "./dom.js";

const box = h("div", { class: "tip", popover: "manual", "aria-hidden": "true" });
let shown = null;

/// Gives a chart tooltips.
///
/// - Parameter tips: `count` of the chart's points and `text` of each. Optional: `at`, which point is at a share of the width,
///   and `x`, the reverse; without them all points have the same width. `mark` is called with the shown point, or null.
export function tipped(chart, { count, text, at, x, mark }) {
  chart.tips = {
    count, text, mark,
    at: at ?? ((share) => Math.min(Math.max(Math.floor(share * count), 0), count - 1)),
    x: x ?? ((index) => (index + 0.5) / count),
  };
  if (chart.getAttribute("role") === "slider") announce(chart, Math.min(chart.index ?? Infinity, count - 1));
  if (shown === chart) hide();
  return chart;
}

/// Lets the arrow keys move along a chart, whose points screen readers read as the values of a slider.
export function keyed(chart, label) {
  for (const [name, value] of Object.entries({ role: "slider", tabindex: "0", "aria-label": label, "aria-valuemin": "1" })) chart.setAttribute(name, value);
  chart.addEventListener("focus", () => chart.matches(":focus-visible") && show(chart, chart.index));
  chart.addEventListener("blur", hide);
  chart.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey || !chart.tips) return;
    event.preventDefault();
    event.stopPropagation();
    show(chart, Math.min(Math.max(chart.index + step, 0), chart.tips.count - 1));
  });
  return chart;
}

export function startTips() {
  document.addEventListener("pointermove", follow, { passive: true });
  document.addEventListener("pointerdown", follow, { passive: true });
  document.addEventListener("scroll", hide, { passive: true, capture: true });
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide(), { capture: true });
}

/// Rows lie under the link to their details: ask for all elements at the point.
function follow({ clientX, clientY }) {
  const chart = document.elementsFromPoint(clientX, clientY).find((element) => element.tips);
  if (!chart) return shown !== document.activeElement && hide();
  const { left, width } = chart.getBoundingClientRect();
  show(chart, chart.tips.at((clientX - left) / width));
}

function announce(chart, index) {
  chart.index = index;
  setAttribute(chart, "aria-valuemax", String(chart.tips.count));
  setAttribute(chart, "aria-valuenow", String(index + 1));
  setAttribute(chart, "aria-valuetext", chart.tips.text(index));
}

function show(chart, index) {
  if (shown !== chart) hide();
  shown = chart;
  if (!box.isConnected) document.body.append(box);
  setText(box, chart.tips.text(index));
  if (!box.matches(":popover-open")) box.showPopover();
  if (chart.getAttribute("role") === "slider") announce(chart, index);
  chart.tips.mark?.(index);
  const { left, top, bottom, width } = chart.getBoundingClientRect();
  const place = left + chart.tips.x(index) * width - box.offsetWidth / 2;
  box.style.left = `${Math.min(Math.max(place, 6), innerWidth - box.offsetWidth - 6)}px`;
  box.style.top = `${top - box.offsetHeight - 6 > 0 ? top - box.offsetHeight - 6 : bottom + 6}px`;
}

function hide() {
  if (shown === null) return;
  shown.tips?.mark?.(null);
  shown = null;
  box.hidePopover();
}
