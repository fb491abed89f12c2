# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Receivers of notifications: their nodes are killed, and the database is away."""
import json
import random
import threading
import time

from database import Database
from hooks import Hook
from nodes import LEASE, Fleet, wait
from targets import TargetServer

PORT = 18300
#: No message is held back.
RECEIVER = (f"notify: [ {{ name: ops, group_wait: 0s, max_per_target: 100, rate_window: 1s, max_backoff: 1s, "
            f"webhook: {{ url: 'http://127.0.0.1:{PORT}/' }} }} ]\n")
#: How many messages another node may repeat after a loss.
REPEATED = 4


def statement(id):
    """What a message's id identifies without the time of the change: a message that is sent again after a kill is about a newer
    failure of its targets if they were back meanwhile."""
    return id.rpartition(".")[0]


class NotifiedFleet:
    def __init__(self, binary, folder, seed, targets, locations):
        self.random = random.Random(seed)
        self.hook, self.server = Hook(PORT, seed), TargetServer("0.0.0.0")
        self.fleet = Fleet(binary, folder, Database(f"{folder}/database"))
        self.names = [f"t{number}" for number in range(targets)]
        for number, name in enumerate(self.names):
            self.server.add(name, 20000 + number)
        for number, location in enumerate(locations):
            self.fleet.add(location, 18001 + number, more=RECEIVER)
        wait(lambda: self.owner, 30, 0.1, "a node serves the receiver")
        self.fleet.apply([f"{{ id: {name}, address: 127.0.1.{number + 1}, port: {20000 + number}, watch: {{ watchers: {len(set(locations))} }}, "
                          "probe: { type: tcp, interval: 1s, timeout: 900ms, fall: 1, rise: 1 } }" for number, name in enumerate(self.names)])
        self.fleet.await_all_up(targets)

    @property
    def owner(self):
        rows = self.fleet.database.query("SELECT node FROM reachd.receivers WHERE node IS NOT NULL")
        return next((node for node in self.fleet.nodes if rows and node.name == rows[0][0]), None)

    def incidents(self):
        """The ids of all incidents. Each target has an address of its own, and so incidents of its own."""
        return {id for id, in self.fleet.database.query("SELECT id FROM reachd.incidents")}

    def await_all_sent(self, seconds=60):
        wait(lambda: self.fleet.database.value("SELECT coalesce(min(consumed) = (SELECT seq FROM reachd.log_head), false) "
                                               "FROM reachd.receivers") == "t", seconds, 0.2, "everything is sent and stored")

    def close(self):
        self.fleet.close()
        self.hook.close()


def killed(binary, folder, kills, seed):
    """The node that serves the receiver is killed again and again, while targets go down and come back."""
    notified = NotifiedFleet(binary, folder, seed, 8, ["berlin", "berlin", "berlin"])
    try:
        is_ended = threading.Event()

        def flip():
            while not is_ended.wait(notified.random.uniform(0.05, 0.4)):
                name = notified.random.choice(notified.names)
                notified.server.set(name, not notified.server.is_up(name))

        flipper = threading.Thread(target=flip, daemon=True)
        flipper.start()
        faults, moves, gaps = [], 0, []
        for _ in range(kills):
            time.sleep(notified.random.uniform(0.5, 2.5))
            node = wait(lambda: notified.owner, 30, 0.05, "a node serves the receiver")
            before = len(notified.hook.messages())
            node.kill()
            killed_at = time.monotonic()
            # At once, or when another node has the receiver.
            time.sleep(notified.random.choice([0, notified.random.uniform(1, 2) * LEASE]))
            node.start()
            wait(lambda: len(notified.hook.messages()) > before + 1, 40, 0.05, "the receiver gets messages again")
            gaps.append(time.monotonic() - killed_at)
            moves += notified.owner is not node
        is_ended.set()
        flipper.join()
        for name in notified.names:
            notified.server.set(name, True)
        wait(lambda: set(notified.fleet.states().values()) == {"up"}, 30, 0.2, "all targets are up")
        notified.await_all_sent()
        incidents, messages = notified.incidents(), notified.hook.messages()
        phases, seen, repeated = {}, set(), 0
        for id, body in messages:
            incident = json.loads(body)["incident"]
            phase, sent = incident["phase"], phases.setdefault(incident["key"], [])
            if statement(id) in seen:
                repeated += 1
                continue
            seen.add(statement(id))
            sent.append(phase)
        faults += [f"no incident has the id {key}" for key in phases if key not in incidents]
        faults += [f"{key} was never reported" for key in incidents if key not in phases]
        for key, sent in phases.items():
            if sent != ["opened", "closed"] * (len(sent) // 2):
                faults.append(f"{key}: {sent}")
        if repeated > REPEATED * kills:
            faults.append(f"{repeated} messages were repeated after {kills} kills")
        faults += notified.fleet.crashed()
        return faults, (f"{kills} kills of the node that serves the receiver, {moves} moves to another one: {len(incidents)} incidents, "
                        f"{len(seen)} messages, each incident opened and closed in turns; {repeated} repeated; messages again after "
                        f"{max(gaps):.1f} s at most")
    finally:
        notified.close()


def cut_off(binary, folder, seed):
    """The database is away for more than a minute, while targets go down and come back."""
    notified = NotifiedFleet(binary, folder, seed, 3, ["berlin", "paris"])
    statuses, set_up = notified.hook.statuses, notified.server.set
    try:
        set_up("t0", False)
        wait(lambda: statuses("t0") == [("firing", None)], 30, what="the fleet notifies")
        notified.await_all_sent()
        notified.fleet.database.stop()
        time.sleep(2)
        set_up("t1", False)
        set_up("t2", False)
        # A lease and a minute.
        time.sleep(LEASE + 50)
        faults = [] if len(notified.hook.messages()) == 1 else ["messages were sent before a minute was over"]
        seen = ("firing", "berlin")
        wait(lambda: seen in statuses("t1") and seen in statuses("t2"), 40, what="berlin notifies of what it sees")
        set_up("t1", True)
        set_up("t0", True)
        wait(lambda: ("resolved", "berlin") in statuses("t1"), 30, what="berlin notifies of the recovery of what it reported")
        notified.fleet.database.start()
        wait(lambda: notified.fleet.states() == {"t0": "up", "t1": "up", "t2": "down"}, 40, what="the fleet has the states")
        # The fleet has the same outage, and another incident.
        wait(lambda: ("firing", None) in statuses("t2"), 30, what="the fleet notifies of what is still down")
        set_up("t2", True)
        wait(lambda: {("resolved", None), ("resolved", "berlin")} <= set(statuses("t2")), 60,
             what="the fleet and berlin notify of the last recovery")
        wait(lambda: statuses("t0")[-1] == ("resolved", None), 30, what="the fleet ends what it reported before the outage")
        notified.await_all_sent()
        for name in notified.names:
            open = {}
            for status, view in statuses(name):
                open[view] = open.get(view, 0) + (1 if status == "firing" else -1)
            if any(open.values()):
                faults.append(f"{name}: {statuses(name)}")
            if any(view == "paris" for _, view in statuses(name)):
                faults.append(f"{name}: both locations notified: {statuses(name)}")
        faults += notified.fleet.crashed()
        return faults, f"one location notified while the database was away, the fleet afterwards: {[statuses(name) for name in notified.names]}"
    finally:
        notified.close()
