# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Disks without room: that of the database's data, that of its write-ahead log, and that of a node's own event log."""
import os
import subprocess
import time

from database import Database
from load import LoadedFleet
from nodes import LEASE, wait


class SmallDisk:
    """A file system in memory."""

    def __init__(self, path, megabytes):
        self.path = path
        os.makedirs(path, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "tmpfs", path], check=True)

    def fill(self):
        """Uses all the room that is left."""
        with open(f"{self.path}/ballast", "wb") as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
                    file.flush()
            except OSError:
                pass

    def free(self):
        os.remove(f"{self.path}/ballast")


def await_faults(load, codes, seconds=60):
    """Waits until a node shows one of some reasons, and returns the reasons that were seen."""
    seen = set()

    def is_shown():
        seen.update(code for node in load.fleet.nodes if (code := node.fault))
        return seen & set(codes)

    wait(is_shown, seconds, 0.2, f"a node shows one of {codes}; seen: {seen}")
    return seen


def probing(load):
    """What is wrong with the nodes' own view while the database cannot be used."""
    found = []
    for node in load.fleet.nodes:
        status = node.get("/status?scope=node")
        if not status["summary"]["total"]:
            found.append(f"{node.name} has no targets")
    return found


def database(binary, folder, rounds, seconds, seed):
    """The database's data and then its write-ahead log have no room, while targets flip."""
    base = f"{folder}/database"
    os.mkdir(base)
    os.chmod(base, 0o755)
    data, log = SmallDisk(f"{base}/data", 192), SmallDisk(f"{base}/wal", 96)
    # Small segments, so that new ones are needed soon; and little of them is kept.
    server = Database(base, fsync="on", initdb=["--waldir", f"{base}/wal", "--wal-segsize", "1"],
                      settings={"max_wal_size": "8MB", "min_wal_size": "2MB", "wal_recycle": "off", "autovacuum_naptime": "1s"})
    load = LoadedFleet(binary, folder, seed, database=server)
    try:
        load.outage = 60 + 2 * seconds
        before, seen, ends = load.fleet.owners(), set(), 0
        for number in range(rounds):
            for disk in (data, log):
                time.sleep(load.random.uniform(1, 3))
                disk.fill()
                codes = {"disk_full"} if disk is data else {"connection_lost", "shutting_down", "unreachable"}
                seen |= await_faults(load, codes)
                time.sleep(seconds)
                load.faults += probing(load)
                disk.free()
                # PostgreSQL ends when it cannot write its log, and an administrator starts it.
                if load.database.process.poll() is not None:
                    ends += 1
                    load.database.start()
                wait(lambda: not any(node.fault for node in load.fleet.nodes), 30, 0.2, "all nodes use the database again")
                time.sleep(2 * LEASE)
                load.faults += load.fleet.moved(before, f"around a full disk of {'data' if disk is data else 'the log'}")
                before = load.fleet.owners()
        faults, counts = load.finish()
        return faults, (f"{rounds} times without room for the database's data and {rounds} times for its log, which ended it {ends} times: "
                        f"shown as {', '.join(sorted(seen))}; no assignment moved; {load.summary(counts)}")
    finally:
        load.close()
        for disk in (log, data):
            subprocess.run(["umount", "-l", disk.path], check=False)


def node(binary, folder, rounds, seconds, seed):
    """A node's own event log has no room, while targets flip."""
    disks = [SmallDisk(f"{folder}/node-{number}/disk", 8) for number in (1, 2, 3)]
    load = LoadedFleet(binary, folder, seed, options=[{"history": f"{disk.path}/history.db"} for disk in disks])
    try:
        load.outage = 20
        reasons = set()
        for _ in range(rounds):
            place = load.random.randrange(3)
            node, disk = load.fleet.nodes[place], disks[place]
            disk.fill()

            def log():
                log = node.get("/status?scope=node")["history"]
                if "reason" in log:
                    reasons.add(log["reason"]["code"])
                return log["state"]

            # The log goes on in the room that its file already has.
            wait(lambda: log() == "degraded", 120, 0.2, f"{node.name} shows that its events are not stored")
            time.sleep(seconds)
            disk.free()
            wait(lambda: log() == "ok", 90, 0.2, f"{node.name} stores its events again")
            time.sleep(load.random.uniform(0.5, 2))
        faults, counts = load.finish()
        return faults, (f"{rounds} times a node without room for its event log for {seconds} s, shown as {', '.join(reasons)}: "
                        f"{load.summary(counts)}")
    finally:
        load.close()
        for disk in disks:
            subprocess.run(["umount", "-l", disk.path], check=False)
