// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The headline, and this machine's network as hops: machine, interface, gateway, name servers, targets.

import { json } from "./api.js";
import { byID, h, paced, setText } from "./dom.js";
import { scoped } from "./scope.js";
import { rank, ranked } from "./incidents.js";
import { follow, isFleet, isGone, store, takeResolvers, tally } from "./store.js";
import { count, interfaceType, moment, pathReason, route, since, span, spread, STATES, TROUBLE } from "./words.js";

export function startNetwork() {
  follow((changes) => {
    if (changes.network || changes.list || changes.link || changes.ids.size > 0 || changes.incidents.size > 0) draw();
    if (changes.way) askResolvers();
  });
  setInterval(draw, 15_000);
  setInterval(() => document.hidden || store.link !== "live" || askResolvers(), 60_000);
}

/// Name servers are not in events; they are read again when the default path changes, and from time to time.
const askResolvers = paced(1_000, async () => {
  if (isFleet()) return;
  try {
    takeResolvers((await json(scoped("status"))).network.resolvers);
  } catch {
    // The stream shows when reachd does not respond.
  }
});

function draw() {
  const network = store.network;
  byID("network").dataset.status = status();
  setText(byID("verdict"), headline());
  setText(byID("tally"), counted() === headline() ? "" : counted());
  setText(byID("network-route"), words(network));
  showWhileBroken(isOffline());
  if (!network) {
    replace(byID("way"), []);
    return replace(byID("network-facts"), []);
  }
  replace(byID("way"), hops(network));
  replace(byID("network-facts"), facts(network));
}

/// Replaces children only when their text or state differs.
function replace(element, children) {
  const key = children.map((child) => `${child.className}${child.dataset.end ?? ""}${child.textContent}`).join("\n");
  if (element.dataset.key === key) return;
  element.dataset.key = key;
  element.replaceChildren(...children);
}

let isBroken = false;
let wasOpen = false;

/// Opens the hops when the path breaks; afterwards they are as the user left them.
function showWhileBroken(isNow) {
  if (isBroken === isNow) return;
  isBroken = isNow;
  const details = byID("network-details");
  if (isNow) wasOpen = details.open;
  details.open = isNow || wasOpen;
}

/// Whether this machine's network is known to be unusable, or was not evaluated yet.
const isOffline = () => store.network?.system_configuration.reachable === false;

/// The color of the headline: `unknown`, `not_reachable`, or the worst state of a target.
export function status() {
  if (isGone() || !store.network) return "unknown";
  if (isOffline()) return "not_reachable";
  return troubles()[0] ?? "good";
}

/// States of targets that need attention, the worst first.
const troubles = () => {
  const counts = tally();
  return STATES.filter((state) => TROUBLE.has(state) && counts[state]);
};

/// What is wrong, in one line: with the connection to reachd, this machine's network, or the targets.
export function headline() {
  const { network } = store;
  // Stale data must not look current.
  if (isGone()) {
    const why = store.link === "stale" ? "no data from reachd" : "no connection to reachd";
    return store.newsAt === 0 ? `Unknown: ${why}` : `Unknown since ${moment(store.newsAt)}: ${why}`;
  }
  if (!network || network.system_configuration.status === "unknown") return "Not evaluated yet";
  if (isOffline()) return `Offline${offline(network.path)}`;
  if (store.targets.size === 0) return "This machine is online";
  const common = ranked().find(({ cause, origin }) => COMMON.has(cause) && !origin);
  if (common) return common.title;
  const [worst, ...others] = troubles();
  if (!worst) return counted();
  const counts = tally();
  const found = others.length > 0 ? spread(Object.fromEntries([worst, ...others].map((state) => [state, counts[state]]))) : `${count(counts[worst], "target")} ${worst}`;
  return `${found}; the network is fine`;
}

/// Causes that targets have in common; with an origin an incident is about another node of a fleet.
const COMMON = new Set(["local_network", "dns", "path"]);

/// What this machine can reach, in one line.
function words(network) {
  if (!network || network.system_configuration.status === "unknown") return "not evaluated yet";
  if (isOffline()) return `offline${network.path?.unsatisfied_reason ? `: ${pathReason(network.path.unsatisfied_reason)}` : ""}`;
  if (network.path?.status === "requires_connection") return "offline: a connection must be established first";
  const by = route(network.path);
  return `online${by ? ` by ${by}` : ""}`;
}

/// Why this machine is offline, as the end of the headline: its nearest fault. An incident knows more than the path that is left.
function offline(path) {
  for (const { title, targets } of ranked().filter((incident) => !incident.origin && rank(incident) < rank({ kind: "internet" }))) {
    const end = title.lastIndexOf(`: ${targets.total} target`);
    if (end > 0) return `: ${title.slice(0, end)}`;
  }
  const why = path?.unsatisfied_reason;
  if (!why) return "";
  return `: ${path.interface && /^(link_down|no_carrier)$/.test(why) ? `${path.interface.name}, ` : ""}${pathReason(why)}`;
}

/// How many targets are in each state, in words; empty when that is not known now.
export function counted() {
  const { size } = store.targets;
  if (isGone() || size === 0) return "";
  const counts = tally();
  return counts.up === size ? `${size === 1 ? "The target is" : `All ${size.toLocaleString("en")} targets are`} up` : `${spread(counts)} of ${count(size, "target")}`;
}

function hop(kind, name, detail, state) {
  return h("li", { class: `hop ${kind} ${state}`, "data-end": state },
    h("span", { class: "knot", "aria-hidden": "true" }), h("span", { class: "kind" }, kind), h("b", {}, name), h("span", { class: "detail" }, detail),
    state === "broken" && h("span", { class: "hidden" }, ", broken here"));
}

function hops(network) {
  const path = network.path ?? {};
  const isOut = network.system_configuration.reachable;
  const hops = [hop("machine", path.source_address ?? "this machine", path.source_address ? "source address" : "no source address", "good")];
  const type = path.interface ? interfaceType(path.interface.type) : "no interface";
  hops.push(hop("interface", path.interface?.name ?? "none", type, isOut ? "good" : "broken"));
  hops.push(hop("gateway", path.gateway ?? (isOut ? "none" : "–"), path.gateway ? "gateway" : isOut ? "on-link" : "no route", isOut ? "good" : "beyond"));
  const resolvers = network.resolvers ?? [];
  const dns = path.supports_dns === true ? "good" : isOut ? "broken" : "beyond";
  hops.push(hop("DNS", resolvers[0] ?? "none", resolvers.length > 1 ? resolvers.slice(1).join(", ") : path.supports_dns ? "name server" : "no route", dns));
  const counts = tally();
  hops.push(hop("targets", `${counts.up ?? 0} of ${store.targets.size}`, "up", isOut ? "good" : "beyond"));
  return hops;
}

function facts(network) {
  const path = network.path ?? {};
  const families = [path.supports_ipv4 && "IPv4", path.supports_ipv6 && "IPv6"].filter(Boolean).join(" and ") || "none";
  const facts = [
    ["Address families", families],
    ["Since", network.since ? `${moment(network.since)}, ${span(since(network.since))}` : "–"],
  ];
  const costs = [path.is_expensive && "expensive", path.is_constrained && "constrained"].filter(Boolean);
  if (costs.length > 0) facts.push(["Cost", costs.join(", ")]);
  return facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)));
}

/// The title of the tab.
export function title() {
  const counts = tally();
  const down = counts.down ?? 0;
  if (isGone()) return `${store.link} · reachd`;
  if (!isFleet() && isOffline()) return "offline · reachd";
  return down > 0 ? `${count(down, "target")} down · reachd` : "reachd";
}
