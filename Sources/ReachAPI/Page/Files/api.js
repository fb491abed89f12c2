// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Requests to the service that sent this page. All addresses are relative to it, so that any path before it does no harm.

const ROOT = new URL("..", import.meta.url);
const KEY = "reachd-token";

let token = read();
const listeners = new Set();

function read() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export const hasToken = () => token !== null;

/// Keeps a token for this tab, or forgets it.
export function setToken(value) {
  token = value;
  try {
    if (value === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, value);
  } catch {
    // Where nothing can be kept it lasts as long as the page.
  }
}

/// Calls a function when an answer says that a token is wanted, or that the one that was shown is not known.
export const onUnauthorized = (body) => listeners.add(body);

/// An answer that says what went wrong (RFC 9457), or that none came.
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? "No answer from reachd.");
    this.status = status;
    this.code = (body.type ?? "").split(":").pop();
    this.errors = Array.isArray(body.errors) ? body.errors : [];
  }
}

/// The response to a request; throws a Problem for all that are no success.
export async function request(path, { method = "GET", body, type = "application/json", accept = "application/json", signal } = {}) {
  const headers = { Accept: accept };
  const shown = token;
  if (token !== null) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = type;
  // reachd itself reads no cookies; a proxy before it may know people by them, by a password or by a certificate.
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
  // What is said of a token that was given up meanwhile is no news.
  if (response.status === 401 && shown === token) for (const listener of listeners) listener(problem);
  throw new Problem(response.status, problem);
}

export const json = async (path, settings) => (await request(path, settings)).json();

/// The path of something about a target.
export const ofTarget = (id, rest = "") => `targets/${encodeURIComponent(id)}${rest}`;
