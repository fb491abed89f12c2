# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""A fleet of three nodes in two locations, with targets that flip, and clients that read its events."""
import random
import threading
import time

import audit
from clients import StreamClient
from database import Database
from nodes import LEASE, Fleet, wait
from targets import TargetServer

#: Longer than any takeover with a lease of 3 s, and the probe after it.
PATIENCE = 30


class LoadedFleet:
    """Two nodes in berlin, one in paris. Targets `f…` flip at random; each `h…` turns when the log has its previous turn."""

    def __init__(self, binary, folder, seed, flipping=40, held=20, database=None, hosts=(None, None, None), options=None,
                 lease=LEASE, settle=1, patience=1, accepts_reset=False):
        """- hosts: where each node finds the database; default: as the database has it.
        - options: more about each node.
        - settle: how long locations may disagree, in seconds.
        - patience: of the clients.
        - accepts_reset: whether the log may begin another epoch.
        """
        self.random = random.Random(seed)
        self.server = TargetServer()
        database = database or Database(f"{folder}/database", addresses="*" if any(hosts) else "")
        self.fleet = Fleet(binary, folder, database, lease)
        self.fleet.settle = settle
        self.names, self.lines = [], []
        for number in range(flipping + held):
            name = f"{'f' if number < flipping else 'h'}{number}"
            # Every second one is watched from both locations; the others from one that has two nodes.
            watch = "{ watchers: 2 }" if number % 2 else "{ watchers: 1, locations: [berlin] }"
            self.server.add(name, 20000 + number)
            self.lines.append(f"{{ id: {name}, address: 127.0.0.1, port: {20000 + number}, watch: {watch}, "
                         "probe: { type: tcp, interval: 1s, timeout: 900ms, fall: 1, rise: 1 } }")
            self.names.append(name)
        for number, location in enumerate(("berlin", "berlin", "paris")):
            self.fleet.add(location, 18001 + number, hosts[number], **(options[number] if options else {}))
        # Otherwise the first ones get everything, and balancing moves assignments during the trial.
        wait(lambda: self.fleet.database.value("SELECT count(*) FROM reachd.nodes") == "3", 60, 0.1, "all nodes have joined")
        self.fleet.apply(self.lines)
        self.fleet.await_all_up(len(self.names))
        self.database = self.fleet.database
        self.base = int(self.fleet.newest.rsplit("-", 1)[1])
        self.epoch = self.fleet.newest.rsplit("-", 1)[0]
        self.clients = [StreamClient(name, self.fleet.nodes, self.fleet.newest, seed + place, accepts_reset, patience)
                        for place, name in enumerate("ABC")]
        self.faults, self.turns, self.delays = [], {}, []
        self.is_ended = False
        self.threads = [threading.Thread(target=self.flip, daemon=True)]
        self.threads += [threading.Thread(target=self.hold, args=(name,), daemon=True) for name in self.names if name[0] == "h"]
        for thread in self.threads:
            thread.start()

    def flip(self):
        names = [name for name in self.names if name[0] == "f"]
        while not self.is_ended:
            name = self.random.choice(names)
            self.server.set(name, not self.server.is_up(name))
            time.sleep(0.05)

    def hold(self, name):
        """Turns a target when the client A has received its last turn: each turn must have exactly one event."""
        self.turns[name] = 0
        newest = self.base
        while not self.is_ended:
            is_up = not self.server.is_up(name)
            self.server.set(name, is_up)
            self.turns[name] += 1
            begin = time.monotonic()
            newest = self.find(name, "up" if is_up else "down", newest)
            if newest is None:
                return
            self.delays.append(time.monotonic() - begin)

    def find(self, name, state, newest):
        client, marks = self.clients[0], (b'"target":"' + name.encode() + b'"', b'"to":"' + state.encode() + b'"')
        warned = time.monotonic() + PATIENCE
        while True:
            with client.seen:
                while newest + 1 in client.events:
                    newest += 1
                    event = client.events[newest]
                    if marks[0] in event and b"event: state" in event and marks[1] in event:
                        return newest
                client.seen.wait(0.5)
            if time.monotonic() > warned + self.outage:
                self.faults.append(f"{name} is {state} for {PATIENCE} s, and no event says so")
                return None

    #: Seconds without a database, in which no event is expected.
    outage = 0

    def finish(self):
        """Ends the load, waits until everything has arrived, and returns the faults and the counts."""
        self.is_ended = True
        for thread in self.threads:
            thread.join(PATIENCE + self.outage + 5)

        seq = self.settle()
        found, counts, events = audit.faults(self.database, self.base)
        self.faults = audit.compare(self.clients, self.base, seq) + found + self.fleet.crashed() + self.faults
        self.faults += self.wrong_turns(events)
        if self.fleet.newest.rsplit("-", 1)[0] != self.epoch:
            self.faults.append("the epoch changed")
        counts["connections"] = sum(client.connections for client in self.clients)
        counts["turns"] = sum(self.turns.values())
        return self.faults, counts

    def settle(self):
        """Waits until all states are right and the clients have all events; returns the number of the newest one."""

        def wrong():
            states = self.fleet.states()
            return [f"{name} is {'up' if self.server.is_up(name) else 'down'}, the fleet says {states.get(name)}" for name in self.names
                    if states.get(name) != ("up" if self.server.is_up(name) else "down")]

        end = time.monotonic() + PATIENCE
        while (faults := wrong()) and time.monotonic() < end:
            time.sleep(0.3)
        # Nothing may follow.
        time.sleep(2)
        self.faults += faults
        newest = self.fleet.newest
        try:
            wait(lambda: all(client.has(newest) for client in self.clients), 15, what="all clients have all events")
        except AssertionError:
            pass
        for client in self.clients:
            client.end()
        return int(newest.rsplit("-", 1)[1])

    def wrong_turns(self, events):
        """A target that was held has an event for each turn, and no other but `unreachable` and back without enough votes."""
        found = []
        for name, count in self.turns.items():
            states = [row[4] for row in events if row[1] == "state" and row[2] == name]
            definite = [state for state in states if state in ("up", "down")]
            turns = [state for place, state in enumerate(definite) if state != (["up"] + definite)[place]]
            if len(turns) != count:
                found.append(f"{name}: {count} turns, {len(turns)} in the log: {' '.join(states)}")
            if strange := [state for state in states if state not in ("up", "down", "unreachable", "degraded")]:
                found.append(f"{name} became {strange[0]}")
        return found

    def summary(self, counts):
        longest = max(self.delays, default=0)
        return (f"{counts['events']} events and {counts['votes']} votes without a gap, loss or repetition; {counts['turns']} turns of held "
                f"targets, each one event, the latest after {longest:.1f} s; three clients with {counts['connections']} connections "
                "received equal bytes")

    def close(self):
        self.is_ended = True
        for client in self.clients:
            client.is_ended = True
        self.fleet.close()
