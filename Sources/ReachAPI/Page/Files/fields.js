// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The fields of a target's declaration, and errors beside them.

import { choices } from "./choices.js";
import { address, difference, get, guess, paths, read, split, write } from "./declaring.js";
import { h, setText } from "./dom.js";

const HINTS = {
  true: "Not a URL or host. Examples: https://example.org/health, example.org, example.org:8443.",
  false: "Not a host or address. Examples: example.org, example.org:8443, 192.0.2.1, [2001:db8::1]:8443.",
};

const text = (attributes = {}) => h("input", { type: "text", autocomplete: "off", spellcheck: "false", ...attributes });

function field(id, label, input, hint = null) {
  input.id = `field-${id}`;
  input.setAttribute("aria-describedby", `fault-${id}`);
  return h("div", { class: "field", "data-field": id }, h("label", { for: input.id }, label), input,
    hint && h("p", { class: "hint" }, hint), h("p", { class: "fault", id: `fault-${id}` }));
}

/// The field of a setting.
const idOf = (path, choice) => {
  const question = choice.questions.findIndex(({ path: keys }) => `probe.${keys.join(".")}` === path);
  return question >= 0 ? `question-${question}` : path.replace(/^(probe|watch)\.(?=port$|interval$|watchers$|quorum$)/, "").replaceAll(".", "-");
};

/// The fields of a declaration.
///
/// - Parameters:
///   - before: The declaration to edit; null for a new one.
///   - inFleet: Whether it is a target of the fleet.
///   - groups: Those that exist, as suggestions.
///   - changed: Called when the kind changes, with its choice.
export class TargetForm {
  constructor({ before = null, inFleet, groups, changed }) {
    this.before = before;
    this.changed = changed;
    this.known = choices();
    this.isChosen = before !== null;
    this.kind = h("select", { name: "kind" }, Object.entries(this.known).map(([value, { word }]) => h("option", { value }, word)));
    if (before) this.kind.value = before.probe?.type ?? "none";
    this.where = text({ name: "where", required: true });
    this.port = text({ name: "probe.port", inputmode: "numeric", pattern: "[0-9]{1,5}" });
    this.questions = h("div", { class: "questions" });
    this.fields = h("div", { class: "questions" });
    this.rest = h("textarea", { name: "rest", rows: "3", spellcheck: "false", placeholder: '{"depends_on": "router"}' });
    this.more = h("details", {}, h("summary", {}, "Expectations and other settings"), this.fields,
      h("div", { class: "pair" }, field("id", "ID", text({ name: "id", readonly: before !== null, placeholder: "from the host" })), field("tags", "Tags", text({ name: "tags", placeholder: "team=web tier=1" }))),
      field("rest", "Further settings", this.rest, "As JSON, with the keys of the configuration."));
    this.elements = [
      field("kind", "Probe", this.kind), field("where", "URL", this.where), field("port", "Port", this.port), this.questions,
      field("name", "Name", text({ name: "name" })),
      h("div", { class: "pair" }, field("group", "Group", text({ name: "group", list: "groups-known" })), field("interval", "Interval", text({ name: "probe.interval", placeholder: "30s" }))),
      ...(inFleet ? [
        h("div", { class: "pair" },
          field("watchers", "Watchers", text({ name: "watch.watchers", inputmode: "numeric", placeholder: "1" }), "How many locations watch it."),
          field("quorum", "Quorum", text({ name: "watch.quorum", inputmode: "numeric", placeholder: "majority" }), "How many must report it down.")),
        field("locations", "Locations", text({ name: "locations", placeholder: "all" }), "Those that may watch it, such as: berlin paris"),
      ] : []),
      this.more,
      h("datalist", { id: "groups-known" }, groups.map((group) => h("option", { value: group }))),
    ];
    this.kind.addEventListener("change", () => {
      this.isChosen = true;
      this.adapt();
    });
    this.where.addEventListener("paste", () => setTimeout(() => this.takeURL()));
    this.adapt();
    if (before) this.fill(before);
  }

  get choice() {
    return this.known[this.kind.value];
  }

  /// Shows the fields of the chosen kind; what was typed into fields that stay is kept.
  adapt() {
    const { isURL, hint, port, standardPort, questions, fields } = this.choice;
    this.where.placeholder = hint;
    this.where.previousElementSibling.textContent = isURL ? "URL" : "Host or address";
    this.port.parentElement.hidden = !port;
    this.port.placeholder = standardPort ?? "";
    this.questions.replaceChildren(...questions.map(({ path, label, default: value }, index) =>
      field(`question-${index}`, label, text({ name: `probe.${path.join(".")}`, value }))));
    const old = new Map([...this.fields.querySelectorAll("input")].map((input) => [input.name, input]));
    this.fields.replaceChildren(...fields.map(([path, label, extra]) => {
      if (typeof extra === "boolean") return tick(path, label, extra, old.get(path)?.checked);
      return field(idOf(path, this.choice), label, text({ name: path, placeholder: extra ?? "", value: old.get(path)?.value ?? null }));
    }));
    this.changed?.(this.choice);
  }

  /// Fills the fields with a declaration.
  fill(declaration) {
    this.kind.value = declaration.probe?.type ?? "none";
    this.isChosen = true;
    this.adapt();
    const { values, rest } = read(declaration, this.choice);
    for (const input of this.inputs()) {
      if (input.type === "checkbox") input.checked = String(values[input.name]) === input.value;
      else if (input.name in values) input.value = values[input.name];
    }
    this.rest.value = Object.keys(rest).length > 0 ? JSON.stringify(rest, null, 1) : "";
    this.more.open = this.rest.value !== "" || [...this.fields.querySelectorAll("input")].some((input) => (input.type === "checkbox" ? input.checked : input.value !== ""));
  }

