// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Starts the modules of the page, and draws its header and the announcements for screen readers.

import { guard, onAccess, startAccess } from "./access.js";
import { byID, note, setText } from "./dom.js";
import { startDetails } from "./details.js";
import { startEditor } from "./editor.js";
import { startFleet } from "./fleet.js";
import { startFresh } from "./fresh.js";
import { startIncidents } from "./incidents.js";
import { startKeys } from "./keys.js";
import { learnKinds } from "./kinds.js";
import { startList } from "./list.js";
import { startNetwork, title } from "./network.js";
import { startScope } from "./scope.js";
import { follow, isGone, store } from "./store.js";
import { again, run } from "./stream.js";
import { startTimelines } from "./timelines.js";
import { startUplinks } from "./uplinks.js";
import { startViews } from "./views.js";
import { count, moment, span } from "./words.js";

const LINK = { loading: "Loading", live: "Live", stale: "Stale", lost: "Lost" };

function drawLink() {
  document.body.dataset.link = store.link;
  setText(byID("link-word"), LINK[store.link]);
  const age = (Date.now() - store.newsAt) / 1000;
  const last = age < 20 && store.link === "live" ? moment(store.newsAt) : `${span(age)} ago`;
  const news = store.newsAt === 0 ? "" : `last data ${last}`;
  setText(byID("link-news"), news);
  const banner = byID("banner");
  banner.hidden = !isGone();
  if (isGone()) {
    const why = store.fault ?? (store.link === "stale" ? "reachd sends no data." : "The connection to reachd is lost.");
    const old = store.newsAt === 0 ? "" : ` The page shows old data, from ${moment(store.newsAt)}.`;
    setText(banner, `${why}${old}${store.isFinal ? "" : " Reconnecting…"}`);
  }
  if (document.title !== title()) document.title = title();
}

function drawAbout() {
  const { service } = store;
  setText(byID("host"), service?.host ?? "");
  setText(byID("about"), service ? `${service.name} ${service.version}, running since ${moment(service.started_at)}` : "");
  if (service) return;
  turns = [];
  happened = [];
  setText(byID("news"), "");
}

function drawActivity() {
  const { state, visible, count: number } = store.activity;
  byID("activity").dataset.state = state;
  byID("activity").dataset.visible = String(visible);
  // The service decides when the indicator is visible: it omits very short activity.
  setText(byID("activity-text"), visible ? `probing${number > 0 ? ` ${number}` : ""}` : "idle");
}

/// Announces a lost connection, and its return, to screen readers; not the first load.
function announceLink() {
  if (isGone() === wasGone || store.link === "loading") return;
  wasGone = isGone();
  setText(byID("news"), wasGone ? byID("banner").textContent : "Reconnected to reachd.");
}

let wasGone = false;

// MARK: Announcements

let turns = [];
let happened = [];
let timer = null;

/// Announces all changes of two seconds in a sentence or two, however many there are: incidents, else targets.
function announce(changes) {
  turns.push(...changes.turns);
  happened.push(...changes.happened.filter(({ action }) => action !== "updated" && action !== "edited"));
  if (turns.length + happened.length === 0 || timer !== null) return;
  timer = setTimeout(() => {
    timer = null;
    const incidents = new Map(happened.map(({ action, incident }) => [incident.id, `${action === "closed" ? "Closed" : "Incident"}: ${incident.title}.`]));
    happened = [];
    if (incidents.size > 0) {
      turns = [];
      return setText(byID("news"), incidents.size <= 2 ? [...incidents.values()].join(" ") : `${count(incidents.size, "incident")} opened or closed.`);
    }
    const last = new Map(turns.map((turn) => [turn.name, turn.to]));
    turns = [];
    if (last.size <= 3) return setText(byID("news"), [...last].map(([name, to]) => `${name} is ${to}.`).join(" "));
    const down = [...last.values()].filter((to) => to === "down").length;
    setText(byID("news"), `${count(last.size, "target")} changed state${down ? `, ${down} to down` : ""}.`);
  }, 2_000);
}

// MARK: Start

follow((changes) => {
  if (changes.activity) drawActivity();
  if (changes.link || changes.network || changes.list || changes.turns.length > 0) drawLink();
  if (changes.link) announceLink();
  if (changes.list) drawAbout();
  announce(changes);
});
setInterval(() => document.hidden || drawLink(), 5_000);
onAccess(() => guard(byID("add")));
onAccess(learnKinds);
byID("add").addEventListener("refused", (event) => note(event.detail));
startViews();
startScope(again);
startNetwork();
startIncidents();
startUplinks();
startFleet(again);
startList();
startTimelines();
startFresh();
startKeys();
startDetails();
startEditor();
startAccess(again);
run();
