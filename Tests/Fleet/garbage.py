# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Another program writes rows that make no sense."""
import http.client
import time

from clients import StreamClient
from load import LoadedFleet
from nodes import wait

FUTURE, PAST = 2 ** 63 - 1, -2 ** 63
COLUMNS = "node, local, kind, placement, shard, location, token, target, state, cause, reason, detail, since, at"
#: A report of the owner of the target `quiet`, with other values.
REPORT = """INSERT INTO reachd.inbox ({more}{columns}) {overriding}
    SELECT {values}a.node, {local}, {kind}, t.placement, t.shard, a.location, {token}, {target}, {state}, {cause}, {reason}, {detail}, {since}, {at}
    FROM reachd.targets t JOIN reachd.assignments a USING (placement, shard), (SELECT (extract(epoch FROM clock_timestamp()) * 1e6)::bigint) n(now)
    WHERE t.id = 'quiet'"""
SENSIBLE = {"more": "", "columns": COLUMNS, "overriding": "", "values": "", "local": "1", "kind": "'vote'", "token": "a.token",
            "target": "t.id", "state": "'up'", "cause": "NULL", "reason": "NULL", "detail": "NULL", "since": "n.now", "at": "n.now"}


def reports():
    """Statements, each of which inserts a row into the inbox."""
    strange = [
        {"kind": "'nonsense'"}, {"kind": "''"}, {"state": "'nonsense'"}, {"state": "NULL"}, {"cause": "'nonsense'"}, {"since": "NULL"},
        {"target": "NULL"}, {"target": "'nowhere'"}, {"token": "0"}, {"token": str(FUTURE)}, {"token": str(PAST)}, {"local": str(PAST)},
        {"local": str(FUTURE)}, {"reason": "'nonsense'"}, {"detail": "repeat('x', 1000000)"}, {"detail": "E'\\n\\ndata: x\\n\\n'"},
        {"state": "repeat('x', 1000000)"}, {"kind": "repeat('x', 1000000)"},
        {"since": str(FUTURE)}, {"since": str(PAST)}, {"since": "0"}, {"at": str(FUTURE)}, {"at": str(PAST)}, {"at": "0"},
        {"state": "'down'", "since": str(FUTURE), "at": str(FUTURE), "cause": "'target'"}, {"since": str(PAST), "at": str(PAST)},
        {"state": "'down'", "since": str(PAST), "at": str(PAST), "reason": "repeat('y', 100000)"}, {},
        # Larger than any answer that a node reads.
        {"target": "repeat('x', 70000000)"}, {"reason": "repeat('x', 70000000)"}, {"kind": "repeat('x', 70000000)"},
    ]
    rows = [REPORT.format(**{**SENSIBLE, **values}) for values in strange]
    for id in ("0", "-5", str(PAST + 1), str(FUTURE), str(FUTURE - 1)):
        for values in ({}, {"kind": "'nonsense'"}):
            rows.append(REPORT.format(**{**SENSIBLE, **values, "more": "id, ", "values": f"{id}, ",
                                         "overriding": "OVERRIDING SYSTEM VALUE"}) + " ON CONFLICT DO NOTHING")
    rows.append(f"INSERT INTO reachd.inbox ({COLUMNS}) VALUES ('nobody', 1, 'vote', -1, -1, 'nowhere', 1, 'quiet', 'down', NULL, NULL, NULL, 0, 0)")
    rows.append(f"INSERT INTO reachd.inbox ({COLUMNS}) VALUES ('', 0, 'confirmed', 2147483647, 2147483647, '', {FUTURE}, NULL, NULL, NULL, "
                f"NULL, NULL, NULL, {FUTURE})")
    return rows


#: Rows of other tables that make no sense, and statements that remove them.
OTHERS = [
    (f"INSERT INTO reachd.votes VALUES ('nowhere', 'nowhere', 'nonsense', 'nonsense', 'nonsense', NULL, {FUTURE}, {FUTURE}, 'nobody')", None),
    ("INSERT INTO reachd.votes SELECT 'quiet', 'nowhere', 'nonsense', 'nonsense', NULL, NULL, 0, 0, 'nobody'", None),
    (f"INSERT INTO reachd.disagreements VALUES ('nowhere', -1, -1, {PAST}, {PAST}, {PAST})", None),
    (f"INSERT INTO reachd.disagreements VALUES ('quiet', 0, 0, {PAST}, 0, 0)", None),
    ("INSERT INTO reachd.dependencies VALUES ('nowhere', 'quiet'), ('quiet', 'nowhere')", "DELETE FROM reachd.dependencies"),
    (f"INSERT INTO reachd.commands (target, kind, detail, at) VALUES ('quiet', 'nonsense', repeat('x', 100000), {FUTURE}), ('nowhere', 'probe', "
     "NULL, 0)", None),
    (f"INSERT INTO reachd.heartbeats VALUES ('quiet', {PAST}, {FUTURE}, 'nonsense', repeat('x', 100000)) ON CONFLICT (target) DO UPDATE SET "
     f"at = {PAST}, kind = 'fail'", None),
    (f"INSERT INTO reachd.nodes (name, incarnation, location, version, capacity, since, until, resumed, epoch, reported, receivers) VALUES "
     f"('', -1, '', '', -1, {FUTURE}, {PAST}, {FUTURE}, '', {FUTURE}, ARRAY[NULL, '', 'x', repeat('y', 100000)])",
     "DELETE FROM reachd.nodes WHERE name = ''"),
    (f"INSERT INTO reachd.receivers VALUES ('', '', 'nobody', {FUTURE}, {FUTURE}, {FUTURE}, 'nonsense', {PAST})", None),
    (f"INSERT INTO reachd.assignments VALUES (-1, -1, 'nowhere', 'nobody', 1, 0, {FUTURE})", "DELETE FROM reachd.assignments WHERE placement = -1"),
    ("INSERT INTO reachd.placements (watchers, quorum, locations) VALUES (-1, 2147483647, ARRAY[NULL, ''])", None),
    ("UPDATE reachd.log_head SET settings = 'nonsense', settings_version = settings_version + 1", None),
]

