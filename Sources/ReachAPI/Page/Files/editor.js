// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The forms to add a target and to confirm a deletion. Errors are shown beside their fields.

import { ask, learn, onAccess, storageSentence } from "./access.js";
import { json, ofTarget, request } from "./api.js";
import { byID, h, setText } from "./dom.js";
import { kinds, learnKinds } from "./kinds.js";
import { scoped } from "./scope.js";
import { dropTarget, isFleet, takeTarget } from "./store.js";

/// Choices without an active probe.
const OTHERS = {
  // The default is loopback, for jobs of this machine: only the path to the address is monitored.
  push: { word: "Push: the target sends heartbeats", where: "Host or address", hint: "127.0.0.1", standard: "127.0.0.1", questions: [] },
  traffic: { word: "Traffic: connections of this machine's programs", where: "Host or address", hint: "example.org", port: true, questions: [] },
  none: { word: "Path only: this machine has a route to it", where: "Host or address", hint: "example.org", questions: [] },
};

/// The choices of the form and their fields; http, the most common, first.
function choices() {
  const asked = [...kinds()].sort((a, b) => (b.type === "http") - (a.type === "http")).map((kind) => [kind.type, {
    word: `${kind.label}: ${kind.title}`,
    isURL: kind.port === "url",
    where: kind.port === "url" ? "URL" : "Host or address",
    hint: kind.port === "url" ? "https://example.org/health" : kind.port === "none" ? "192.0.2.1" : "example.org",
    port: kind.port === "needed" || kind.port === "standard",
    standardPort: kind.standard_port,
    questions: kind.questions,
  }]);
  return { ...Object.fromEntries(asked), ...OTHERS };
}

/// The field beside which an error is shown, by the prefix of its pointer.
const FIELDS = [
  ["/probe/url", "where"], ["/probe/interval", "interval"], ["/probe/type", "kind"], ["/probe/port", "port"], ["/probe/timeout", "interval"],
  ["/host", "where"], ["/address", "where"], ["/port", "port"], ["/id", "id"], ["/name", "name"], ["/group", "group"], ["/tags", "tags"],
  ["/watch/quorum", "quorum"], ["/watch/locations", "locations"], ["/watch", "watchers"],
];

export function startEditor() {
  byID("add").addEventListener("click", open);
  onAccess(() => {
    const storage = document.getElementById("storage");
    if (storage && !("fleet" in storage.dataset)) setText(storage, storageSentence() ?? "");
  });
}

function field(name, label, input, hint = null) {
  input.id = `field-${name}`;
  input.name = name;
  input.setAttribute("aria-describedby", `fault-${name}`);
  return h("div", { class: "field", "data-field": name }, h("label", { for: input.id }, label), input,
    hint && h("p", { class: "hint" }, hint), h("p", { class: "fault", id: `fault-${name}` }));
}

/// Which locations of a fleet watch the target.
const watchFields = () => h("div", { class: "pair" },
  field("watchers", "Watchers", text({ inputmode: "numeric", placeholder: "1" }), "How many locations watch it."),
  field("quorum", "Quorum", text({ inputmode: "numeric", placeholder: "majority" }), "How many must report it down."));

const text = (attributes = {}) => h("input", { type: "text", autocomplete: "off", spellcheck: "false", ...attributes });

