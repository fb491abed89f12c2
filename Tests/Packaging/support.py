# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Shared by the tests of the packages."""

import json
import os
import pathlib
import subprocess
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
# The program in the packages: a release build with --all, else the debug build.
REACHD = pathlib.Path(os.environ["REACHD"])
# The cache of large files.
CACHE = pathlib.Path(os.environ["BOX_CACHE"])


def run(*command, check=True, timeout=240, **options):
    """Runs a command; a failure shows its output."""
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, **options
    )
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}")
    return done


def output(*command, **options):
    return run(*command, **options).stdout


def eventually(what, condition, limit=30):
    """Waits until a condition is true, and returns its value."""
    end = time.monotonic() + limit
    while True:
        try:
            if value := condition():
                return value
            last = "it was not so"
        except (AssertionError, OSError, ValueError, KeyError) as error:
            last = error
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not in {limit} s: {last}")
        time.sleep(0.1)


class Namespaces:
    """The namespaces of a process."""

    def __init__(self, pid):
        self.pid = pid

    def output(self, *command, kinds=("-n",), **options):
        return output("nsenter", "-t", self.pid, *kinds, *command, **options)

    def get(self, path, port=7532):
        """Returns a response of the service in the namespaces."""
        return json.loads(self.output("curl", "-sS", "--max-time", "5", f"http://127.0.0.1:{port}{path}"))

    def status(self):
        """/proc/PID/status of the process."""
        lines = pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
