# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""The database is killed, frozen and away while targets change."""
import signal
import time

from database import Database
from load import LoadedFleet
from nodes import Fleet, wait
from targets import sink


def interruptions(binary, folder, kills, freezes, seed):
    """PostgreSQL is killed with SIGKILL while it writes and started again, and frozen for 8 s."""
    load = LoadedFleet(binary, folder, seed, database=Database(f"{folder}/database", fsync="on"))
    try:
        load.outage = 20
        before = load.fleet.owners()
        actions = ["kill"] * kills + ["freeze"] * freezes
        load.random.shuffle(actions)
        for action in actions:
            time.sleep(load.random.uniform(1, 3))
            if action == "kill":
                load.database.kill()
                time.sleep(load.random.uniform(0, 5))
                load.database.start()
            else:
                load.database.signal(signal.SIGSTOP)
                time.sleep(8)
                load.database.signal(signal.SIGCONT)
        time.sleep(6)
        load.faults += load.fleet.moved(before)
        faults, counts = load.finish()
        return faults, (f"database killed {kills} times and frozen {freezes} times for 8 s: no assignment moved; {load.summary(counts)}")
    finally:
        load.close()


def away(binary, folder, count, seconds, interval, seed):
    """The database is away while all targets go down and come back, seen by three locations."""
    server = sink()
    fleet = Fleet(binary, folder, Database(f"{folder}/database"))
    try:
        for number, location in enumerate(("berlin", "paris", "tokyo")):
            fleet.add(location, 18001 + number)
        fleet.apply([f"{{ id: t{i}, address: 127.{1 + i // 62500}.{i // 250 % 250}.{1 + i % 250}, port: 18090, "
                     f"watch: {{ watchers: 3 }}, probe: {{ type: tcp, interval: {interval}s, fall: 1, rise: 1 }} }}" for i in range(count)])
        fleet.await_all_up(count, 120 + 3 * interval)
        base, before, epoch = int(fleet.newest.rsplit("-", 1)[1]), fleet.owners(), fleet.newest.rsplit("-", 1)[0]
        fleet.database.stop()
        begin = time.monotonic()
        # Nodes spread the probes after the first ones over an interval, so each phase is longer than two.
        server.kill()
        server.wait()
        time.sleep(seconds / 2)
        server = sink()
        time.sleep(max(0, begin + seconds - time.monotonic()))
        fleet.database.start()
        returned = time.monotonic()
        # A node tells its backlog when it renews its lease, which has ended meanwhile.
        reported = "SELECT count(*) FROM reachd.nodes WHERE backlog = 0 AND until > extract(epoch FROM clock_timestamp()) * 1e6"
        wait(lambda: fleet.database.value(reported) == "3" and fleet.database.value("SELECT count(*) FROM reachd.inbox") == "0" and
             fleet.states() == {f"t{i}": "up" for i in range(count)}, 90, 0.5, "all reports are counted and all targets are up")
        delay = time.monotonic() - returned
        time.sleep(4)
        faults = fleet.crashed()
        turns = {}
        for target, old, new in fleet.database.query(
                f"SELECT target, from_state, to_state FROM reachd.log WHERE type = 'state' AND seq > {base} ORDER BY seq"):
            turns.setdefault(target, []).append(new)
        right = sum(1 for states in turns.values() if states == ["down", "up"])
        if right != count:
            wrong = next((f"{target}: {' '.join(states)}" for target, states in turns.items() if states != ["down", "up"]), "none")
            faults.append(f"{right} of {count} targets have both turns, {len(turns)} have any; for example {wrong}")
        seq, rows, newest = fleet.database.query("SELECT h.seq, count(*), max(l.seq) FROM reachd.log_head h, reachd.log l GROUP BY 1")[0]
        if not seq == rows == newest:
            faults.append(f"the log has {rows} rows up to {newest} of {seq}")
        if fleet.newest.rsplit("-", 1)[0] != epoch:
            faults.append("the epoch changed")
        faults += fleet.moved(before)
        return faults, (f"database away for {seconds} s while {count} targets that three locations watch went down and came back: "
                        f"{right} have exactly both turns, {int(seq) - base} events without a gap, no assignment moved, "
                        f"counted {delay:.1f} s after the return")
    finally:
        server.kill()
        fleet.close()
