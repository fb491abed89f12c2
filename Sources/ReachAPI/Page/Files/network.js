// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// This machine's network as hops: machine, interface, gateway, name servers, targets.

import { json } from "./api.js";
import { byID, h, paced, setText } from "./dom.js";
import { scoped } from "./scope.js";
import { follow, isFleet, store, takeResolvers, tally } from "./store.js";
import { count, interfaceType, moment, pathReason, route, since, span, spread, TROUBLE } from "./words.js";

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
  const section = byID("network-title").parentElement;
  section.dataset.status = isGone() ? "unknown" : network?.status ?? "unknown";
  setText(byID("network-verdict"), headline());
  setText(byID("tally"), counted());
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

/// What this machine can reach, in one line.
export function headline() {
  const { network } = store;
  // Stale data must not look current.
  if (isGone()) {
    const why = store.link === "stale" ? "no data from reachd" : "no connection to reachd";
    return store.newsAt === 0 ? `Unknown: ${why}` : `Unknown since ${moment(store.newsAt)}: ${why}`;
  }
  if (!network || network.status === "unknown") return "Not evaluated yet";
  if (!network.reachable) return `Offline${offline(network.path)}`;
  if (network.path?.status === "requires_connection") return "Offline: a connection must be established first";
  const by = route(network.path);
  return `Online${by ? ` by ${by}` : ""}`;
}

/// Kinds of incidents of this machine's network, the nearest first.
const NEAREST = ["link", "route", "firewall", "gateway"];

/// Why this machine is offline, as the end of the headline: its nearest fault. An incident knows more than the path that is left.
function offline(path) {
  // With an origin it is about another node of a fleet.
  const own = [...store.incidents.values()].filter(({ kind, origin }) => !origin && NEAREST.includes(kind));
  own.sort((one, other) => NEAREST.indexOf(one.kind) - NEAREST.indexOf(other.kind));
  for (const { title, targets } of own) {
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
  const isOut = network.reachable === true;
  const hops = [hop("machine", path.source_address ?? "this machine", path.source_address ? "source address" : "no source address", "good")];
  const type = path.interface ? interfaceType(path.interface.type) : "no interface";
  hops.push(hop("interface", path.interface?.name ?? "none", type, isOut ? "good" : "broken"));
  hops.push(hop("gateway", path.gateway ?? (isOut ? "none" : "–"), path.gateway ? "gateway" : isOut ? "on-link" : "no route", isOut ? "good" : "beyond"));
  const resolvers = network.resolvers ?? [];
  const dns = path.supports_dns === true ? "good" : isOut ? "broken" : "beyond";
  hops.push(hop("DNS", resolvers[0] ?? "none", resolvers.length > 1 ? resolvers.slice(1).join(", ") : path.supports_dns ? "name server" : "no route", dns));
  const counts = tally();
  const troubled = [...TROUBLE].reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  const total = store.targets.size;
  hops.push(hop("targets", `${counts.up ?? 0} of ${total}`, troubled > 0 ? `up, ${troubled} need attention` : "up", troubled > 0 ? "wary" : isOut ? "good" : "beyond"));
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

/// Whether the data shown may be out of date.
export const isGone = () => store.link === "lost" || store.link === "stale";

/// The title of the tab.
export function title() {
  const counts = tally();
  const down = counts.down ?? 0;
  if (isGone()) return `${store.link} · reachd`;
  if (!isFleet() && store.network && store.network.reachable === false) return "offline · reachd";
  return down > 0 ? `${count(down, "target")} down · reachd` : "reachd";
}