  /// Takes the kind and the name of a pasted URL, unless they were chosen.
  takeURL() {
    const found = guess(this.where.value.trim(), this.known);
    if (!found) return;
    if (!this.isChosen && found.kind !== this.kind.value) {
      this.kind.value = found.kind;
      this.adapt();
    }
    const name = this.inputs().find((input) => input.name === "name");
    if (name.value === "" && found.name) name.value = found.name;
  }

  inputs() {
    return this.elements.flatMap((element) => [...element.querySelectorAll("input, select, textarea")]);
  }

  clearFaults() {
    for (const element of this.elements) for (const fault of element.querySelectorAll(".fault")) setText(fault, "");
    for (const input of this.inputs()) input.removeAttribute("aria-invalid");
  }

  /// The declaration; null with errors beside the fields.
  declaration() {
    this.clearFaults();
    let rest = {};
    try {
      if (this.rest.value.trim() !== "") rest = JSON.parse(this.rest.value);
    } catch (error) {
      return this.fault("rest", `Not JSON: ${error.message}.`);
    }
    if (typeof rest !== "object" || rest === null || Array.isArray(rest)) return this.fault("rest", "A JSON object is required.");
    const choice = this.choice;
    const place = this.where.value.trim() || (choice.standard ?? "");
    // Not in a URL or host: in further settings, or hidden.
    const isElsewhere = ["local_address", "kind", "host", "address"].some((key) => key in rest) || (this.before && read(this.before, choice).values.where === "");
    if (!place && !isElsewhere) return this.fault("where", "Required.");
    if (place && !(choice.isURL ? address(place) : split(place))) return this.fault("where", HINTS[choice.isURL === true]);
    const values = { kind: this.kind.value };
    for (const input of this.inputs()) {
      if (input.type !== "checkbox") values[input.name] = input.value.trim();
      else if (input.checked) values[input.name] = input.value === "true";
    }
    if (choice.port !== true) delete values["probe.port"];
    return write(values, choice, rest, this.before ?? {});
  }

  /// The merge patch from the edited declaration; null with errors beside the fields, undefined if nothing changed.
  patch() {
    const after = this.declaration();
    return after === null ? null : difference(this.before, after);
  }

  /// Shows an error beside a field; returns null.
  fault(id, detail, isLater = false) {
    const place = this.find(`fault-${id}`);
    setText(place, place.textContent ? `${place.textContent} ${detail}` : detail);
    const input = this.find(`field-${id}`);
    input.setAttribute("aria-invalid", "true");
    if (this.more.contains(input)) this.more.open = true;
    if (!isLater) input.focus();
    return null;
  }

  find(id) {
    return this.elements.map((element) => element.querySelector(`#${CSS.escape(id)}`)).find(Boolean);
  }

  /// Shows the errors of a response beside the fields they are about.
  ///
  /// - Returns: Those that belong to no field, as a sentence; empty if there are none.
  takeProblem({ errors, code, message }) {
    const choice = this.choice;
    const pointers = paths(choice).map((path) => [`/${path.replaceAll(".", "/")}`, idOf(path, choice)]);
    // Missing keys are reported at the mapping: in this form that can only be the port or a question.
    const missing = choice.port ? "port" : choice.questions.length > 0 ? "question-0" : "where";
    const sections = choice.questions.flatMap(({ path }, index) => (path.length > 1 ? [[`/probe/${path.slice(0, -1).join("/")}`, `question-${index}`]] : []));
    const places = [...pointers, ...sections, ["/probe/url", "where"], ["/probe/type", "kind"], ["/host", "where"], ["/address", "where"], ["/port", "port"],
      ["/tags", "tags"], ["/watch/locations", "locations"], ["/watch", "watchers"], ["/probe/expect", "rest"]];
    const others = [];
    let isPlaced = false;
    for (const { pointer = "", detail } of errors) {
      const isAt = ([prefix]) => pointer === prefix || pointer.startsWith(`${prefix}/`);
      let id = places.find(isAt)?.[1] ?? (pointer === "/probe" ? missing : undefined);
      // What no field shows was typed as JSON.
      if (id === undefined && get(this.restObject(), pointer.slice(1).replaceAll("/", ".")) !== undefined) id = "rest";
      const isThere = id !== undefined && this.find(`field-${id}`) && !this.find(`field-${id}`).closest("[hidden]");
      if (isThere) this.fault(id, detail, isPlaced);
      else others.push(`${pointer} ${detail}`.trim());
      isPlaced ||= isThere;
    }
    if (code === "target_exists" && !isPlaced) {
      this.fault("id", message);
      return "";
    }
    return others.length > 0 ? others.join(" ") : isPlaced ? "" : message;
  }

  restObject() {
    try {
      return JSON.parse(this.rest.value);
    } catch {
      return {};
    }
  }
}

function tick(path, label, value, isChecked) {
  const input = h("input", { type: "checkbox", name: path, value: String(value), checked: isChecked === true });
  const id = path.replaceAll(".", "-");
  input.id = `field-${id}`;
  return h("div", { class: "field tick", "data-field": id }, h("label", {}, input, ` ${label}`), h("p", { class: "fault", id: `fault-${id}` }));
}
