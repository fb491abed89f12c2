# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Clocks of nodes and of the database are set, and machines are suspended."""
import os
import signal
import struct
import subprocess
import time

from database import Database
from load import LoadedFleet
from nodes import LEASE, wait

HOUR = 3600


class Clocks:
    """The clocks of one process: the wall clock, and the one that counts suspension. The kernel has them only for the machine."""

    def __init__(self, folder, name):
        library, self.path = f"{folder}/clock.so", f"{folder}/{name}.offsets"
        if not os.path.exists(library):
            source = os.path.join(os.path.dirname(__file__), "clock.c")
            subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
        self.wall, self.boot = 0, 0
        with open(self.path, "wb") as file:
            file.write(bytes(16))
        self.environment = {"LD_PRELOAD": library, "CLOCK_OFFSETS": self.path}

    @property
    def prefix(self):
        return ["env", *(f"{name}={value}" for name, value in self.environment.items())]

    def advance(self, wall=0, boot=0):
        """Sets them ahead by seconds, or back."""
        self.wall += wall
        self.boot += boot
        # In place: the processes have the file in their memory.
        with open(self.path, "r+b") as file:
            file.write(struct.pack("<qq", int(self.wall * 1e9), int(self.boot * 1e9)))


def strange_times(load, jumps):
    """How many events seem to be observed more than two minutes before or after they were recorded, except within a lease after a jump:
    the next renewal measures the clock again."""
    rows = load.database.query(f"SELECT at, recorded FROM reachd.log WHERE seq > {load.base} AND type IN ('state', 'vote')")
    return sum(abs(int(at) - int(recorded)) > 120e6 and not any(0 <= int(recorded) - jump < LEASE * 1e6 for jump in jumps)
               for at, recorded in rows)


def nodes(binary, folder, rounds, seed):
    """The wall clock of a node is set an hour ahead or back, and a node's machine is suspended for an hour."""
    clocks = [Clocks(folder, f"clock-{number}") for number in range(3)]
    load = LoadedFleet(binary, folder, seed, options=[{"prefix": clock.prefix} for clock in clocks])
    try:
        jumps = []
        for number in range(rounds):
            place = load.random.randrange(3)
            node, clock = load.fleet.nodes[place], clocks[place]
            if number % 3 < 2:
                jumps.append(int(load.database.value("SELECT (extract(epoch FROM clock_timestamp()) * 1e6)::bigint")))
                clock.advance(wall=HOUR if number % 3 == 0 else -HOUR)

                def is_known():
                    difference = node.get("/fleet")["database"]["clock_difference_seconds"]
                    return abs(difference + clock.wall) < 1

                wait(is_known, 10, 0.1, f"{node.name} knows that its clock differs by {clock.wall} s")
                time.sleep(load.random.uniform(0.5, 1.5) * LEASE)
            else:
                # To the process, a suspended machine is a stop during which the monotonic clock stands still. The database's clock
                # continues only for the time of the stop.
                before = node.get("/fleet")["has_lease"]
                node.signal(signal.SIGSTOP)
                time.sleep(load.random.uniform(0.1, 0.5) * LEASE)
                clock.advance(boot=HOUR)
                node.signal(signal.SIGCONT)
                if not before:
                    load.faults.append(f"{node.name} had no lease")
                wait(lambda: node.get("/fleet")["has_lease"], 10, 0.05, f"{node.name} has a lease after the suspension")
                time.sleep(load.random.uniform(0.5, 1.5) * LEASE)
        faults, counts = load.finish()
        if strange := strange_times(load, jumps):
            faults.append(f"{strange} events have other times than those before")
        return faults, f"{rounds} times a node's clock set by an hour or its machine suspended: {load.summary(counts)}"
    finally:
        load.close()


def database(binary, folder, rounds, seed):
    """The database's clock is set an hour ahead and back: no assignment moves, and a takeover works afterwards. In turn, the coordinator is
    killed just before the clock is set back, so that its lease seems to end in an hour: another node has its role and its targets soon."""
    clock = Clocks(folder, "clock")
    load = LoadedFleet(binary, folder, seed, database=Database(f"{folder}/database", environment=clock.environment))
    try:
        # The coordinator may change, and then waits for the reports of all.
        load.outage = 20
        before = load.fleet.owners()
        for number in range(rounds):
            is_back = number % 2 == 1
            if number % 4 == 1:
                victim, when, limit = load.fleet.coordinator, "just before the clock was set back", 2.25 * LEASE + 3
                victim.kill()
                begin = time.monotonic()
                clock.advance(wall=-HOUR)
            else:
                clock.advance(wall=-HOUR if is_back else HOUR)
                time.sleep(load.random.uniform(2, 3) * LEASE)
                # A node that returned gets its part back after a while, which an hour ahead is over.
                if is_back or number == 0:
                    load.faults += load.fleet.moved(before, f"when the clock was set {'back' if is_back else 'ahead'}")
                name = load.database.value("SELECT node FROM reachd.assignments WHERE location = 'berlin' GROUP BY 1 ORDER BY count(*) DESC LIMIT 1")
                victim = next(node for node in load.fleet.nodes if node.name == name)
                when, limit = f"with a clock set {'back' if is_back else 'ahead'}", 1.25 * LEASE + 3
                victim.kill()
                begin = time.monotonic()
            try:
                wait(lambda: load.database.value(f"SELECT count(*) FROM reachd.assignments WHERE node = '{victim.name}'") == "0" and
                     load.fleet.coordinator is not victim, limit, 0.05, f"another node has the targets of {victim.name}, killed {when}")
            except AssertionError as error:
                load.faults.append(str(error))
            takeover = time.monotonic() - begin
            victim.start()
            wait(lambda: load.database.value("SELECT count(*) FROM reachd.nodes WHERE until > extract(epoch FROM clock_timestamp()) * 1e6")
                 == "3", 20, 0.1, "all nodes have a lease")
            time.sleep(LEASE)
            before = load.fleet.owners()
        faults, counts = load.finish()
        return faults, (f"{rounds} times the database's clock set by an hour: no assignment moved, the last takeover afterwards took "
                        f"{takeover:.1f} s; {load.summary(counts)}")
    finally:
        load.close()