#: Events with types, times and texts that make no sense, in the place of sensible ones that all clients have received.
EVENTS = [
    "UPDATE reachd.log SET type = 'nonsense' WHERE seq = {seq}", "UPDATE reachd.log SET data = '' WHERE seq = {seq}",
    "UPDATE reachd.log SET data = '{{' WHERE seq = {seq}", "UPDATE reachd.log SET data = E'{{\\n\\nevent: x\\n\\n}}' WHERE seq = {seq}",
    f"UPDATE reachd.log SET at = {FUTURE} WHERE seq = {{seq}}", f"UPDATE reachd.log SET at = {PAST} WHERE seq = {{seq}}",
    "UPDATE reachd.log SET from_state = 'nonsense', to_state = 'nonsense', tags = ARRAY[NULL, 'x', ''] WHERE seq = {seq}",
]


def trial(binary, folder, rounds, seconds, seed):
    """- seconds: for how long the load continues afterwards."""
    load = LoadedFleet(binary, folder, seed)
    try:
        load.server.add("quiet", 20999)
        load.fleet.apply(load.lines + ["{ id: quiet, address: 127.0.0.1, port: 20999, watch: { watchers: 1, locations: [berlin] }, "
                                  "probe: { type: tcp, interval: 1s, timeout: 900ms, fall: 1, rise: 1 } }"])
        wait(lambda: load.fleet.states().get("quiet") == "up", 30, 0.2, "the target is up")
        total = 0
        for _ in range(rounds):
            rows = reports() + OTHERS
            load.random.shuffle(rows)
            for row in rows:
                statement, undo = row if isinstance(row, tuple) else (row, None)
                try:
                    load.database.change(statement)
                except RuntimeError as error:
                    # A row that the schema refuses is no danger; a second round repeats some.
                    if "duplicate key" not in str(error) and "violates" not in str(error):
                        raise
                total += 1
                time.sleep(load.random.uniform(0, 0.1))
                if undo:
                    time.sleep(1)
                    load.database.change(undo)
            await_processed(load, "id > 0", 30)
        time.sleep(seconds)
        if seconds >= 60:
            # Rows with lesser ids than those before are read once a minute.
            await_processed(load, "true", 30)
        load.fleet.apply(load.lines)
        rejected = sum(count for node in load.fleet.nodes for count in rejections(node))
        faults, counts = load.finish()
        newest = int(load.fleet.newest.rsplit("-", 1)[1])
        for place, statement in enumerate(EVENTS):
            load.database.change(statement.format(seq=newest - 20 - place))
        faults += replayed(load, newest)
        if not rejected:
            faults.append("no rejected row was counted")
        return faults, f"{total} rows that make no sense, {rejected:.0f} of them counted as rejected votes: {load.summary(counts)}"
    finally:
        load.close()


def await_processed(load, condition, seconds):
    wait(lambda: load.database.value("SELECT count(*) FROM reachd.inbox WHERE (node IN ('nobody', '') OR target = 'quiet' OR at < 1) "
                                     f"AND {condition}") == "0", seconds, 0.5, "the inbox has none of these rows")


def rejections(node):
    connection = http.client.HTTPConnection(node.address, node.port, timeout=3)
    try:
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
    finally:
        connection.close()
    return [float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith("reachd_fleet_rejected_votes_total")]


def replayed(load, newest):
    """What is wrong with the events that each node replays from the database, some of which make no sense."""
    found = []
    for node in load.fleet.nodes:
        node.kill()
        node.start()
    wait(lambda: not any(node.fault for node in load.fleet.nodes), 30, 0.2, "all nodes use the database again")
    for node in load.fleet.nodes:
        client = StreamClient(f"replay of {node.name}", [node], f"{load.epoch}-{newest - 60}", 1)
        try:
            wait(lambda: client.number >= newest, 20, 0.1, f"{node.name} replays its events")
        except AssertionError as error:
            found.append(f"{error}: {client.number} of {newest}")
        client.end()
        # What makes no sense is left out; it must not become another event.
        left_out = [f"event {load.epoch}-{newest - 20 - place}" for place in range(-1, len(EVENTS))]
        found += [fault for fault in client.faults if not any(words in fault for words in left_out)]
    return found + load.fleet.crashed()
