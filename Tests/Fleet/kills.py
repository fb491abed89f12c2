# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Nodes are killed and frozen at random moments, the coordinator among them."""
import signal
import time

from load import LoadedFleet
from nodes import LEASE


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
