// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The kinds of probes as `GET /kinds` describes them: the fields of the form, and the facts in results.

import { json } from "./api.js";

let known = [];

/// The kinds; empty until they are loaded.
export const kinds = () => known;

/// Loads the kinds once; they are constant while the service runs.
export async function learnKinds() {
  if (known.length > 0) return;
  try {
    known = (await json("kinds")).kinds;
  } catch {
    // Without them only targets without a probe can be added; the next call retries.
  }
}

/// The facts of a result, as pairs of a label and a text.
export function factsOf(result) {
  return known.flatMap(({ type, label, facts }) => {
    const answer = result[type];
    if (!answer) return [];
    return facts.filter(({ name }) => answer[name] !== undefined).map(({ name, label: words }) => [`${label}: ${words}`, text(name, answer[name])]);
  });
}

function text(name, value) {
  if (Array.isArray(value)) return value.join("\n");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (name.endsWith("_seconds") && !Number.isInteger(value)) return `${Number((value * 1000).toPrecision(3))} ms`;
  if (name.endsWith("_seconds")) return `${value} s`;
  return String(value);
}
