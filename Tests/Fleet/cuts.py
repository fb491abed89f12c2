# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""The uplinks of locations are cut: their targets must not become down."""
import random
import statistics
import time

from database import Database
from links import Drop, Location, LossyDatabase, accept_everywhere
from load import LoadedFleet
from nodes import LEASE, Fleet, wait
from targets import sink


class SpreadFleet:
    """Three locations in namespaces of their own, one node each, that watch the same targets by their uplinks."""

    def __init__(self, binary, folder, count, interval, has_second_link, more=""):
        """- has_second_link: whether the locations have a link to the database besides the uplink.
        - more: more of each node's configuration.
        """
        self.count, self.interval = count, interval
        accept_everywhere("10.8.0.0/16")
        self.sink = sink()
        self.locations = [Location(name, number) for number, name in enumerate(("berlin", "paris", "tokyo"), 1)]
        self.fleet = Fleet(binary, folder, Database(f"{folder}/database", addresses="*"))
        self.database = self.fleet.database
        for number, location in enumerate(self.locations):
            host = location.second if has_second_link else location.uplink
            self.fleet.add(location.name, 18001 + number, host, prefix=location.prefix, address=location.address, more=more)
        # Long enough for a fifth of the targets to be down before the first of them would be degraded.
        self.fleet.settle = 5
        # A repaired link loses packets until the kernel knows the gateway's address: it queues about a hundred. So a probe lasts
        # longer than TCP takes to repeat its first packet, a second.
        self.fleet.apply([f"{{ id: t{i}, address: {self.address(i)}, port: 18090, watch: {{ watchers: {self.watchers(i)} }}, "
                          f"probe: {{ type: tcp, interval: {interval}s, timeout: 3s, fall: 2, rise: 1 }} }}" for i in range(count)])
        self.fleet.await_all_up(count, 60 + 3 * interval)
        # A node is a witness of the others' death only after a lease.
        time.sleep(LEASE)

    @staticmethod
    def address(number):
        return f"10.8.{number // 250}.{1 + number % 250}"

    @staticmethod
    def watchers(number):
        return 3

    def votes(self, condition):
        return int(self.database.value(f"SELECT count(*) FROM reachd.votes WHERE {condition}"))

    def await_all_up(self):
        """All votes and verdicts are up, and all leases valid."""
        votes = sum(self.watchers(number) for number in range(self.count))
        wait(lambda: self.votes("state = 'up'") == votes and
             self.database.value("SELECT count(*) FROM reachd.verdicts WHERE state = 'up'") == str(self.count) and
             self.database.value("SELECT count(*) FROM reachd.nodes WHERE until < extract(epoch FROM clock_timestamp()) * 1e6") == "0",
             60 + 3 * self.interval, 0.2, "all votes are up again")

    def standing(self, observer, target="t0"):
        """How the votes on a target count, by location, as a location's node says; nothing while it cannot read the database."""
        body = self.node(observer).get(f"/targets/{target}")
        return {vote["location"]: (vote["counts_as"], vote.get("void_reason")) for vote in body.get("votes", [])}

    def node(self, location):
        return self.fleet.nodes[self.locations.index(location)]

    def downs(self):
        return int(self.database.value("SELECT count(*) FROM reachd.log WHERE type = 'state' AND to_state = 'down'"))

    def close(self):
        self.sink.kill()
        self.fleet.close()


