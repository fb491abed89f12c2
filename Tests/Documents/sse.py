# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Runs the clients of examples/sse during a restart and a kill of reachd, and compares their events with the log."""

import json
import os
import shutil
import signal
import subprocess
import time
import urllib.request
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/sse"
CLIENTS = [
    ("curl", "curl", ["bash", "events.sh"]),
    ("Python", "python3", ["python3", "events.py"]),
    ("JavaScript", "node", ["node", "events.mjs"]),
    ("Perl", "perl", ["perl", "events.pl"]),
    ("Java", "java", ["java", "Events.java"]),
]
URL = "http://127.0.0.1:7533"
FILTER = "target=call&event=state"
PATIENCE = 30


class Service:
    def __init__(self, reachd, folder):
        self.reachd, self.folder = reachd, folder
        (folder / "reachd.yaml").write_text(
            "listen: 127.0.0.1:7533\nlog: { level: error }\nhistory: { path: %s/history.db }\n"
            "limits: { writes_per_second: 10000 }\nstate_file: none\ntargets:\n"
            "  - { id: call, address: 127.0.0.1, probe: { type: push, interval: 1h, fall: 1, rise: 1 } }\n" % folder
        )
        self.count = 0

    def start(self):
        self.process = subprocess.Popen([self.reachd, "serve", "--config", self.folder / "reachd.yaml"])
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                return self.get("/readyz")
            except OSError:
                time.sleep(0.05)
        raise SystemExit("sse: reachd does not answer")

    def stop(self, number):
        self.process.send_signal(number)
        self.process.wait()

    def get(self, path, method="GET"):
        with urllib.request.urlopen(urllib.request.Request(URL + path, method=method), timeout=30) as answer:
            return answer.read().decode()

    def events(self, count):
        """Changes the state of the target this many times, and waits until the events are in the file."""
        for _ in range(count):
            self.count += 1
            self.get(f"/targets/call/heartbeat?status={'fail' if self.count % 2 else 'ok'}", "POST")
        if not wait(lambda: json.loads(self.get("/status"))["history"]["waiting"] == 0):
            raise SystemExit("sse: reachd does not write its events")

    def ids(self, after):
        text = self.get(f"/events?{FILTER}&since={after}&follow=false")
        blocks = [dict(line.split(": ", 1) for line in block.split("\n") if ": " in line) for block in text.split("\n\n")]
        return [block["id"] for block in blocks if block.get("event") == "state"]


def seen(path):
    """The ids of the states that a client printed, and whether it received `hello`."""
    lines = [line.split(" ", 2) for line in path.read_text().splitlines()]
    return [line[0] for line in lines if line[1] == "state"], any(line[1] == "hello" for line in lines)


def wait(condition):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return False


def run(reachd, folder):
    folder = folder / "sse"
    folder.mkdir()
    faults, clients, begin = [], {}, time.monotonic()
    service = Service(reachd, folder)
    service.start()
    service.events(1)
    status = json.loads(service.get("/status"))
    start = f"{status['epoch']}-{status['sequence']}"
    try:
        for name, program, command in CLIENTS:
            if not shutil.which(program):
                print(f"skipped: examples/sse/{command[1]}, because {program} is not here")
                continue
            out = folder / f"{name}.out"
            clients[name] = (
                subprocess.Popen(
                    [*command, f"{URL}/events?{FILTER}"], cwd=EXAMPLES, stdout=open(out, "w"),
                    stderr=open(folder / f"{name}.err", "w"), start_new_session=True,
                ),
                out,
            )
        for name, (_, out) in clients.items():
            if not wait(lambda: seen(out)[1]):
                faults.append(f"examples/sse, {name}: was not told hello: {(folder / f'{name}.err').read_text()}")
        service.events(10)
        for number in (signal.SIGTERM, signal.SIGKILL):
            service.stop(number)
            service.start()
            service.events(10)
        wanted = service.ids(start)
        if len(wanted) != 30:
            faults.append(f"examples/sse: the log has {len(wanted)} events, not 30")
        for name, (process, out) in clients.items():
            wait(lambda: seen(out)[0][-1:] == wanted[-1:])
            ids = seen(out)[0]
            if ids != wanted:
                lost, repeated = len(set(wanted) - set(ids)), len(ids) - len(set(ids))
                error = (folder / f"{name}.err").read_text()[-500:]
                faults.append(f"examples/sse, {name}: {len(ids)} events, {lost} lost, {repeated} repeated; {error}")
            if process.poll() is not None:
                faults.append(f"examples/sse, {name}: ended with {process.returncode}")
    finally:
        for process, _ in clients.values():
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        service.stop(signal.SIGTERM)
    print(
        f"examples/sse: {', '.join(clients)} saw {len(wanted)} events through a restart and a kill, "
        f"each once and in order; {len(faults)} faults; {time.monotonic() - begin:.0f} s"
        if not faults else "examples/sse: FAILED"
    )
    return faults