async function open() {
  await learnKinds();
  const dialog = byID("editor");
  const known = choices();
  const kind = h("select", {}, Object.entries(known).map(([value, { word }]) => h("option", { value }, word)));
  const where = text({ required: true });
  const port = text({ inputmode: "numeric", pattern: "[0-9]{1,5}" });
  const questions = h("div", { class: "questions" });
  // The scope may change while the form is open, when the fleet's database is lost.
  const inFleet = isFleet();
  const path = scoped("targets");
  const groups = [...byID("group").options].map((option) => option.value).filter(Boolean);
  const form = h("form", { method: "dialog", novalidate: true },
    h("h2", { id: "editor-title" }, inFleet ? "Add a target to the fleet" : path === "targets" ? "Add a target" : "Add a target to this node"),
    field("kind", "Probe", kind),
    field("where", "URL", where),
    field("port", "Port", port),
    questions,
    field("name", "Name", text(), "Displayed instead of the ID. An empty ID is derived from the host or address."),
    h("div", { class: "pair" }, field("group", "Group", text({ list: "groups-known" })), field("interval", "Interval", text({ placeholder: "30s" }))),
    h("div", { class: "pair" }, field("id", "ID", text()), field("tags", "Tags", text({ placeholder: "team=web tier=1" }))),
    inFleet && [watchFields(), field("locations", "Locations", text({ placeholder: "all" }), "Those that may watch it, such as: berlin paris")],
    h("datalist", { id: "groups-known" }, groups.map((group) => h("option", { value: group }))),
    h("p", { class: "hint", id: "storage", "data-fleet": inFleet }, inFleet ? "Kept in the fleet’s database." : storageSentence() ?? ""),
    h("p", { class: "fault", id: "fault-form", role: "alert" }),
    h("div", { class: "buttons" },
      h("button", { type: "button", click: () => dialog.close() }, "Cancel"), h("button", { type: "submit", class: "main" }, "Add")));
  const adapt = () => {
    const { where: label, hint, port: hasPort, standardPort, questions: asked } = known[kind.value];
    where.placeholder = hint;
    where.previousElementSibling.textContent = label;
    port.parentElement.hidden = !hasPort;
    port.placeholder = standardPort ?? "";
    questions.replaceChildren(...asked.map((question, index) => field(`question-${index}`, question.label, text({ value: question.default }))));
  };
  kind.addEventListener("change", adapt);
  adapt();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form, dialog, known, path);
  });
  dialog.replaceChildren(form);
  dialog.showModal();
  where.focus();
  // The storage may have failed since the page was loaded.
  ask();
}

const PORTS = { "http:": "80", "https:": "443" };