def trial(binary, folder, rounds, count, interval, has_second_link, seed):
    """Cuts the uplinks of one, two or all locations."""
    chance = random.Random(seed)
    spread = SpreadFleet(binary, folder, count, interval, has_second_link)
    try:
        faults, delays, amounts = [], [], []
        for number in range(rounds):
            cut = chance.sample(spread.locations, chance.choice([1, 1, 1, 2, 2, 3]) if number else 1)
            intact = [location for location in spread.locations if location not in cut]
            amounts.append(len(cut))
            names = [location.name for location in cut]
            begin = time.monotonic()
            for location in cut:
                location.cut()
            if has_second_link:
                condition = f"location = ANY('{{{','.join(names)}}}') AND state = 'unreachable' AND cause = 'local_network'"
                wait(lambda: spread.votes(condition) == count * len(cut), 20, 0.01, f"the votes of {names} are void")
                delays.append(time.monotonic() - begin)
            elif intact:

                def are_void():
                    standing = spread.standing(intact[0])
                    # Without a node left, a location is not assigned and has no vote.
                    return all(standing.get(name, ("void",))[0] == "void" for name in names)

                wait(are_void, 20, 0.05, f"the votes of {names} are void")
                delays.append(time.monotonic() - begin)
            time.sleep(chance.uniform(0, 2 * LEASE))
            for location in cut:
                location.repair()
            spread.await_all_up()
            time.sleep(chance.uniform(0, 1))
        against = spread.database.value("SELECT count(*) FROM reachd.log WHERE type = 'vote' AND data LIKE '%\"to\":\"down\"%'")
        if downs := spread.downs():
            faults.append(f"{downs} verdicts were down")
        late = [delay for delay in delays if delay > LEASE + 0.5]
        if late:
            faults.append(f"{len(late)} of {len(delays)} times the votes were void only after more than a lease, at most {max(late):.2f} s")
        faults += spread.fleet.crashed()
        link = "with" if has_second_link else "without"
        return faults, (f"{rounds} rounds of cut uplinks {link} a second link to the database, {count} targets; one, two and three locations "
                        f"{amounts.count(1)}, {amounts.count(2)} and {amounts.count(3)} times: no verdict down, {against} votes down, votes void "
                        f"after {statistics.median(delays):.2f} s (median), {max(delays):.2f} s (longest)")
    finally:
        spread.close()


def carrier(binary, folder, rounds, count, interval, seed):
    """A router behind a location's gateway drops the packets to all targets, then to a few: the location is isolated, or right."""
    chance = random.Random(seed)
    spread = SpreadFleet(binary, folder, count, interval, has_second_link=True)
    try:
        faults, delays = [], []
        states = "SELECT count(*) FROM reachd.log WHERE type = 'state' AND to_state = 'degraded'"
        for _ in range(rounds):
            location = chance.choice(spread.locations)
            observer = chance.choice(spread.locations)
            degraded = int(spread.database.value(states))
            drop = Drop(location.interface, "10.8.0.0/16")
            lost = f"location = '{location.name}' AND state IN ('down', 'unreachable')"
            wait(lambda: spread.votes(lost) == count, 60 + 3 * interval, 0.2, f"{location.name} reaches no target")
            # Longer than `settle`.
            time.sleep(spread.fleet.settle + 1)
            standing = spread.standing(observer)[location.name]
            if standing != ("void", "isolated"):
                faults.append(f"{location.name} reaches no target, and its vote counts as {standing}")
            drop.repair()
            spread.await_all_up()
            if more := int(spread.database.value(states)) - degraded:
                delays.append(more)
            # Too few for an isolation.
            drop = Drop(location.interface, f"{spread.address(0)}-{spread.address(2)}")
            query = ("SELECT count(*) FROM reachd.verdicts WHERE state = 'degraded' AND cause = 'path' AND reason = 'partly_down' "
                     "AND target IN ('t0', 't1', 't2')")
            wait(lambda: spread.database.value(query) == "3", 60 + 3 * interval, 0.2, f"three targets are down from {location.name} only")
            drop.repair()
            spread.await_all_up()
        if downs := spread.downs():
            faults.append(f"{downs} verdicts were down")
        if delays:
            faults.append(f"{sum(delays)} verdicts degraded by an isolated location in {len(delays)} of {rounds} rounds")
        faults += spread.fleet.crashed()
        return faults, (f"{rounds} times one location lost {count} targets and the others reached them: isolated, no verdict changed; and "
                        "three targets: degraded by its path")
    finally:
        spread.close()


def loss(binary, folder, percent, seconds, seed):
    """A part of all packets to and from the database is lost, while targets flip."""
    load = LoadedFleet(binary, folder, seed, hosts=["127.0.0.1"] * 3)
    try:
        # No progress is promised meanwhile: TCP's repetitions can take longer than a statement may.
        load.outage = max(30, seconds)
        lossy = LossyDatabase(percent)
        time.sleep(seconds)
        lossy.repair()
        faults, counts = load.finish()
        return faults, f"{percent} % of the packets to and from the database lost for {seconds} s: {load.summary(counts)}"
    finally:
        load.close()
