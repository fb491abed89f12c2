# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Clients of the fleet's event stream that change the node again and again."""
import http.client
import random
import re
import socket
import threading
import time


class StreamClient:
    """Reads `/events` of one node after the other with `Last-Event-ID`, and keeps every event as it was received."""

    def __init__(self, name, nodes, newest, seed, accepts_reset=False, patience=1):
        """- newest: the id of the last event that it does not want.
        - accepts_reset: whether the log may begin another epoch; what was received before is forgotten then.
        - patience: how much longer than usual it stays and waits.
        """
        self.name, self.nodes, self.newest, self.accepts_reset, self.patience = name, nodes, newest, accepts_reset, patience
        #: The reasons of the resets, and the last id before the events.
        self.resets, self.base = [], newest
        self.events = {}
        self.faults = []
        self.connections = 0
        self.seen = threading.Condition()
        self.random = random.Random(seed)
        self.is_ended = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    @property
    def number(self):
        return int(self.newest.rsplit("-", 1)[1])

    def has(self, id):
        """Whether it has an event of its epoch and all before."""
        return self.newest.rsplit("-", 1)[0] == id.rsplit("-", 1)[0] and self.number >= int(id.rsplit("-", 1)[1])

    def run(self):
        while not self.is_ended:
            connection = http.client.HTTPConnection("127.0.0.1", self.random.choice(self.nodes).port, timeout=2.5 * self.patience)
            try:
                self.read(connection, time.monotonic() + self.patience * self.random.uniform(0.5, 6))
            except (OSError, http.client.HTTPException, socket.timeout):
                time.sleep(0.05)
            finally:
                connection.close()

    def read(self, connection, end):
        connection.request("GET", "/events?scope=fleet", headers={"Last-Event-ID": self.newest})
        response = connection.getresponse()
        if response.status != 200:
            # 503: this node's database is away.
            time.sleep(0.2)
            return
        self.connections += 1
        block = []
        # Keep-alives come every second, so this ends a stream in time.
        while time.monotonic() < end and not self.is_ended:
            line = response.readline()
            if not line:
                return
            if line not in (b"\n", b"\r\n"):
                block.append(line)
            else:
                self.take(block)
                block = []

    def take(self, block):
        id = next((line[3:].strip().decode() for line in block if line.startswith(b"id:")), None)
        kind = next((line[6:].strip().decode() for line in block if line.startswith(b"event:")), None)
        if self.accepts_reset and kind in ("reset", "snapshot"):
            self.begin_again(kind, id, b"".join(block))
            return
        if kind == "reset":
            self.faults.append(f"client {self.name}: {b''.join(block).decode().strip()}")
            self.newest = id or self.newest
        if kind in (None, "hello", "reset", "shutdown"):
            # A keep-alive repeats the id; it must not be ahead of the events.
            if id not in (None, self.newest):
                self.faults.append(f"client {self.name}: {kind or 'keep-alive'} with {id} after {self.newest}")
            return
        if id is None:
            return self.faults.append(f"client {self.name}: {kind} without an id after {self.newest}")
        if id != f"{self.newest.rsplit('-', 1)[0]}-{self.number + 1}":
            self.faults.append(f"client {self.name}: event {id} after {self.newest}")
        with self.seen:
            self.newest = id
            self.events[self.number] = b"".join(block)
            self.seen.notify_all()

    def begin_again(self, kind, id, block):
        if kind == "reset":
            self.resets.append(re.search(rb'"reason":"([a-z_]*)"', block).group(1).decode())
        if id:
            # The last page of the snapshot.
            with self.seen:
                self.newest = self.base = id
                self.events = {}

    def end(self):
        self.is_ended = True
        self.thread.join(10)
