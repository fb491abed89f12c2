// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Requests to the service that sent this page. All URLs are relative, so that the page works below any path.

const ROOT = new URL("..", import.meta.url);
const KEY = "reachd-token";

let token = read();
const listeners = new Set();
const fleetListeners = new Set();

function read() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export const hasToken = () => token !== null;

/// Stores a token for this tab, or deletes it.
export function setToken(value) {
  token = value;
  try {
    if (value === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, value);
  } catch {
    // Without storage the token lasts as long as the page.
  }
}

/// Calls a function when a response says that a token is required, or that the sent one is unknown.
export const onUnauthorized = (body) => listeners.add(body);

/// Calls a function when a response says that the fleet cannot be read.
export const onUnavailable = (body) => fleetListeners.add(body);

/// An error response (RFC 9457), or the lack of a response.
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? "No answer from reachd.");
    this.status = status;
    this.code = (body.type ?? "").split(":").pop();
    this.errors = Array.isArray(body.errors) ? body.errors : [];
  }
}

/// The response to a request; throws a Problem unless it is a success.
export async function request(path, { method = "GET", body, type = "application/json", accept = "application/json", match, signal } = {}) {
  const headers = { Accept: accept };
  const shown = token;
  if (token !== null) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = type;
  if (match) headers["If-Match"] = match;
  // reachd reads no cookies, but a proxy in front of it may authenticate users by cookies, passwords or certificates.
  const settings = { method, headers, signal, cache: "no-cache", credentials: "same-origin", redirect: "error" };
  if (body !== undefined) settings.body = JSON.stringify(body);
  let response;
  try {
    response = await fetch(new URL(path, ROOT), settings);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { title: "No answer from reachd." });
  }
  if (response.ok) return response;
  let problem = {};
  try {
    problem = await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    problem = { title: `Unexpected answer: HTTP ${response.status}.` };
  }
  const fault = new Problem(response.status, problem);
  if (fault.code === "fleet_unavailable") for (const listener of fleetListeners) listener(fault);
  // A response to a request with an earlier token is ignored.
  if (response.status === 401 && shown === token) for (const listener of listeners) listener(problem);
  throw fault;
}

export const json = async (path, settings) => (await request(path, settings)).json();

/// The path of a target's resource.
export const ofTarget = (id, rest = "") => `targets/${encodeURIComponent(id)}${rest}`;
