# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""A service under valgrind's callgrind, which counts instructions: the same for the same work, whatever else the machine does.

Used by Benchmarks/instructions, inside its network namespace.
"""
import http.client
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

PORT = 7532
# callgrind counts a `rep stosb` once for each byte, where the processor writes 32 bytes in a step: the C library does it in steps, too,
# for a block of any length.
COUNTED = {"GLIBC_TUNABLES": "glibc.cpu.x86_rep_stosb_threshold=1073741824:glibc.cpu.x86_rep_movsb_threshold=1073741824"}
# A folder that keeps callgrind's own files.
kept = ""
ALLOCATORS = ("malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign")


class Profile:
    """What the process did between two points of time."""

    def __init__(self, text):
        self.instructions, self.allocations, self.functions, self.calls = 0, 0, {}, {}
        names = {}
        name = called = ""

        def named(value):
            number, _, text = value.partition(" ")
            if text:
                # A function that calls itself has copies with a number.
                names[number] = re.sub(r"'\d+$", "", text)
            return names[number]

        is_call = False
        for line in text.splitlines():
            if line.startswith("fn="):
                name = named(line[3:])
            elif line.startswith("cfn="):
                called = named(line[4:])
            elif line.startswith("calls="):
                is_call = True
                self.calls[called] = self.calls.get(called, 0) + int(line[6:].split()[0])
                # callgrind's own name has the version of the symbol behind it.
                if called.split("@")[0] in ALLOCATORS:
                    self.allocations += int(line[6:].split()[0])
            elif line[:1] in "0123456789+-*" and line:
                # The line behind `calls=` has what the called function ran.
                if not is_call:
                    cost = int(line.split()[-1])
                    self.functions[name] = self.functions.get(name, 0) + cost
                    self.instructions += cost
                is_call = False

    def calls_of(self, part):
        """How often functions were called whose symbols have a part; without the closures in them, whose symbols go on behind an F."""
        return sum(count for name, count in self.calls.items() if part in name and name.endswith("F"))

    def __sub__(self, other):
        """What this one has beyond another."""
        rest = Profile("")
        rest.instructions = self.instructions - other.instructions
        rest.allocations = self.allocations - other.allocations
        rest.functions = {name: cost - other.functions.get(name, 0) for name, cost in self.functions.items()}
        return rest


def profile_of(*words):
    """What a program runs from its begin to its end."""
    with tempfile.TemporaryDirectory(prefix="reachd-instructions-") as path:
        subprocess.run(["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={path}/out", *words],
                       check=True, env=dict(os.environ, **COUNTED))
        with open(f"{path}/out", errors="replace") as file:
            return Profile(file.read())


class Service:
    """`reachd serve` with a configuration, in a folder of its own."""

    def __init__(self, reachd, configuration, counts_start=False):
        self.folder = tempfile.TemporaryDirectory(prefix="reachd-instructions-")
        path = self.folder.name
        with open(f"{path}/reachd.yaml", "w") as file:
            file.write(f"listen: 127.0.0.1:{PORT}\n{configuration}")
        # Orders of dictionaries are the same in each run.
        environment = dict(os.environ, **COUNTED, SWIFT_DETERMINISTIC_HASHING="1", STATE_DIRECTORY=path, TMPDIR=path)
        self.log = open(f"{path}/log", "w+")
        self.process = subprocess.Popen(
            ["valgrind", "--tool=callgrind", f"--instr-atstart={'yes' if counts_start else 'no'}",
             f"--callgrind-out-file={path}/out", f"--vgdb-prefix={path}/vgdb", reachd, "serve",
             "--config", f"{path}/reachd.yaml", "--log-level", "warning"],
            env=environment, stdout=self.log, stderr=subprocess.STDOUT,
        )
        self.connection = None
        self.until(lambda: self.ask("/readyz")[0] == 200, 120)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        self.folder.cleanup()

    def ask(self, path, method="GET", headers=None, body=None):
        """A request over a connection that is kept: the status, the headers and the body."""
        try:
            self.connection = self.connection or http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
            self.connection.request(method, path, body, dict(headers or {}))
            response = self.connection.getresponse()
            return response.status, response.headers, response.read()
        except OSError:
            self.connection = None
            return 0, {}, b""

    def json(self, path):
        return json.loads(self.ask(path)[2])

    def until(self, condition, seconds):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end or self.process.poll() is not None:
                self.log.seek(0)
                raise SystemExit(f"instructions: the service is not as expected after {seconds} s\n{self.log.read()[-2000:]}")
            time.sleep(0.05)

    def control(self, *words):
        path = self.folder.name
        subprocess.run(["vgdb", f"--vgdb-prefix={path}/vgdb", f"--pid={self.process.pid}", *words],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def count(self, work):
        """Counts what the whole process runs during some work."""
        self.control("instrumentation", "on")
        work()
        self.control("instrumentation", "off")
        return self.profile()

    def profile(self):
        """What was counted since the last one."""
        path = self.folder.name
        self.control("dump", "x")
        files = sorted((name for name in os.listdir(path) if name.startswith("out.")), key=lambda name: int(name[4:]))
        if kept:
            shutil.copy(f"{path}/{files[-1]}", os.path.join(kept, f"profile.{len(os.listdir(kept))}"))
        with open(f"{path}/{files[-1]}", errors="replace") as file:
            return Profile(file.read())
