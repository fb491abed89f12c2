# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""One trial of a fleet of real processes, in a network namespace of its own (scripts/fleet).

    trials.py --reachd PATH [--all] [--seed N] [--keep] NAME
    trials.py --list [--all]
"""
import argparse
import os
import random
import shutil
import sys
import tempfile
import time

import clocks
import cuts
import delays
import disks
import failover
import garbage
import kills
import notifications
import outages
import partitions
import refusals
import together

#: Each trial, with its sizes in brief and in full.
TRIALS = {
    "kills": (kills.trial, {"kills": 10, "freezes": 3}, {"kills": 200, "freezes": 50}),
    "kills-alone": (kills.alone, {"kills": 3, "count": 60}, {"kills": 50, "count": 200}),
    "interruptions": (outages.interruptions, {"kills": 2, "freezes": 1}, {"kills": 20, "freezes": 5}),
    "away": (outages.away, {"count": 200, "seconds": 8, "interval": 2},
             {"count": 10_000, "seconds": 90, "interval": 15}),
    "cuts": (cuts.trial, {"rounds": 2, "count": 200, "interval": 4, "has_second_link": True},
             {"rounds": 100, "count": 500, "interval": 5, "has_second_link": True}),
    "cuts-alone": (cuts.trial, {"rounds": 2, "count": 200, "interval": 4, "has_second_link": False},
                   {"rounds": 100, "count": 500, "interval": 5, "has_second_link": False}),
    "carrier": (cuts.carrier, {"rounds": 1, "count": 200, "interval": 4},
                {"rounds": 20, "count": 200, "interval": 5}),
    "together": (together.trial, {"rounds": 1, "count": 100, "interval": 3}, {"rounds": 20, "count": 100, "interval": 5}),
    "failover": (failover.failover, {"rounds": 1}, {"rounds": 5}),
    "restored": (failover.restored, {"rounds": 1}, {"rounds": 10}),
    "notifications": (notifications.killed, {"kills": 4}, {"kills": 50}),
    "cut-off": (notifications.cut_off, {}, {}),
    "loss": (cuts.loss, {"percent": 30, "seconds": 10}, {"percent": 30, "seconds": 120}),
    "partition": (partitions.database, {"rounds": 3}, {"rounds": 60}),
    "partition-targets": (partitions.targets, {"rounds": 1, "count": 200, "interval": 4}, {"rounds": 24, "count": 200, "interval": 5}),
    "delay": (delays.trial, {"seconds": 15, "near": 50, "far": 500, "lease": 5}, {"seconds": 120, "near": 50, "far": 500, "lease": 5}),
    "disks": (disks.database, {"rounds": 1, "seconds": 3}, {"rounds": 10, "seconds": 20}),
    "disks-node": (disks.node, {"rounds": 1, "seconds": 3}, {"rounds": 10, "seconds": 20}),
    "refusals": (refusals.trial, {"rounds": 1, "seconds": 3}, {"rounds": 10, "seconds": 10}),
    "clocks": (clocks.nodes, {"rounds": 3}, {"rounds": 30}),
    "clocks-database": (clocks.database, {"rounds": 2}, {"rounds": 20}),
    "garbage": (garbage.trial, {"rounds": 1, "seconds": 5}, {"rounds": 5, "seconds": 120}),
}

#: Trials that run only with --all or by their names: every change is tried with the others.
RARE = {"kills-alone", "cuts-alone", "carrier", "together", "cut-off", "restored", "partition", "partition-targets", "delay", "disks",
        "disks-node", "refusals", "clocks", "clocks-database", "garbage"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--reachd")
    parser.add_argument("--list", action="store_true", help="print the names of the trials")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--keep", action="store_true", help="keep the folder with configurations, logs and the database")
    parser.add_argument("name", nargs="?", choices=TRIALS)
    options = parser.parse_args()
    if options.list:
        print("\n".join(name for name in TRIALS if options.all or name not in RARE))
        return
    function, brief, full = TRIALS[options.name]
    sizes = full if options.all else brief
    folder = tempfile.mkdtemp(prefix="reachd-fleet-")
    # PostgreSQL runs as another user.
    os.chmod(folder, 0o755)
    os.environ.pop("REACHD_CONFIG", None)
    begin = time.monotonic()
    try:
        faults, summary = function(options.reachd, folder, seed=options.seed, **sizes)
    except (AssertionError, RuntimeError) as error:
        faults, summary = [str(error)], None
        if not options.keep:
            for node in sorted(os.listdir(folder)):
                path = f"{folder}/{node}/log"
                if os.path.exists(path):
                    with open(path, errors="replace") as file:
                        print(f"--- {node}\n" + "".join(file.readlines()[-15:]))
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    if faults is None:
        print(f"{options.name}: not run: {summary}")
        sys.exit(77)
    if faults:
        for fault in faults[:20]:
            print(f"FAILED {options.name}: {fault}")
        print(f"{options.name}: {len(faults)} faults (seed {options.seed}{', ' + folder if options.keep else ''})")
        sys.exit(1)
    print(f"ok {options.name} ({time.monotonic() - begin:.0f} s): {summary}")


if __name__ == "__main__":
    main()
