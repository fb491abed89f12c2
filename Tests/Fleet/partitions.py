# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Packets of nodes vanish, although their links are up: those to the database, those to the targets, or both."""
import random
import time

from cuts import SpreadFleet
from links import DIRECTIONS, DatabasePartition, Partition
from load import LoadedFleet
from nodes import LEASE, wait


def database(binary, folder, rounds, seed):
    """Nodes are cut off from the database, in one direction or in both, while targets flip and another node takes over."""
    addresses = [f"127.0.1.{number}" for number in (1, 2, 3)]
    load = LoadedFleet(binary, folder, seed, hosts=addresses)
    try:
        # Each is unheard of for up to three leases, and a location with one node has no vote meanwhile.
        load.outage = 20
        coordinators, silent = 0, 0
        for number in range(rounds):
            direction = DIRECTIONS[number % 3]
            place = load.random.randrange(3)
            if load.random.random() < 1 / 2 and (node := load.fleet.coordinator):
                place = load.fleet.nodes.index(node)
            node = load.fleet.nodes[place]
            coordinators += node is load.fleet.coordinator
            targets = node.get("/status?scope=node")["summary"]["total"]
            partition = DatabasePartition([addresses[place]], direction)
            time.sleep(load.random.uniform(1.2, 3) * LEASE)
            standing = node.get("/fleet")
            if standing["has_lease"] or standing["database"]["is_usable"]:
                load.faults.append(f"{node.name} is cut off ({direction}) and shows {standing['has_lease']}, {standing['database']}")
            # It probes what it had: it cannot know that another node owns that now.
            silent += node.get("/status?scope=node")["summary"]["total"] < targets
            partition.repair()
            wait(lambda: node.get("/fleet")["has_lease"], 20, what=f"{node.name} has a lease again")
            time.sleep(load.random.uniform(0.2, 1.5))
        if silent:
            load.faults.append(f"{silent} times a node without the database had fewer targets")
        faults, counts = load.finish()
        return faults, (f"{rounds} times a node cut off from the database, in one direction or in both, {coordinators} times the "
                        f"coordinator: {load.summary(counts)}")
    finally:
        load.close()


def targets(binary, folder, rounds, count, interval, seed):
    """A location is cut off from the targets, or from the targets and the database: no target may be down because of it."""
    chance = random.Random(seed)
    spread = SpreadFleet(binary, folder, count, interval, has_second_link=True)
    try:
        faults = []
        changes = "SELECT count(*) FROM reachd.log WHERE type = 'state'"
        before = spread.database.value(changes)
        kinds = [(direction, both) for both in (False, True) for direction in DIRECTIONS]
        for number in range(rounds):
            direction, is_alone = kinds[(number + seed) % len(kinds)]
            location = chance.choice(spread.locations)
            observer = chance.choice([other for other in spread.locations if other is not location])
            owners = spread.fleet.owners()
            partition = Partition([location.interface] + ([location.second_interface] if is_alone else []), direction)
            if is_alone:
                wait(lambda: spread.standing(observer).get(location.name, ("void",))[0] == "void", 20, 0.1,
                     f"the votes of {location.name} are void")
            else:
                wait(lambda: spread.votes(f"location = '{location.name}' AND state IN ('down', 'unreachable')") == count,
                     60 + 3 * interval, 0.2, f"{location.name} reaches no target")
            # Longer than `settle`.
            time.sleep(spread.fleet.settle + 1)
            standing = spread.standing(observer).get(location.name, ("void", None))
            if standing[0] != "void":
                faults.append(f"{location.name} is cut off ({direction}), and its vote counts as {standing}")
            if not is_alone:
                faults += spread.fleet.moved(owners, f"when {location.name} was cut off from the targets")
            partition.repair()
            spread.await_all_up()
        if downs := spread.downs():
            faults.append(f"{downs} verdicts were down")
        if (after := spread.database.value(changes)) != before:
            faults.append(f"{int(after) - int(before)} events of states")
        faults += spread.fleet.crashed()
        return faults, (f"{rounds} times a location whose packets to {count} targets vanish, to the database as well each second half, "
                        "in one direction or in both: its votes are void, and no state changed")
    finally:
        spread.close()
