# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""What the fleet's database accepted, recorded by triggers, and whether it agrees with the log."""

# A report counts when the coordinator deletes it from the inbox while its token is that of the assignment.
TRIGGERS = """
CREATE SCHEMA audit;
CREATE TABLE audit.votes (target text, location text, node text, token bigint, owner text, owner_token bigint);
CREATE TABLE audit.reports (
    id bigserial PRIMARY KEY, transaction bigint, inbox bigint, kind text, target text, state text, node text, token bigint, owner text,
    owner_token bigint);
CREATE TABLE audit.owners (id bigserial PRIMARY KEY, placement int, shard int, location text, node text, token bigint);
CREATE FUNCTION audit.vote() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = reachd AS $body$
BEGIN
    INSERT INTO audit.votes
    SELECT NEW.target, NEW.location, NEW.node, NEW.token, a.node, a.token
    FROM targets t JOIN assignments a USING (placement, shard) WHERE t.id = NEW.target AND a.location = NEW.location;
    RETURN NULL;
END $body$;
CREATE FUNCTION audit.report() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = reachd AS $body$
BEGIN
    INSERT INTO audit.reports (transaction, inbox, kind, target, state, node, token, owner, owner_token)
    SELECT txid_current(), OLD.id, OLD.kind, OLD.target, OLD.state, OLD.node, OLD.token, a.node, a.token
    FROM assignments a WHERE a.placement = OLD.placement AND a.shard = OLD.shard AND a.location = OLD.location;
    RETURN NULL;
END $body$;
CREATE FUNCTION audit.owner() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = reachd AS $body$
BEGIN
    INSERT INTO audit.owners (placement, shard, location, node, token)
    VALUES (NEW.placement, NEW.shard, NEW.location, NEW.node, NEW.token);
    RETURN NULL;
END $body$;
CREATE TRIGGER audit AFTER INSERT OR UPDATE ON reachd.votes FOR EACH ROW EXECUTE FUNCTION audit.vote();
CREATE TRIGGER audit AFTER DELETE ON reachd.inbox FOR EACH ROW EXECUTE FUNCTION audit.report();
CREATE TRIGGER audit AFTER INSERT OR UPDATE OF token ON reachd.assignments FOR EACH ROW EXECUTE FUNCTION audit.owner();
"""


def faults(database, base):
    """What is wrong with the log after an event, the votes and the assignments; and how many of each there are.

    - base: the number of the last event before the trial.
    """
    found = []
    seq = int(database.value("SELECT seq FROM reachd.log_head"))
    rows = database.query("SELECT seq, type, target, from_state, to_state, data FROM reachd.log ORDER BY seq")
    numbers = [int(row[0]) for row in rows]
    if numbers != list(range(1, seq + 1)):
        found.append(f"the log has {len(numbers)} rows, {len(set(numbers))} numbers from {min(numbers)} to {max(numbers)} of {seq}")

    states = {}
    for number, kind, target, old, new, _ in rows:
        if kind != "state":
            continue
        if target in states and states[target][-1] != old:
            found.append(f"event {number}: {target} turns {old} -> {new} after {states[target][-1]}")
        states.setdefault(target, [old]).append(new)

    votes = database.query("SELECT * FROM audit.votes")
    wrong = [vote for vote in votes if vote[2:4] != vote[4:]]
    reports = database.query("SELECT target, state, node, token, owner, owner_token FROM audit.reports WHERE kind <> 'confirmed' "
                             "ORDER BY min(id) OVER (PARTITION BY transaction), inbox")
    accepted = [report for report in reports if report[3] == report[5]]
    wrong += [report for report in accepted if report[2] != report[4]]
    if wrong:
        found.append(f"{len(wrong)} votes of nodes that did not own the assignment, such as {wrong[0]}")
    owners = {}
    # No placement has a negative number but what a trial writes again and again.
    for placement, shard, location, node, token in database.query(
            "SELECT placement, shard, location, node, token FROM audit.owners WHERE placement >= 0 ORDER BY id"):
        key = (placement, shard, location)
        if key in owners and int(token) <= owners[key]:
            found.append(f"assignment {key}: token {token} after {owners[key]}")
        owners[key] = int(token)

    # With one location, the log's states are those of the accepted reports.
    single = {row[0] for row in database.query("SELECT t.id FROM reachd.targets t JOIN reachd.placements p ON p.id = t.placement "
                                              "WHERE p.watchers = 1")}
    for target in sorted(single):
        replay = [report[1] for report in accepted if report[0] == target and report[1] in ("up", "down")]
        replay = [state for place, state in enumerate(replay) if place == 0 or state != replay[place - 1]]
        logged = [state for state in states.get(target, []) if state in ("up", "down")]
        logged = [state for place, state in enumerate(logged) if place == 0 or state != logged[place - 1]]
        if replay != logged:
            found.append(f"{target}: {len(logged)} states in the log, {len(replay)} by its reports")
    events = [row for row in rows if int(row[0]) > base]
    return found, {"events": len(events), "votes": len(accepted), "rejected": len(reports) - len(accepted)}, events


def compare(clients, base, seq):
    """What is wrong with the events that the clients received, between two numbers."""
    found = [fault for client in clients for fault in client.faults]
    expected = set(range(base + 1, seq + 1))
    for client in clients:
        if set(client.events) != expected:
            missing = sorted(expected - set(client.events))
            found.append(f"client {client.name}: {len(client.events)} events of {len(expected)}, missing {missing[:3]}")
    for number in expected:
        if len({client.events.get(number) for client in clients}) > 1:
            found.append(f"event {number} differs: {[client.events.get(number) for client in clients]}")
            break
    return found
