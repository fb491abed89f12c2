// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Declarations of targets: what people type, as the service reads it, and back.

const PORTS = { "http:": "80", "https:": "443" };

/// A host, or an address in brackets, and perhaps a port.
const PLACE = /^(?:\[([0-9a-f:.]+(?:%[^\s\]/]+)?)\]|([^\s:/?#@[\]\\]+))(?::(\d{1,5}))?$/i;
/// An IPv6 address as people write it where no port can follow.
const BARE = /^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*(?:%[^\s\]/]+)?$/i;

/// A scheme, a host without spaces, and the rest. Stricter than URL.canParse, which accepts less.
const URL_START = /^([a-z][a-z0-9+.-]*):\/\/[^\s/?#\\]+(?:[/?#]|$)/i;

/// The host and port of the input for a host: `host`, `host:port`, `[address]:port` or a URL; null for anything else.
export function split(where) {
  if (where.includes("://")) {
    const url = URL_START.test(where) && URL.canParse(where) ? new URL(where) : null;
    return url?.hostname ? { host: url.hostname.replace(/^\[|\]$/g, ""), port: url.port || PORTS[url.protocol] } : null;
  }
  if (BARE.test(where)) return { host: where };
  const parts = PLACE.exec(where);
  return parts && { host: parts[1] ?? parts[2], port: parts[3] };
}

/// The URL of the input for a URL: a URL, or `host` or `host:port` with or without a path; null for anything else.
export function address(where) {
  if (where.includes("://")) return /^https?$/i.test(URL_START.exec(where)?.[1] ?? "") && URL.canParse(where) ? where : null;
  // An incomplete scheme is not a host.
  if (/^https?[:/]/i.test(where)) return null;
  const bare = BARE.test(where) ? `[${where}]` : where;
  const place = bare.split(/[/?#]/, 1)[0];
  return PLACE.test(place) && URL.canParse(`https://${bare}`) ? `https://${bare}` : null;
}

/// Kinds by the scheme of a pasted URL, and the scheme of a kind with its own name.
const SCHEMES = { https: "http", ping: "icmp", ssh: "tcp", smtp: "tcp", imap: "tcp", imaps: "tls", smtps: "tls", ldaps: "tls" };

/// What a pasted URL says of a target: its kind, if it is known, and its host as a name.
export function guess(where, kinds) {
  const scheme = URL_START.exec(where)?.[1].toLowerCase();
  if (scheme === undefined || !URL.canParse(where)) return null;
  const kind = SCHEMES[scheme] ?? scheme;
  return kind in kinds ? { kind, name: new URL(where).hostname || split(where.replace(/^[^:]+/, "http"))?.host } : null;
}

// MARK: Objects

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

export const get = (object, path) => path.split(".").reduce((section, key) => section?.[key], object);

/// Sets a value at the end of a path of keys; undefined removes it, with mappings that become empty.
export function put(object, path, value) {
  const [key, ...rest] = path.split(".");
  if (rest.length === 0) {
    if (value === undefined) delete object[key];
    else object[key] = value;
    return;
  }
  if (!isObject(object[key])) {
    if (value === undefined) return;
    object[key] = {};
  }
  put(object[key], rest.join("."), value);
  if (Object.keys(object[key]).length === 0) delete object[key];
}

/// The second object over the first one.
export function over(base, other) {
  if (!isObject(base) || !isObject(other)) return other;
  const result = { ...base };
  for (const [key, value] of Object.entries(other)) result[key] = over(base[key], value);
  return result;
}

/// The merge patch (RFC 7396) from one object to another; undefined if they are equal.
export function difference(from, to) {
  if (!isObject(from) || !isObject(to)) return JSON.stringify(from) === JSON.stringify(to) ? undefined : to;
  const patch = {};
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const change = key in to ? difference(from[key], to[key]) : null;
    if (change !== undefined) patch[key] = change;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

// MARK: Forms

/// What is not a number is reported by reachd.
const number = (text) => (/^\d+$/.test(text) ? Number(text) : text);
const words = (text) => (text ?? "").split(/[\s,]+/).filter(Boolean);
const isAddress = (host) => /^[0-9.]+$|:/.test(host);
/// Settings that are text although they look like numbers.
const TEXTS = /^(id|name|group)$|expect\.(status|body|reply|rcode|answers)|payload|dns\.name|service/;

/// The settings that the fields of a kind have, besides `where` and the tags.
export const paths = (choice) => [
  "id", "name", "group", "probe.interval", ...(choice.port ? ["probe.port"] : []), ...choice.questions.map(({ path }) => `probe.${path.join(".")}`),
  ...choice.fields.map(([path]) => path), "watch.watchers", "watch.quorum",
];

/// The values of a form's fields for a declaration; `rest` is the part that no field shows.
export function read(declaration, choice) {
  const rest = structuredClone(declaration);
  const values = {};
  for (const path of paths(choice)) {
    const value = get(declaration, path);
    if (value === undefined || typeof value === "object") continue;
    values[path] = value;
    put(rest, path, undefined);
  }
  const where = choice.isURL ? "probe.url" : declaration.address !== undefined ? "address" : "host";
  values.where = get(declaration, where) ?? "";
  put(rest, where, undefined);
  const tags = Object.entries(declaration.tags ?? {}).map(([name, value]) => (value === "" ? name : `${name}=${value}`));
  if (!tags.some((tag) => /[\s,]/.test(tag))) {
    values.tags = tags.join(" ");
    delete rest.tags;
  }
  if (Array.isArray(declaration.watch?.locations)) {
    values.locations = declaration.watch.locations.join(" ");
    put(rest, "watch.locations", undefined);
  }
  put(rest, "probe.type", undefined);
  return { values, rest };
}

/// The declaration of a form's values.
///
/// - Parameters:
///   - values: By the path of the setting; besides `kind`, `where`, `tags` and `locations`.
///   - before: The declaration that is edited; values that mean the same stay as they are written there.
export function write(values, choice, rest, before = {}) {
  const target = {};
  const place = values.where.trim() || (choice.standard ?? "");
  if (values.kind !== "none") target.probe = { type: values.kind };
  for (const path of paths(choice)) {
    const value = values[path];
    if (value === undefined || value === "") continue;
    const old = get(before, path);
    put(target, path, typeof value === "boolean" || String(old) === value ? (typeof value === "boolean" ? value : old) : TEXTS.test(path) ? value : number(value));
  }
  if (place && choice.isURL) target.probe.url = address(place);
  else if (place) {
    const { host, port } = split(place);
    target[isAddress(host) ? "address" : "host"] = host;
    if (choice.port && port && !values["probe.port"]) put(target, "probe.port", Number(port));
  }
  const tags = words(values.tags).map((tag) => tag.split(/[=:](.*)/s).slice(0, 2));
  if (tags.length > 0) target.tags = Object.fromEntries(tags.map(([name, value]) => [name, value ?? ""]));
  const locations = words(values.locations);
  if (locations.length > 0) put(target, "watch.locations", locations);
  return over(rest, target);
}
