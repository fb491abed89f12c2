// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// What this page may do: it asks, asks for a token where one is wanted, and says why a button is not to be pressed.

import { hasToken, json, onUnauthorized, setToken } from "./api.js";
import { byID, h, setText } from "./dom.js";
import { forget } from "./store.js";

const access = { canWrite: false, refusal: "Loading permissions", targets: null };
/// Whether a token is wanted, and there is none or the wrong one.
let isWanted = false;
const listeners = [];
let resume = () => {};

/// Calls a function when what may be done became another thing.
export const onAccess = (body) => listeners.push(body);

/// Makes a button what it may be. One that must not be pressed says why to everybody: it can be come to by keyboard, its title is
/// its description, and who presses it is told in words.
export function guard(button, reason = null) {
  const why = access.canWrite ? reason : access.refusal;
  if (!guarded.has(button)) {
    guarded.add(button);
    button.addEventListener("click", refuse, { capture: true });
  }
  button.disabled = false;
  button.setAttribute("aria-disabled", String(why !== null));
  if (why === null) button.removeAttribute("title");
  else button.title = why;
}

const guarded = new WeakSet();

function refuse(event) {
  const button = event.currentTarget;
  if (button.getAttribute("aria-disabled") !== "true") return;
  event.stopImmediatePropagation();
  button.dispatchEvent(new CustomEvent("refused", { bubbles: true, detail: button.title }));
}

/// Where a target that is added is kept, as a sentence; null when that is not known.
export function storageSentence() {
  const { storage, file, detail } = access.targets ?? {};
  if (storage === "file") return `Kept across restarts, in ${file ?? "a file"}.`;
  if (storage === "memory") return `Lost when reachd stops: ${detail ?? "targets are in memory only"}.`;
  if (storage === "unavailable") return `${file ?? "The state file"} cannot be written, so changes are refused: ${detail ?? "see the log"}`;
  return null;
}

export async function ask() {
  try {
    const answer = await json("access");
    access.canWrite = answer.scopes.includes("write");
    access.refusal = access.canWrite ? null : answer.refusal ?? "This page may not make changes.";
    access.targets = answer.targets ?? null;
    isWanted = false;
    drawButton();
  } catch (error) {
    access.canWrite = false;
    access.refusal = error.status === 401 ? "An access token is required." : error.message;
  }
  for (const listener of listeners) listener();
}

/// Takes what a request that was refused says.
export function learn(problem) {
  if (problem.status !== 403) return;
  access.canWrite = false;
  access.refusal = problem.message;
  for (const listener of listeners) listener();
}

/// - Parameter again: called when there is another token.
export function startAccess(again) {
  resume = again;
  onUnauthorized((problem) => {
    // A closed dialog is not reopened for the same token.
    if (isWanted && !byID("prompt").open) return;
    isWanted = true;
    drawButton();
    prompt(hasToken() ? problem.detail ?? "Unknown token." : null);
  });
  byID("token").addEventListener("click", () => {
    if (isWanted) return prompt(null);
    setToken(null);
    drawButton();
    // What the token opened is closed again.
    forget();
    ask();
    resume();
  });
  ask();
}

/// The button is there while there is a token to be forgotten, and when one is wanted: who closed the dialog comes back by it.
function drawButton() {
  const button = byID("token");
  button.hidden = !isWanted && !hasToken();
  setText(button, isWanted ? "Enter a token" : "Forget the token");
}

function prompt(fault) {
  const dialog = byID("prompt");
  if (dialog.open) {
    if (fault) showFault(dialog, fault);
    return;
  }
  const field = h("input", { type: "password", id: "token-field", required: true, autocomplete: "current-password", "aria-describedby": "token-fault" });
  const form = h("form", { method: "dialog" },
    h("h2", { id: "prompt-title" }, "Access token required"),
    h("p", {}, "This reachd requires an access token. The token stays in this tab and is sent to this server only."),
    h("label", { for: "token-field" }, "Token"), field,
    h("p", { class: "fault", id: "token-fault", role: "alert" }, fault ?? ""),
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "main" }, "Continue")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const value = field.value.trim();
    // What a header cannot hold is no token.
    if (!/^[\x21-\x7e]+$/.test(value)) return showFault(dialog, "A token has no blanks and no letters beyond ASCII.");
    setToken(value);
    isWanted = false;
    dialog.close();
    drawButton();
    ask();
    resume();
  });
  dialog.replaceChildren(form);
  dialog.showModal();
  field.focus();
}

function showFault(dialog, fault) {
  dialog.querySelector(".fault").textContent = fault;
}