/// A host, or an address in brackets, and perhaps a port.
const PLACE = /^(?:\[([0-9a-f:.]+(?:%[^\s\]/]+)?)\]|([^\s:/?#@[\]\\]+))(?::(\d{1,5}))?$/i;
/// An IPv6 address as people write it where no port can follow.
const BARE = /^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*(?:%[^\s\]/]+)?$/i;

/// A scheme, a host without spaces, and the rest. Stricter than URL.canParse, which accepts less.
const URL_START = /^([a-z][a-z0-9+.-]*):\/\/[^\s/?#\\]+(?:[/?#]|$)/i;

/// The host and port of the input for a host: `host`, `host:port`, `[address]:port` or a URL; null for anything else.
function split(where) {
  if (where.includes("://")) {
    const url = URL_START.test(where) && URL.canParse(where) ? new URL(where) : null;
    return url?.hostname ? { host: url.hostname.replace(/^\[|\]$/g, ""), port: url.port || PORTS[url.protocol] } : null;
  }
  if (BARE.test(where)) return { host: where };
  const parts = PLACE.exec(where);
  return parts && { host: parts[1] ?? parts[2], port: parts[3] };
}

/// The URL of the input for a URL: a URL, or `host` or `host:port` with or without a path; null for anything else.
function address(where) {
  if (where.includes("://")) return /^https?$/i.test(URL_START.exec(where)?.[1] ?? "") && URL.canParse(where) ? where : null;
  // An incomplete scheme is not a host.
  if (/^https?[:/]/i.test(where)) return null;
  const bare = BARE.test(where) ? `[${where}]` : where;
  const place = bare.split(/[/?#]/, 1)[0];
  return PLACE.test(place) && URL.canParse(`https://${bare}`) ? `https://${bare}` : null;
}

const HINTS = {
  true: "Not a URL or host. Examples: https://example.org/health, example.org, example.org:8443.",
  false: "Not a host or address. Examples: example.org, example.org:8443, 192.0.2.1, [2001:db8::1]:8443.",
};

/// What is not a number is reported by reachd.
const number = (text) => /^\d+$/.test(text) ? Number(text) : text;

function declaration(values, choice) {
  const target = {};
  const kind = values.kind;
  const where = values.where.trim() || choice.standard;
  const given = values.port?.trim();
  if (!choice.isURL) {
    const { host, port } = split(where);
    target[/^[0-9.]+$|:/.test(host) ? "address" : "host"] = host;
    values.port = given || port;
  }
  if (kind !== "none") {
    target.probe = { type: kind };
    if (choice.isURL) target.probe.url = address(where);
    for (const [index, { path }] of choice.questions.entries()) {
      const answer = values[`question-${index}`]?.trim();
      if (answer) put(target.probe, path, answer);
    }
    if (values.port && choice.port) target.probe.port = number(values.port);
    if (values.interval) target.probe.interval = values.interval.trim();
  }
  for (const name of ["id", "name", "group"]) if (values[name]?.trim()) target[name] = values[name].trim();
  const tags = (values.tags ?? "").split(/[\s,]+/).filter(Boolean).map((tag) => tag.split(/[=:](.*)/s).slice(0, 2));
  if (tags.length > 0) target.tags = Object.fromEntries(tags.map(([name, value]) => [name, value ?? ""]));
  const watch = {};
  for (const name of ["watchers", "quorum"]) if (values[name]?.trim()) watch[name] = number(values[name].trim());
  const locations = (values.locations ?? "").split(/[\s,]+/).filter(Boolean);
  if (locations.length > 0) watch.locations = locations;
  if (Object.keys(watch).length > 0) target.watch = watch;
  return target;
}

/// Sets a value at the end of a path of keys.
function put(object, path, value) {
  const inner = path.slice(0, -1).reduce((section, key) => (section[key] ??= {}), object);
  inner[path.at(-1)] = value;
}

async function send(form, dialog, known, path) {
  for (const fault of form.querySelectorAll(".fault")) fault.textContent = "";
  for (const input of form.elements) input.removeAttribute("aria-invalid");
  const values = Object.fromEntries(new FormData(form));
  const choice = known[values.kind];
  if (!values.where.trim() && !choice.standard) return show(form, "where", "Required.");
  const isURL = choice.isURL === true;
  const place = values.where.trim() || choice.standard;
  if (!(isURL ? address(place) : split(place))) return show(form, "where", HINTS[isURL]);
  const button = form.querySelector(".main");
  button.disabled = true;
  try {
    const target = await json(path, { method: "POST", body: declaration(values, choice) });
    // Another scope may be shown by now. The fleet's answer has no number; its stream follows.
    if (path === scoped("targets")) takeTarget({ sequence: 0, ...target });
    dialog.close();
    location.hash = encodeURIComponent(target.id);
  } catch (problem) {
    learn(problem);
    showProblem(form, problem, choice);
  }
  button.disabled = false;
}

function showProblem(form, problem, choice) {
  let isPlaced = false;
  // Missing keys are reported at the probe; in this form that can only be the port or the first question.
  const asked = choice.questions.map(({ path }, index) => [`/probe/${path.join("/")}`, `question-${index}`]);
  const sections = choice.questions.flatMap(({ path }, index) => path.length > 1 ? [[`/probe/${path.slice(0, -1).join("/")}`, `question-${index}`]] : []);
  const places = [...asked, ...sections, ...FIELDS, ["/probe", choice.port ? "port" : asked[0]?.[1] ?? "port"]];
  for (const { pointer, detail } of problem.errors) {
    const name = places.find(([prefix]) => pointer === prefix || pointer?.startsWith(`${prefix}/`))?.[1];
    const isThere = name !== undefined && !form.querySelector(`[data-field="${name}"]`).hidden;
    show(form, isThere ? name : "form", isThere ? detail : `${pointer ?? ""} ${detail}`.trim(), isPlaced);
    isPlaced = true;
  }
  if (!isPlaced) show(form, problem.code === "target_exists" ? "id" : "form", problem.message);
}

function show(form, name, detail, isLater = false) {
  const place = form.querySelector(`#fault-${name}`);
  place.textContent = place.textContent ? `${place.textContent} ${detail}` : detail;
  const input = form.querySelector(`#field-${name}`);
  if (!input) return;
  input.setAttribute("aria-invalid", "true");
  if (!isLater) input.focus();
}

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
