// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Permissions of this page: reads them, prompts for a token when one is required, and explains disabled buttons.

import { hasToken, json, onUnauthorized, setToken } from "./api.js";
import { byID, h, setText } from "./dom.js";
import { follow, forget, isGone } from "./store.js";

const access = { canWrite: false, refusal: "The permissions of this page are not loaded yet.", targets: null };
/// Whether a token is required and there is none, or a wrong one.
let isWanted = false;
const listeners = [];
let resume = () => {};

/// Calls a function when the permissions change.
export const onAccess = (body) => listeners.push(body);

/// Enables or disables a button. A disabled button stays focusable for keyboards and screen readers, its title explains why it is
/// disabled, and a click dispatches `refused` with the explanation.
export function guard(button, reason = null) {
  const why = isGone() ? "There is no connection to reachd." : access.canWrite ? reason : access.refusal;
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

/// Where added targets are stored, as a sentence; null when unknown.
export function storageSentence() {
  const { storage, file, detail } = access.targets ?? {};
  if (storage === "file") return "Kept across restarts.";
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

/// Learns from a refused request that this page may not make changes.
export function learn(problem) {
  if (problem.status !== 403) return;
  access.canWrite = false;
  access.refusal = problem.message;
  for (const listener of listeners) listener();
}

/// - Parameter again: called when the token changes.
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
    // Remove the data that the token gave access to.
    forget();
    ask();
    resume();
  });
  let wasGone = false;
  follow(() => {
    if (wasGone === isGone()) return;
    wasGone = isGone();
    for (const listener of listeners) listener();
  });
  ask();
}

/// The button is visible while there is a token to forget, or one is required: it reopens the dialog.
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
    // A header cannot contain other characters.
    if (!/^[\x21-\x7e]+$/.test(value)) {
      return showFault(dialog, "A token contains only printable ASCII characters and no spaces.");
    }
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
