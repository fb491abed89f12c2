# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Locations lose the packets to all targets at a router behind their gateways, while their anchors answer."""
import collections
import json
import random
import time

from cuts import SpreadFleet
from hooks import Hook
from links import Drop, accept_everywhere
from nodes import wait
from notifications import PORT, RECEIVER

#: An anchor of each node, which it reaches by its uplink all the time.
ANCHOR = ("targets: [ { id: anchor, address: 10.9.0.1, port: 18090, probe: { type: tcp, interval: 1s } } ]\n"
          "probing: { anchors: [ anchor ] }\n")


class WatchedFleet(SpreadFleet):
    """Its targets are in networks of their own; some are watched by one location. A receiver learns of incidents."""

    def __init__(self, binary, folder, count, singles, interval, seed):
        self.hook, self.singles = Hook(PORT, seed, address="0.0.0.0"), singles
        accept_everywhere("10.9.0.0/16")
        super().__init__(binary, folder, count, interval, has_second_link=True, more=RECEIVER.replace("127.0.0.1", "10.9.0.2") + ANCHOR)

    def watchers(self, number):
        return 1 if number >= self.count - self.singles else 3

    @staticmethod
    def address(number):
        return f"10.8.{number}.1"

    def changes(self, since):
        """The states that each target took after an event."""
        turns = collections.defaultdict(list)
        for target, state in self.database.query(
                f"SELECT target, to_state FROM reachd.log WHERE type = 'state' AND seq > {since} ORDER BY seq"):
            turns[target].append(state)
        return turns

    @property
    def sequence(self):
        return int(self.database.value("SELECT seq FROM reachd.log_head"))

    def phases(self, since):
        """How many messages of each phase were sent after the first so many."""
        return collections.Counter(json.loads(body)["incident"]["phase"] for _, body in self.hook.messages()[since:])

    def titles(self):
        return [body["title"] for body in self.node(self.locations[2]).get("/incidents?state=open&limit=100")["incidents"]]

    def close(self):
        self.hook.close()
        super().close()


def trial(binary, folder, rounds, count, interval, seed):
    """Two locations lose all targets together: one incident or two, each target down once. One location alone: no target is down."""
    chance = random.Random(seed)
    fleet = WatchedFleet(binary, folder, count, count // 4, interval, seed)
    try:
        faults, incidents, messages = [], [], []
        for number in range(2 * rounds):
            cut = chance.sample(fleet.locations, 2 - number % 2)
            names = ",".join(sorted(location.name for location in cut))
            base, sent = fleet.sequence, len(fleet.hook.messages())
            drop = Drop(f"{{ {', '.join(location.interface for location in cut)} }}", "10.8.0.0/16")
            wait(lambda: fleet.votes(f"location = ANY('{{{names}}}') AND state = 'up'") == 0, 60 + 3 * interval, 0.2,
                 f"{names} reach no target")
            # Longer than verdicts wait.
            time.sleep(2 * fleet.fleet.settle + 1)
            turns, opened = fleet.changes(base), fleet.titles()
            wanted = ["down"] if len(cut) == 2 else ["unreachable"]
            wrong = {target: states for target, states in turns.items() if states != wanted}
            if wrong:
                faults.append(f"{len(wrong)} of {len(turns)} targets that {names} lost took other states: {list(wrong.items())[:3]}")
            drop.repair()
            fleet.await_all_up()
            wait(lambda: not fleet.titles(), 20, 0.2, "all incidents are closed")
            time.sleep(1)
            phases = fleet.phases(sent)
            if len(opened) > len(cut) or phases["opened"] > len(cut) or phases["closed"] != phases["opened"]:
                faults.append(f"{names} lost targets: {len(opened)} incidents, {dict(phases)} messages: {opened[:3]}")
            incidents.append(len(opened))
            messages.append(sum(phases.values()))
        faults += fleet.fleet.crashed()
        return faults, (f"{rounds} times two locations lost {count} targets together, and one alone, {count // 4} of which only one watches: "
                        f"each was down once, or unreachable; incidents {incidents}, messages {messages}")
    finally:
        fleet.close()
