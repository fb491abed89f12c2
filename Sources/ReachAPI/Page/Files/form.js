// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The form of a target, with a test before saving.

import { learn, storageSentence } from "./access.js";
import { json, ofTarget } from "./api.js";
import { phases } from "./charts.js";
import { h, setText } from "./dom.js";
import { facts } from "./evidence.js";
import { TargetForm } from "./fields.js";
import { factsOf } from "./kinds.js";
import { scoped } from "./scope.js";
import { isFleet, store, takeTarget } from "./store.js";
import { latency, plain, taken } from "./words.js";

const EXAMPLES = [
  ["A website", { probe: { type: "http", url: "https://example.org/", expect: { status: "200-399", certificate_days: 14 } } }],
  ["A host (ping)", { address: "192.0.2.1", probe: { type: "icmp" } }],
  ["A nightly job that reports", { id: "backup", name: "Nightly backup", address: "127.0.0.1", probe: { type: "push", interval: "1d", grace: "2h" } }],
];

/// What a fleet's target shows of its declaration. A change is a patch, so that all else stays.
export function known({ id, name, group, tags, host, address, port, probe, watch }) {
  const seconds = (value) => (value === undefined ? undefined : Number.isInteger(value) ? `${value}s` : `${Math.round(value * 1000)}ms`);
  const expect = { reachable: probe?.reachable, max_latency: seconds(probe?.max_latency_seconds) };
  const declared = probe && {
    type: probe.type, url: probe.url, port: probe.url ? undefined : probe.port ?? port, interval: seconds(probe.interval_seconds), timeout: seconds(probe.timeout_seconds),
    fall: probe.fall, rise: probe.rise, grace: seconds(probe.grace_seconds), service: probe.service, method: probe.method,
    expect: Object.values(expect).every((value) => value === undefined) ? undefined : expect,
  };
  const place = probe?.url ? {} : { host, address };
  return JSON.parse(JSON.stringify({ id, name: name === id ? undefined : name, group, tags, ...place, probe: declared, watch }));
}

/// - Parameters:
///   - target: The edited target; undefined for a new one.
///   - declaration: Its declaration, and `match` the ETag.
///   - close: Called when the form is done.
export function makeForm({ target, declaration, match, close, head }) {
  // The scope may change while the form is open, when the fleet's database is lost.
  const inFleet = isFleet();
  const path = scoped(target ? ofTarget(target.id) : "targets");
  const groups = [...new Set([...store.targets.values()].map(({ group }) => group).filter(Boolean))].sort();
  const test = h("button", { type: "button" }, "Test");
  const save = h("button", { type: "submit", class: "main" }, target ? "Save" : "Add");
  const outcome = h("div", { class: "outcome", role: "status" });
  const fault = h("p", { class: "fault", role: "alert" });
  /// A new target is tested first, if it can be.
  const lead = (isTested) => {
    const isNext = !target && !isTested && !test.hidden;
    test.classList.toggle("main", isNext);
    save.classList.toggle("main", !isNext);
  };
  const fields = new TargetForm({
    before: declaration ?? null, inFleet, groups,
    changed: (choice) => {
      test.hidden = !choice.isAsked;
      outcome.replaceChildren();
      lead(false);
    },
  });
  const title = target ? `Edit ${target.name}` : inFleet ? "Add a target to the fleet" : path === "targets" ? "Add a target" : "Add a target to this node";
  const kept = inFleet ? "Kept in the fleet’s database." : storageSentence() ?? "";
  const form = h("form", { method: "dialog", novalidate: true },
    head ?? h("h2", { id: "editor-title" }, title), fields.elements,
    inFleet && target && h("p", { class: "hint" }, "Settings that are not shown stay as they are."),
    h("p", { class: "hint storage", id: head ? null : "storage", "data-fleet": inFleet }, kept), outcome, fault,
    h("div", { class: "buttons" }, close && h("button", { type: "button", click: close }, "Cancel"), test, save));

  /// Runs a request with a button disabled, and shows its errors.
  const run = async (button, body) => {
    setText(fault, "");
    button.disabled = true;
    try {
      await body();
    } catch (problem) {
      learn(problem);
      setText(fault, problem.code === "precondition_failed" ? "The target was changed meanwhile; close and edit it again." : fields.takeProblem(problem));
    }
    button.disabled = false;
  };

  test.addEventListener("click", () => {
    const body = fields.declaration();
    if (body === null) return;
    delete body.watch;
    outcome.replaceChildren("Testing…");
    run(test, async () => {
      try {
        const answer = await json("check", { method: "POST", body });
        outcome.replaceChildren(...trial(answer));
        lead(answer.result.outcome === "success");
      } catch (problem) {
        outcome.replaceChildren();
        throw problem;
      }
    });
  });
  form.addEventListener("input", () => lead(false));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const body = target ? fields.patch() : fields.declaration();
    if (body === null) return;
    if (body === undefined) return close();
    run(save, async () => {
      const settings = target ? { method: "PATCH", body, match, type: "application/merge-patch+json" } : { method: "POST", body };
      const saved = await json(path, settings);
      // Another scope may be shown by now. The fleet's answer has no number; its stream follows.
      if (path === scoped(target ? ofTarget(target.id) : "targets")) takeTarget({ sequence: 0, ...saved });
      close?.();
      if (!target) location.hash = encodeURIComponent(saved.id);
    });
  });
  form.fields = fields;
  return form;
}

/// The result of a test.
function trial({ code, result }) {
  const time = latency(taken(result));
  const words = result.outcome === "success" ? `It works: response in ${time}.` : result.outcome === "degraded" ? `It would be degraded, after ${time}.` : `It would fail, after ${time}.`;
  const detail = result.outcome !== "success" && `${result.detail ?? ""}${code ? ` (${plain(code)})` : ""}`;
  return [h("p", { class: `because ${{ success: "up", degraded: "degraded" }[result.outcome] ?? "down"}` }, words), detail && h("p", {}, detail),
    phases(result), facts([["Address", result.address], ...factsOf(result)])].filter(Boolean);
}

/// The form with examples, for a page without targets.
export function makeWelcome() {
  const examples = EXAMPLES.map(([word, declaration]) => h("button", { type: "button", click: () => form.fields.fill(declaration) }, word));
  const form = makeForm({ head: h("div", {}, h("h2", { id: "welcome-title" }, "What do you want to monitor?"),
    h("p", { class: "hint" }, "Paste a URL, or start with an example:"), h("div", { class: "examples" }, examples)) });
  return form;
}
