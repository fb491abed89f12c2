# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Nodes are killed and frozen at random moments, the coordinator among them."""
import signal
import time

from database import Database
from load import LoadedFleet
from nodes import LEASE, Fleet, wait
from targets import sink


def victim(load):
    """The coordinator each third time."""
    if load.random.random() < 1 / 3 and (node := load.fleet.coordinator):
        return node, True
    node = load.random.choice(load.fleet.nodes)
    return node, node is load.fleet.coordinator


def trial(binary, folder, kills, freezes, seed):
    load = LoadedFleet(binary, folder, seed)
    try:
        coordinators = 0
        actions = ["kill"] * kills + ["freeze"] * freezes
        load.random.shuffle(actions)
        for action in actions:
            node, is_coordinator = victim(load)
            coordinators += is_coordinator
            if action == "kill":
                node.kill()
                # At once, or when another node has its targets.
                time.sleep(load.random.choice([0, load.random.uniform(0, 1.5 * LEASE)]))
                node.start()
            else:
                node.signal(signal.SIGSTOP)
                time.sleep(load.random.uniform(1.1, 2) * LEASE)
                node.signal(signal.SIGCONT)
            time.sleep(load.random.uniform(0.2, 1.5))
        terms = load.database.value("SELECT token FROM reachd.log_head")
        faults, counts = load.finish()
        return faults, (f"{kills} nodes killed and {freezes} frozen beyond their lease, {coordinators} of them the coordinator, "
                        f"{terms} coordinators in all: {load.summary(counts)}")
    finally:
        load.close()


def alone(binary, folder, kills, count, seed):
    """The coordinator is killed, which is the only node of its location, and starts again before its votes are too old to count."""
    server = sink()
    fleet = Fleet(binary, folder, Database(f"{folder}/database"))
    try:
        for number, location in enumerate(("berlin", "paris", "tokyo")):
            fleet.add(location, 18001 + number)
        fleet.apply([f"{{ id: t{i}, address: 127.0.1.{1 + i}, port: 18090, watch: {{ watchers: {1 + i % 2} }}, "
                     "probe: { type: tcp, interval: 2s, fall: 2, rise: 1 } }" for i in range(count)])
        fleet.await_all_up(count)
        # A node is a witness of the others' death only after a lease.
        time.sleep(LEASE)
        base = fleet.database.value("SELECT seq FROM reachd.log_head")
        for _ in range(kills):
            node = wait(lambda: fleet.coordinator, 20, what="a coordinator")
            node.kill()
            wait(lambda: fleet.coordinator is not node, 20, what="another node coordinates")
            time.sleep(2 * LEASE)
            node.start()
            fleet.await_all_up(count)
            time.sleep(LEASE)
        changes = fleet.database.query("SELECT target, from_state, to_state, reason FROM reachd.log "
                                       f"WHERE type = 'state' AND seq > {base} ORDER BY seq")
        faults = [f"{len(changes)} events of states, for example {changes[:3]}"] if changes else []
        faults += fleet.crashed()
        return faults, (f"{kills} times the coordinator killed, the only node of its location, for more than two leases: no state of {count} "
                        "targets changed")
    finally:
        server.kill()
        fleet.close()
