# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""The database answers, and refuses: it is read-only, cancels statements, makes them wait for locks, or ends connections."""
import subprocess
import time

from disks import await_faults, probing
from load import LoadedFleet
from nodes import wait

ROLE = "ALTER ROLE reachd IN DATABASE reachd"
#: The nodes' connections.
CONNECTIONS = "FROM pg_stat_activity WHERE usename = 'reachd'"


def reload(load, statement):
    load.database.change(statement, of="postgres")
    load.database.change("SELECT pg_reload_conf()", of="postgres")


def read_only(load, seconds):
    """All transactions are read-only, as on a standby."""
    reload(load, "ALTER SYSTEM SET default_transaction_read_only = on")
    seen = await_faults(load, {"read_only"})
    time.sleep(seconds)
    load.faults += probing(load)
    doctor = subprocess.run([load.fleet.binary, "doctor", "--config", f"{load.fleet.nodes[0].folder}/reachd.yaml"],
                            capture_output=True, text=True)
    if not any("fleet" in line and "read-only" in line for line in doctor.stdout.splitlines()):
        load.faults.append(f"reachd doctor does not tell that the database is read-only: {doctor.stdout}")
    # The administrator's own session is read-only, too.
    reload(load, "SET default_transaction_read_only = off; ALTER SYSTEM RESET default_transaction_read_only")
    return seen


def statement_timeout(load, seconds):
    """The role's limit is shorter than its statements, in new sessions."""
    stored = load.database.value("SELECT option FROM pg_db_role_setting, unnest(setconfig) option WHERE option LIKE 'statement_timeout%'")
    load.database.change(f"{ROLE} SET statement_timeout = '1ms'")
    load.database.change(f"SELECT pg_terminate_backend(pid) {CONNECTIONS}")
    seen = await_faults(load, {"statement_timeout"})
    time.sleep(seconds)
    load.faults += probing(load)
    load.database.change(f"{ROLE} SET statement_timeout = '{stored.split('=')[1]}'")
    return seen


def locked(table):
    def lock(load, seconds):
        """A session holds a lock and does nothing."""
        session = load.database.session("BEGIN", f"SELECT count(*) FROM (SELECT FROM reachd.{table} FOR UPDATE) rows")
        time.sleep(seconds)
        seen = {code for node in load.fleet.nodes if (code := node.fault)}
        session.kill()
        session.wait()
        return seen

    lock.__name__ = f"lock on {table}"
    return lock


def ended(load, seconds):
    """An administrator ends the nodes' connections again and again."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        load.database.change(f"SELECT pg_terminate_backend(pid) {CONNECTIONS}")
        time.sleep(load.random.uniform(0.2, 1))
    return set()


def too_many(load, seconds):
    """No connection is left for the nodes."""
    load.database.change("ALTER ROLE reachd CONNECTION LIMIT 0")
    load.database.change(f"SELECT pg_terminate_backend(pid) {CONNECTIONS}")
    seen = await_faults(load, {"too_many_connections"})
    time.sleep(seconds)
    load.faults += probing(load)
    load.database.change("ALTER ROLE reachd CONNECTION LIMIT -1")
    return seen


KINDS = [read_only, statement_timeout, locked("log_head"), locked("votes"), locked("nodes"), ended, too_many]


def trial(binary, folder, rounds, seconds, seed):
    load = LoadedFleet(binary, folder, seed)
    try:
        load.outage = 30 + 2 * seconds
        shown = {}
        for _ in range(rounds):
            kinds = list(KINDS)
            load.random.shuffle(kinds)
            for kind in kinds:
                before = load.fleet.owners()
                shown.setdefault(kind.__name__, set()).update(kind(load, seconds))
                try:
                    wait(lambda: not any(node.fault for node in load.fleet.nodes), 30, 0.2, f"all nodes use the database after {kind.__name__}")
                except AssertionError as error:
                    load.faults.append(f"{error}: {[node.fault for node in load.fleet.nodes]}")
                    load.database.change(f"SELECT pg_terminate_backend(pid) {CONNECTIONS}")
                time.sleep(load.random.uniform(3, 5))
                load.faults += load.fleet.moved(before, f"around {kind.__name__}")
        faults, counts = load.finish()
        words = "; ".join(f"{kind}: {', '.join(sorted(codes)) or 'not shown'}" for kind, codes in shown.items())
        return faults, f"{rounds} times each for {seconds} s, shown as {words}; {load.summary(counts)}"
    finally:
        load.close()
