# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""The database moves to another server, or back to an earlier state."""
import time

import audit
from cluster import TTL, Cluster, obstacle
from load import LoadedFleet
from nodes import LEASE, wait


def failover(binary, folder, rounds, seed):
    """The primary of three servers dies under load, and its synchronous standby is promoted."""
    if reason := obstacle():
        return None, reason
    cluster = Cluster(f"{folder}/cluster")
    load = None
    try:
        load = LoadedFleet(binary, folder, seed, database=cluster)
        load.outage = 3 * TTL
        before, pauses = load.fleet.owners(), []
        for number in range(rounds):
            wait(lambda: cluster.value("SELECT durable FROM reachd.log_head") == "t", 20, 0.2, "commits are durable")
            time.sleep(load.random.uniform(2, 4))
            primary = cluster.primary
            known = load.clients[0].number
            cluster.kill(primary)
            begin = time.monotonic()
            wait(lambda: load.clients[0].number > known + 20, 90, 0.1, "events follow the promotion")
            pauses.append(time.monotonic() - begin)
            if number < rounds - 1:
                cluster.rejoin(primary)
        time.sleep(2)
        timeline = cluster.value("SELECT timeline FROM reachd.log_head")
        moved = load.fleet.moved(before)
        faults, counts = load.finish()
        if moved:
            events = cluster.query(f"SELECT seq, at, data FROM reachd.log WHERE type = 'node' AND seq > {load.base} ORDER BY seq")
            faults += [f"{fault}: {events}" for fault in moved]
        if int(timeline, 16) != rounds + 1:
            faults.append(f"the log is on timeline {timeline} after {rounds} promotions")
        return faults, (f"primary killed {rounds} times, its synchronous standby promoted: the same epoch, no assignment moved, events "
                        f"after at most {max(pauses):.0f} s; {load.summary(counts)}")
    finally:
        if load:
            load.close()
        else:
            cluster.stop()


def restored(binary, folder, rounds, seed):
    """The database is restored from a backup, after which targets changed and assignments moved."""
    load = LoadedFleet(binary, folder, seed, held=0, accepts_reset=True)
    try:
        load.outage = 60
        epochs, lost, delays = {load.epoch}, 0, []
        for number in range(rounds):
            load.database.back_up()
            kept = int(load.fleet.newest.rsplit("-", 1)[1])
            node = load.fleet.nodes[number % 2]
            tokens = load.database.value("SELECT max(token) FROM reachd.assignments")
            node.kill()
            wait(lambda: load.database.value("SELECT max(token) FROM reachd.assignments") != tokens, 20, 0.2, "assignments moved")
            time.sleep(load.random.uniform(2, 3) + 1.5 * LEASE * load.random.choice([0, 1]))
            # Without it, the restored assignments have an owner that is gone.
            if number % 2 == 0:
                node.start()
                time.sleep(LEASE)
            newest = load.fleet.newest
            lost += int(newest.rsplit("-", 1)[1]) - kept
            wait(lambda: all(client.has(newest) for client in load.clients), 20, 0.1, "the clients have what will be lost")
            load.database.kill()
            load.database.restore()
            begin = time.monotonic()
            wait(lambda: load.fleet.newest.rsplit("-", 1)[0] not in epochs, 30, 0.1, "the log has a new epoch")
            epochs.add(load.fleet.newest.rsplit("-", 1)[0])
            epoch = load.fleet.newest.rsplit("-", 1)[0]
            wait(lambda: all(client.newest.startswith(epoch) for client in load.clients), 30, 0.1, "the clients begin again")
            delays.append(time.monotonic() - begin)
            if node.process.poll() is not None:
                node.start()
            time.sleep(load.random.uniform(3, 5))
        load.is_ended = True
        seq = load.settle()
        faults = load.faults + load.fleet.crashed() + [fault for client in load.clients for fault in client.faults]
        found, counts, _ = audit.faults(load.database, 0)
        faults += found
        expected = set(range(max(int(client.base.rsplit("-", 1)[1]) for client in load.clients) + 1, seq + 1))
        for client in load.clients:
            if missing := expected - set(client.events):
                faults.append(f"client {client.name} lacks {len(missing)} events of the last epoch, such as {min(missing)}")
            # `future`: it resumed before the loss was known.
            if client.resets.count("foreign_epoch") != rounds or not {"foreign_epoch", "future"}.issuperset(client.resets):
                faults.append(f"client {client.name}: resets {client.resets}")
        for event in expected:
            if len({client.events.get(event) for client in load.clients}) > 1:
                faults.append(f"event {event} differs: {[client.events.get(event) for client in load.clients]}")
                break
        if load.fleet.newest.rsplit("-", 1)[0] != epoch:
            faults.append("the epoch changed once more")
        return faults, (f"{rounds} backups restored, {lost} events lost: a new epoch each time, known to all clients after at most "
                        f"{max(delays):.1f} s with one reset `foreign_epoch`; all {len(load.names)} states are right again, {len(expected)} events of the "
                        f"last epoch equal at three clients, {counts['votes']} votes without one of a node that had lost its targets")
    finally:
        load.close()
