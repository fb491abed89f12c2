# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Compares the facts of a trial with the wanted result."""


def between(name, number, limits):
    least, greatest = limits
    if least <= number <= greatest:
        return []
    return [f"{number} {name} instead of {least if least == greatest else f'{least} to {greatest}'}"]


def failures(facts, fault, bound):
    """What differs from the wanted result, in a few words each.

    - bound: until when the last verdict should be there, in seconds after the first failed probe began.
    """
    found = []
    if fault.is_certain or fault.state == "up":
        wrong = {state: count for state, count in facts["states"].items() if state != fault.state}
        found += [f"{count} {state}" for state, count in wrong.items()]
    if facts["false_down"]:
        found.append(f"{facts['false_down']} false down")
    if facts["missed_down"]:
        found.append("dead host not down")
    if facts["others_failed"]:
        found.append(f"{facts['others_failed']} others failed")
    found += between("incidents", facts["total_incidents"], fault.incidents)
    found += between("messages", facts["messages"], fault.messages)
    found += between("critical messages", facts["critical"], fault.critical)
    found += between("messages at the end", facts["total_messages"], fault.total)
    if facts["is_named"] is False:
        found.append("wrong element")
    if facts["severity"] and facts["severity"] != fault.severity:
        found.append(f"severity {facts['severity']}")
    if fault.is_certain and (facts["last_verdict"] is None or facts["last_verdict"] > bound):
        found.append(f"last verdict after {facts['last_verdict']} s instead of {bound:.0f} s")
    if fault.then == "restart":
        if facts["incident_before"] != facts["incident_after"]:
            found.append("another incident after the restart")
        if facts["resolved_early"]:
            found.append("resolved during the outage")
    if not facts["recovered"]:
        found.append("not recovered")
    return found
