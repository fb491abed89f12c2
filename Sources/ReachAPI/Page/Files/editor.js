// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Adds and edits targets in one form, with a test before saving, and confirms deletions. Without targets of one's own the form is
// on the page, with examples.

import { ask, learn, onAccess, storageSentence } from "./access.js";
import { ofTarget, Problem, request } from "./api.js";
import { byID, h, note, setText } from "./dom.js";
import { learnKinds } from "./kinds.js";
import { scoped } from "./scope.js";
import { dropTarget, follow, isFleet, store } from "./store.js";

/// The form on the page while there is no target of one's own; null otherwise.
let welcome = null;

export function startEditor() {
  byID("add").addEventListener("click", () => (welcome?.isConnected ? byID("field-where").focus() : open().catch((problem) => note(problem.message))));
  onAccess(() => {
    for (const line of document.querySelectorAll(".storage")) if (!("fleet" in line.dataset)) setText(line, storageSentence() ?? "");
    drawWelcome();
  });
  follow((changes) => (changes.list || changes.scope || changes.link) && drawWelcome());
}

/// The form, which is loaded when it is first needed.
async function load() {
  await learnKinds();
  try {
    return await import("./form.js");
  } catch {
    throw new Problem(0, { title: "The form cannot be loaded: no answer from reachd." });
  }
}

/// The form in a dialog, for a new target or an edited one.
async function open(before = null) {
  const { makeForm } = await load();
  const dialog = byID("editor");
  const form = makeForm({ ...before, close: () => dialog.close() });
  dialog.replaceChildren(form);
  if (!dialog.open) dialog.showModal();
  form.querySelector(before ? "[name=name]" : "[name=where]").focus();
  // The storage may have failed since the page was loaded.
  ask();
}

/// Opens the form with a target's declaration.
export async function edit(target) {
  const inFleet = isFleet();
  const path = ofTarget(target.id);
  const response = await request(inFleet ? scoped(path) : ofTarget(target.id, "/declaration"));
  const answer = await response.json();
  const { known } = await load();
  await open({ target, declaration: inFleet ? known(answer) : answer, match: response.headers.get("ETag") });
}

// MARK: The page without targets

async function drawWelcome() {
  const isWanted = store.network !== null && store.link === "live" && !byID("add").disabled && byID("add").getAttribute("aria-disabled") !== "true"
    && [...store.targets.values()].every((target) => target.origin === "auto");
  if (isWanted === (welcome !== null)) return;
  if (!isWanted) {
    welcome.remove();
    welcome = null;
    return;
  }
  welcome = h("section", { class: "welcome box", "aria-labelledby": "welcome-title" });
  try {
    const { makeWelcome } = await load();
    // A target may have come meanwhile.
    if (welcome === null) return;
    welcome.replaceChildren(makeWelcome());
    byID("heads").before(welcome);
  } catch {
    welcome = null;
  }
}

// MARK: Deletion

/// Asks for confirmation and deletes a target.
///
/// - Parameter after: Called after the deletion.
export function confirmDeletion(target, after) {
  const dialog = byID("editor");
  const path = scoped(ofTarget(target.id));
  const fault = h("p", { class: "fault", role: "alert" });
  const yes = h("button", { type: "button", class: "danger" }, "Delete");
  const no = h("button", { type: "button", click: () => dialog.close() }, "Cancel");
  yes.addEventListener("click", async () => {
    yes.disabled = true;
    try {
      await request(path, { method: "DELETE" });
      dialog.close();
      after();
      dropTarget(target.id);
    } catch (problem) {
      learn(problem);
      fault.textContent = problem.message;
      yes.disabled = false;
    }
  });
  dialog.replaceChildren(h("div", { class: "question" }, h("h2", { id: "editor-title" }, "Delete ", target.name, "?"),
    h("p", {}, "Monitoring stops and its history will no longer be shown."), fault, h("div", { class: "buttons" }, no, yes)));
  dialog.showModal();
  no.focus();
}
