// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The votes of a fleet's locations on a target: marks in the rows, and a table and sentences in the details.

import { h, mark } from "./dom.js";
import { facts, thresholds } from "./evidence.js";
import { isFleet } from "./store.js";
import { cause, count, moment, plain } from "./words.js";

/// Marks that a row has space for.
const SHOWN = 5;
const HEADS = ["Location", "Node", "State", "Counts as", "Reason", "Since"];
const VOID_REASONS = {
  no_owner: "no live node is assigned",
  not_confirmed: "the node has not probed it in time",
  suspended: "paused or in maintenance",
  cannot_judge: "the location cannot judge",
  isolated: "the location alone reports many targets down",
};

/// A cause, as seen from the fleet or from this machine.
export const causeOf = (code) => (isFleet() && code === "local_network" ? "the node’s own network" : cause(code));

const standing = (vote) => `${vote.counts_as}${vote.void_reason ? ` (${VOID_REASONS[vote.void_reason] ?? plain(vote.void_reason)})` : ""}`;
const words = (vote) => `${vote.location}: ${vote.state} since ${moment(vote.since)}, counts as ${standing(vote)}`;

// MARK: Rows

/// Writes the marks of a target's votes into a cell, if they differ.
export function drawVotes(cell, { votes = [] }) {
  if (cell.votes === votes) return;
  cell.votes = votes;
  const marks = votes.slice(0, SHOWN).map((vote) =>
    h("span", { class: `vote ${vote.counts_as}`, role: "img", "aria-label": words(vote), title: words(vote) }, mark(vote.state)));
  const rest = votes.slice(SHOWN).map(words).join("\n");
  const made = h("span", {}, marks, rest && h("span", { class: "others", role: "img", "aria-label": rest, title: rest }, `+${votes.length - SHOWN}`));
  if (!cell.firstChild?.isEqualNode(made)) cell.replaceChildren(made);
}

/// What follows unless the locations agree, in one line.
export const pendingWords = ({ toward, until }) => `${toward} at ${moment(until)} unless the locations agree`;

// MARK: Details

/// How the votes count, as a sentence.
export function quorumSentence({ watchers, needed, well, ill, against, void: unable }) {
  const verb = (number) => (number === 1 ? "reports" : "report");
  const missing = watchers - well - ill - against - unable;
  return `${[
    `${against} of ${count(watchers, "location")} ${verb(against)} it down`,
    ill > 0 && `${ill} ${verb(ill)} it degraded`,
    unable > 0 && `${unable} cannot judge`,
    missing > 0 && `${missing} ${missing === 1 ? "is" : "are"} missing`,
  ].filter(Boolean).join(", ")}; ${needed} ${needed === 1 ? "is" : "are"} needed.`;
}

/// The votes as a table, below the quorum.
export function votesTable({ id, quorum, votes = [] }) {
  const rows = votes.map((vote) => h("tr", {},
    h("th", { scope: "row" }, link(vote, id)), h("td", {}, vote.node ?? "none"),
    h("td", {}, mark(vote.state), ` ${vote.state}`), h("td", {}, standing(vote)),
    h("td", { class: "long" }, reason(vote)), h("td", {}, moment(vote.since))));
  return [
    quorum && h("p", { class: "because" }, quorumSentence(quorum)),
    rows.length > 0 && h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Votes of the locations" },
      h("table", { class: "votes" }, h("thead", {}, h("tr", {}, HEADS.map((word) => h("th", { scope: "col" }, word)))), h("tbody", {}, rows))),
  ].filter(Boolean);
}

/// The location, as a link to the target on its node's page.
function link({ location: name, url }, id) {
  const base = webAddress(url);
  return base ? h("a", { href: `${base}?scope=node#${encodeURIComponent(id)}` }, name) : name;
}

/// A URL that a node states, with a slash at its end; null unless it leads to a web server.
export const webAddress = (url) => (/^https?:\/\//i.test(url ?? "") ? url.replace(/\/*$/, "/") : null);

function reason({ reason: found, cause: code, is_confirmed: isConfirmed }) {
  const whose = code && code !== "target" ? ` (${causeOf(code)})` : "";
  return [found && `${found.detail || plain(found.code)}${whose}`, !isConfirmed && "not probed by this node yet"].filter(Boolean).join("; ");
}

/// The explanation of the fleet's verdict.
export function fleetEvidence(target) {
  return [
    h("p", { class: "because" }, sentence(target)),
    facts([
      ["Reason", target.reason && h("code", {}, target.reason.code)],
      ["Cause", target.cause && causeOf(target.cause)],
      ["Pending", target.pending && pendingWords(target.pending)],
      ["Thresholds", target.probe && thresholds(target.probe)],
      ["Depends on", target.depends_on?.join(", ")],
    ]),
  ];
}

function sentence(target) {
  const { name, state } = target;
  const detail = target.reason?.detail ? ` ${target.reason.detail.replace(/^./u, (first) => first.toUpperCase()).replace(/\.?$/, ".")}` : "";
  switch (state) {
    case "up": return `${name} responds.`;
    case "degraded": return target.cause === "path" ? `Some locations reach ${name}, others do not.${detail}` : `${name} responds, but not as expected.${detail}`;
    case "down": return `${name} does not respond.${detail}`;
    case "unreachable": return `${name} cannot be reached.${detail}`;
    case "paused": return `${name} is paused and not probed.`;
    case "maintenance": return `${name} is in maintenance; failures are expected.`;
    default: return `The state of ${name} is unknown.${detail}`;
  }
}
