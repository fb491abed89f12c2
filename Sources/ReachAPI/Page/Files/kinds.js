// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The kinds of probes, as the service describes them: what a form has to ask for, and what an answer says.

import { json } from "./api.js";

let known = [];

/// The kinds; none before they were read.
export const kinds = () => known;

/// Reads them, unless that was done. They are the same as long as the service runs.
export async function learnKinds() {
  if (known.length > 0) return;
  try {
    known = (await json("kinds")).kinds;
  } catch {
    // Without them a target can be added without a probe; the next call tries again.
  }
}

/// What an answer says, as pairs of a label and a text.
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
