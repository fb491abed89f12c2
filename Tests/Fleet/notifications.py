# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Receivers of notifications: their nodes are killed, and the database is away."""
import random
import threading
import time

from database import Database
from hooks import Hook
from nodes import LEASE, Fleet, wait
from targets import TargetServer

PORT = 18300
#: No message is held back, so that each change of a state is one.
RECEIVER = (f"notify: [ {{ name: ops, group_wait: 0s, max_per_target: 100, rate_window: 1s, max_backoff: 1s, "
            f"webhook: {{ url: 'http://127.0.0.1:{PORT}/' }} }} ]\n")
#: How many messages another node may repeat after a loss.
REPEATED = 4


class NotifiedFleet:
    def __init__(self, binary, folder, seed, targets, locations):
        self.random = random.Random(seed)
        self.hook, self.server = Hook(PORT, seed), TargetServer()
        self.fleet = Fleet(binary, folder, Database(f"{folder}/database"))
        self.names = [f"t{number}" for number in range(targets)]
        for number, name in enumerate(self.names):
            self.server.add(name, 20000 + number)
        for number, location in enumerate(locations):
            self.fleet.add(location, 18001 + number, more=RECEIVER)
        wait(lambda: self.owner, 30, 0.1, "a node serves the receiver")
        self.fleet.apply([f"{{ id: {name}, address: 127.0.0.1, port: {20000 + number}, watch: {{ watchers: {len(set(locations))} }}, "
                          "probe: { type: tcp, interval: 1s, timeout: 900ms, fall: 1, rise: 1 } }" for number, name in enumerate(self.names)])
        self.fleet.await_all_up(targets)

    @property
    def owner(self):
        rows = self.fleet.database.query("SELECT node FROM reachd.receivers WHERE node IS NOT NULL")
        return next((node for node in self.fleet.nodes if rows and node.name == rows[0][0]), None)

    def expected(self):
        """The ids of all changes that a receiver is notified of, by target, in the order of the log."""
        rows = self.fleet.database.query(
            "SELECT target, to_state, (SELECT epoch FROM reachd.log_head) || '-' || seq FROM reachd.log "
            "WHERE to_state IN ('up', 'down') ORDER BY seq")
        states, ids = {}, {name: [] for name in self.names}
        for target, state, id in rows:
            if state != states.setdefault(target, "up"):
                ids[target].append(id)
                states[target] = state
        return ids

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
        expected, messages = notified.expected(), notified.hook.messages()
        order = {id: (target, place) for target, ids in expected.items() for place, id in enumerate(ids)}
        bodies, last = {}, {}
        repeated = 0
        for id, body in messages:
            if id not in order:
                faults.append(f"a message has the id {id}, which no change has: {body[:200]}")
                continue
            if id in bodies:
                repeated += 1
                if bodies[id] != body:
                    faults.append(f"{id} was repeated with another body")
                continue
            bodies[id] = body
            target, place = order[id]
            if place != last.get(target, -1) + 1:
                faults.append(f"{target}: message {place} after {last.get(target, -1)}")
            last[target] = place
        faults += [f"{id} was never sent" for id in order if id not in bodies]
        if repeated > REPEATED * kills:
            faults.append(f"{repeated} messages were repeated after {kills} kills")
        faults += notified.fleet.crashed()
        return faults, (f"{kills} kills of the node that serves the receiver, {moves} moves to another one: {len(order)} changes, each sent "
                        f"with its id, in the order of its target; {repeated} repeated; messages again after {max(gaps):.1f} s at most")
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
        wait(lambda: all(("resolved", "berlin") in statuses(name) for name in ("t0", "t1")), 30, what="berlin notifies of recoveries")
        notified.fleet.database.start()
        wait(lambda: notified.fleet.states() == {"t0": "up", "t1": "up", "t2": "down"}, 40, what="the fleet has the states")
        # What berlin left open is the fleet's.
        wait(lambda: notified.fleet.database.value("SELECT count(*) FROM reachd.log WHERE data::json ->> 'from' = 'cut_off'") != "0", 60, 0.2,
             "the node hands over its problems")
        set_up("t2", True)
        wait(lambda: statuses("t2")[-1] == ("resolved", None), 30, what="the fleet notifies of the last recovery")
        notified.await_all_sent()
        for name in notified.names:
            if statuses(name)[-1][0] != "resolved":
                faults.append(f"{name}: {statuses(name)}")
            if any(view == "paris" for _, view in statuses(name)):
                faults.append(f"{name}: both locations notified: {statuses(name)}")
        faults += notified.fleet.crashed()
        return faults, f"one location notified while the database was away, the fleet afterwards: {[statuses(name) for name in notified.names]}"
    finally:
        notified.close()
