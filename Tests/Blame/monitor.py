# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""The reachd of a trial: its process, its HTTP interface and its events."""
import datetime
import http.client
import json
import os
import subprocess
import threading
import time

PORT = 7532


def wait(condition, seconds, pause=0.3):
    """Waits until a condition holds; whether it did in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True


def seconds(text):
    """A time of the HTTP interface, in seconds since 1970."""
    return datetime.datetime.fromisoformat(text).timestamp()


class Monitor:
    def __init__(self, binary, folder, configuration):
        self.binary, self.folder = binary, folder
        with open(f"{folder}/reachd.yaml", "w") as file:
            file.write(f"listen: '127.0.0.1:{PORT}'\nauto_targets: false\nstate_file: none\n"
                       f"history: {{ path: {folder}/history.db }}\n{configuration}")
        #: Types and contents in the order of their arrival.
        self.events = []
        self.position, self.is_open = None, True
        self.process = None
        self.start()
        self.follower = threading.Thread(target=self.follow, daemon=True)
        self.follower.start()

    def start(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("REACHD_")}
        with open(f"{self.folder}/log", "a") as log:
            self.process = subprocess.Popen([self.binary, "serve", "--config", f"{self.folder}/reachd.yaml"], stdout=log, stderr=log,
                                            env=environment)
        if not wait(self.is_ready, 60):
            raise RuntimeError("reachd does not answer: " + self.log())

    def is_ready(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"reachd ended with {self.process.returncode}: {self.log()}")
        try:
            self.get("/status")
        except (OSError, http.client.HTTPException):
            return False
        return True

    def kill(self):
        self.process.kill()
        self.process.wait()

    def log(self):
        with open(f"{self.folder}/log", errors="replace") as file:
            return "".join(file.readlines()[-10:])

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=30)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            body = response.read()
            if response.status != 200:
                raise RuntimeError(f"GET {path}: {response.status} {body[:300]!r}")
            return json.loads(body)
        finally:
            connection.close()

    def targets(self):
        """State and cause of each target."""
        answer = self.get("/targets?limit=1000&fields=state,cause,reason")
        return {target["id"]: target for target in answer["targets"]}

    def incidents(self):
        return self.get("/incidents?limit=1000")["incidents"]

    def follow(self):
        """Receives all events and results, across restarts."""
        while self.is_open:
            try:
                self.read_stream()
            except (OSError, http.client.HTTPException, ValueError):
                pass
            time.sleep(0.1)

    def read_stream(self):
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
        since = f"&since={self.position}" if self.position else ""
        try:
            connection.request("GET", f"/events?include=result{since}")
            response = connection.getresponse()
            kind, data = None, ""
            for line in response:
                line = line.decode().rstrip("\n")
                name, _, value = line.partition(": ")
                if name == "event":
                    kind = value
                elif name == "data":
                    data = value
                elif name == "id":
                    self.position = value
                elif not line:
                    if kind:
                        self.events.append((kind, json.loads(data)))
                    kind, data = None, ""
        finally:
            connection.close()

    def of(self, kind, since=0.0):
        """The contents of the events of a type, not older than a time."""
        return [data for name, data in list(self.events) if name == kind and seconds(data["at"]) >= since]

    def close(self):
        self.is_open = False
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
