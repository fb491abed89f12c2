// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The HTTP interface for readers: openapi.yaml as a list of operations and schemas.

import { request } from "./api.js";
import { byID, h } from "./dom.js";
import { parse } from "./yaml.js";

const METHODS = ["get", "post", "put", "patch", "delete"];

let api = {};

const nameOf = (reference) => reference.split("/").pop();

/// What a reference stands for, with the members beside the reference.
function resolved({ $ref, ...own }) {
  return $ref ? { ...resolved($ref.slice(2).split("/").reduce((part, name) => part[name], api)), ...own } : own;
}

/// Paragraphs and lists, with `code`.
function prose(text = "") {
  const words = (line) => line.split(/(`[^`]+`)/).map((part) => (part.startsWith("`") ? h("code", {}, part.slice(1, -1)) : part.replaceAll("**", "")));
  return text.trim().split(/\n\s*\n/).filter((part) => part !== "").map((part) =>
    part.startsWith("- ") ? h("ul", {}, part.slice(2).split("\n- ").map((item) => h("li", {}, words(item)))) : h("p", {}, words(part)));
}

/// The type of a value, with links to schemas.
function type(schema = {}) {
  if (schema.$ref) return [h("a", { href: `#${nameOf(schema.$ref)}` }, nameOf(schema.$ref))];
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.enum) return [schema.enum.join(", ")];
  if (schema.items) return ["list of ", ...type(schema.items)];
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices) return choices.flatMap((choice, index) => [index > 0 && (schema.allOf ? " and " : " or "), ...type(choice)]);
  return [[schema.type ?? "any"].flat().join(" or ")];
}

const table = (rows) => h("table", {}, rows.map(([name, kind, text]) => h("tr", {}, h("td", {}, name), h("td", {}, kind), h("td", {}, prose(text)))));

const part = (title, rows) => rows.length > 0 && [h("h3", {}, title), table(rows)];

const bodies = ({ content = {} }) => Object.entries(content).flatMap(([media, { schema }], index) => [index > 0 && ", ", media, ": ", ...type(schema)]);

function operation(method, path, { parameters: shared = [] }, one) {
  const parameters = [...shared, ...(one.parameters ?? [])].map(resolved);
  const body = one.requestBody && resolved(one.requestBody);
  return h("details", { id: one.operationId },
    h("summary", {}, h("b", {}, method.toUpperCase()), h("code", {}, path), h("span", {}, one.summary)),
    prose(one.description),
    part("Parameters", parameters.map(({ name, in: place, required, schema, description }) =>
      [name, [`${place}${required ? ", required" : ""}: `, ...type(schema)], description])),
    body && part("Body", [["", bodies(body), body.description]]),
    part("Responses", Object.entries(one.responses).map(([code, response]) => [code, bodies(resolved(response)), resolved(response).description])));
}

const operations = (paths) => Object.entries(paths).flatMap(([path, item]) =>
  METHODS.filter((method) => item[method]).map((method) => [item[method].tags?.[0], operation(method, path, item, item[method])]));

function schema([name, one]) {
  const rows = Object.entries(one.properties ?? {}).map(([member, value]) =>
    [member, [one.required?.includes(member) && "always: ", ...type(value)], value.description]);
  return h("details", { id: name }, h("summary", {}, h("code", {}, name)), prose(one.description), rows.length > 0 ? table(rows) : h("p", {}, type(one)));
}

function draw() {
  const all = operations(api.paths);
  const groups = api.tags.map(({ name, description }) =>
    [`tag-${name}`, name, [prose(description), all.filter(([tag]) => tag === name).map(([, element]) => element)]]);
  groups.push(["webhooks", "webhooks", operations(api.webhooks).map(([, element]) => element)]);
  groups.push(["schemas", "schemas", Object.entries(api.components.schemas).map(schema)]);
  byID("tags").replaceChildren(...groups.map(([id, name]) => h("a", { href: `#${id}` }, name)));
  byID("reference").replaceChildren(h("details", {}, h("summary", {}, "About all routes"), prose(api.info.description)),
    ...groups.map(([id, name, content]) => h("section", { id }, h("h2", {}, name), content.flat())));
}

/// Opens what the address names.
function open() {
  const one = byID(decodeURIComponent(location.hash.slice(1)));
  if (one?.tagName === "DETAILS") one.open = true;
  one?.scrollIntoView();
}

try {
  api = parse(await (await request("openapi.yaml", { accept: "application/yaml" })).text());
  draw();
  open();
  addEventListener("hashchange", open);
} catch (problem) {
  byID("reference").replaceChildren(h("p", { class: "banner" }, problem.message), problem.status === 401 && h("p", {}, "Enter an access token on the ", h("a", { href: "." }, "page"), " first, in this tab."));
}
