# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Trials of blame, several at a time, each in namespaces of its own (scripts/blame).

    trials.py --reachd PATH [--all] [--json FILE] [--keep] [--list] [TRIAL ...]

A trial is FAULT-TARGETS, with -ipv6, and -fall1 or -defaults for other settings of the probes, such as drop-200-ipv6-fall1. FAULT alone
has 30 targets. A pattern, such as '*-ipv6', selects from all trials.
"""
import argparse
import fnmatch
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import faults

#: Its end ends all processes of a trial, and with them the namespaces.
ENCLOSURE = ["unshare", "--net", "--mount", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc",
             "sh", "-c", 'mount -t tmpfs tmpfs /run && mount -t sysfs sysfs /sys && ip link set lo up && exec "$@"', "sh"]

#: Targets of the trials that run at the same time, and how many a trial counts at least.
CAPACITY, LEAST = 240, 40

COLUMNS = [("trial", 26), ("states at the end of the outage", 42), ("incidents", 9), ("messages", 8), ("critical", 8), ("in all", 6),
           ("false down", 10), ("missed", 6), ("first", 6), ("last", 6), ("named", 6), ("packets", 7), ("severity", 11), ("title", 0)]


def name_of(fault, count, family=4, settings="fast"):
    return f"{fault}-{count}" + ("-ipv6" if family == 6 else "") + ("" if settings == "fast" else f"-{settings}")


def all_trials():
    """The names of all trials: faults, numbers of targets, families and settings."""
    brief = [name for name, fault in faults.FAULTS.items() if fault.lasts < 60]
    certain = [name for name in brief if faults.FAULTS[name].is_certain and not faults.FAULTS[name].then]
    common = ["drop", "no-route", "dead-link", "dead-host"]
    groups = [(brief, (1, 5, 30, 200), 4, "fast"), (brief, (5, 30), 6, "fast"), (common, [200], 6, "fast"),
              ([*certain, "equal-paths", "restart"], [30], 4, "fall1"), (common[:2], (1, 200), 4, "fall1"),
              ([*certain, "restart"], [30], 4, "defaults"), (common, (1, 5, 200), 4, "defaults"),
              (["long-drop"], (1, 30), 4, "fast")]
    return [name_of(name, count, family, settings) for names, counts, family, settings in groups for count in counts for name in names
            if count >= faults.FAULTS[name].least]


def brief_trials():
    """Each fault once, and one with IPv6; a drop of six minutes only with --all."""
    return [name_of(fault, 30) for fault in faults.FAULTS if faults.FAULTS[fault].lasts < 60] + [name_of("drop", 30, 6)]


def parse(name):
    match = re.fullmatch(rf"({'|'.join(faults.FAULTS)})(?:-(\d+))?(-ipv6)?(?:-(fall1|defaults))?", name)
    if not match or not 1 <= int(match[2] or 30) <= 200:
        sys.exit(f"blame: {name} is not a trial; --list prints all of them")
    return match[1], int(match[2] or 30), 6 if match[3] else 4, match[4] or "fast"


def weight(name):
    return max(LEAST, parse(name)[1])


def selected(options):
    if not options.names:
        return all_trials() if options.all else brief_trials()
    names = []
    for name in options.names:
        if set(name) & set("*?["):
            names += fnmatch.filter(all_trials(), name) or sys.exit(f"blame: no trial is like {name}")
        else:
            names.append(name_of(*parse(name)))
    return list(dict.fromkeys(names))


class Running:
    def __init__(self, name, reachd):
        self.name, self.parts = name, parse(name)
        self.weight, self.begin = weight(name), time.monotonic()
        self.folder = tempfile.mkdtemp(prefix="reachd-blame-")
        self.output, self.errors = (open(f"{self.folder}/{file}", "w+") for file in ("output", "errors"))
        self.process = subprocess.Popen(
            [*ENCLOSURE, sys.executable, "-B", f"{sys.path[0]}/trial.py", reachd, self.folder, *map(str, self.parts)],
            stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.errors, start_new_session=True)

    def facts(self):
        """What it printed, or why it failed."""
        for file in (self.output, self.errors):
            file.seek(0)
        try:
            return json.loads(self.output.read())
        except ValueError:
            lines = self.errors.read().strip().splitlines() or ["it printed nothing"]
            fault, count, family, settings = self.parts
            return {"fault": fault, "targets": count, "family": f"ipv{family}", "settings": settings, "failures": [lines[-1]],
                    "errors": lines[-30:]}

    def close(self, keep):
        self.process.kill()
        self.process.wait()
        self.output.close()
        self.errors.close()
        if keep:
            print(f"blame: {self.name} is in {self.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def row(name, facts):
    def text(value):
        return "-" if value is None else f"{value:.1f}" if isinstance(value, float) else str(value)

    states = ", ".join(f"{count} {state}" for state, count in facts.get("states", {}).items())
    values = [name, states] + [facts.get(key) for key in
                               ("total_incidents", "messages", "critical", "total_messages", "false_down", "missed_down",
                                "first_verdict", "last_verdict", "named", "packets", "severity", "title")]
    line = "  ".join(text(value).ljust(width) for value, (_, width) in zip(values, COLUMNS)).rstrip()
    failures = facts["failures"]
    return line + "\n    " + (f"FAILED {'; '.join(failures)}" if failures else "ok")


def run_all(names, options):
    """Runs trials, heavy ones first and few at a time, and prints each when it ends; name and facts of each."""
    waiting, running, done = sorted(names, key=weight, reverse=True), [], {}
    print("  ".join(name.ljust(width) for name, width in COLUMNS).rstrip(), flush=True)
    try:
        while waiting or running:
            room = CAPACITY - sum(trial.weight for trial in running)
            for name in [name for name in waiting if weight(name) <= room][:1]:
                waiting.remove(name)
                running.append(Running(name, options.reachd))
            for trial in [trial for trial in running if trial.process.poll() is not None]:
                done[trial.name] = trial.facts() | {"seconds": round(time.monotonic() - trial.begin)}
                print(row(trial.name, done[trial.name]), flush=True)
                running.remove(trial)
                trial.close(options.keep)
            time.sleep(0.2)
    finally:
        for trial in running:
            trial.close(options.keep)
        if options.json:
            with open(options.json, "w") as file:
                json.dump(done, file, indent=1)
    return done


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--reachd")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--json", help="the file for all results")
    parser.add_argument("--keep", action="store_true", help="keep the folders with configurations, logs and histories")
    parser.add_argument("--list", action="store_true", help="print the names of the trials")
    parser.add_argument("names", nargs="*", metavar="TRIAL")
    options = parser.parse_args()
    names = selected(options)
    if options.list:
        print("\n".join(names))
        return
    signal.signal(signal.SIGTERM, lambda *words: sys.exit(143))
    begin = time.monotonic()
    try:
        done = run_all(names, options)
    except KeyboardInterrupt:
        sys.exit(130)
    failed = sum(bool(facts["failures"]) for facts in done.values())
    print(f"{len(done) - failed} ok, {failed} failed ({time.monotonic() - begin:.0f} s)")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
