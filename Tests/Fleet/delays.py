# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""A slow network between the nodes and the database."""
import bisect
import collections
import selectors
import socket
import statistics
import threading
import time

from load import LoadedFleet


class SlowLink:
    """Passes bytes between a port and the database, each after half of a round trip. Connecting takes a round trip, as TCP does."""

    def __init__(self, port, round_trip):
        self.port, self.round_trip = port, round_trip
        self.listener = socket.create_server(("127.0.0.1", port), backlog=64)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.waiting = []
        self.peers, self.dues = {}, collections.defaultdict(float)
        self.is_ended = False
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while not self.is_ended:
            now = time.monotonic()
            while self.waiting and self.waiting[0][0] <= now:
                self.deliver(*self.waiting.pop(0)[1:])
            pause = min(0.1, self.waiting[0][0] - now) if self.waiting else 0.1
            for key, _ in self.selector.select(max(0, pause)):
                self.read(key.fileobj)

    def read(self, source):
        if source is self.listener:
            client = source.accept()[0]
            server = socket.create_connection(("127.0.0.1", 5432))
            for one, other in ((client, server), (server, client)):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.peers[one] = other
            self.selector.register(server, selectors.EVENT_READ)
            # What the client sends is read only after the handshake.
            return self.wait(client, None, self.round_trip)
        try:
            data = source.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            self.selector.unregister(source)
        self.wait(source, data, self.round_trip / 2)

    def wait(self, source, data, delay):
        # Never before earlier bytes of the connection, when the round trip becomes shorter.
        due = self.dues[source] = max(time.monotonic() + delay, self.dues[source])
        bisect.insort(self.waiting, (due, source, data), key=lambda entry: entry[0])

    def deliver(self, source, data):
        if data is None:
            self.selector.register(source, selectors.EVENT_READ)
            return
        peer = self.peers.get(source)
        if peer is None:
            return
        try:
            if data:
                peer.sendall(data)
            else:
                peer.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def trial(binary, folder, seconds, near, far, lease, seed):
    """Two nodes are at one distance of the database, and the third, which does not coordinate, is farther away.

    - near, far: the round trips in milliseconds.
    """
    links = [SlowLink(15432 + number, 0) for number in range(3)]
    load = LoadedFleet(binary, folder, seed, hosts=[f"127.0.0.1:{link.port}" for link in links], lease=lease, patience=3,
                       # What a location far away sees arrives after what the others see.
                       settle=5, options=[{}, {}, {"fleet": "coordinate: false"}])
    try:
        before, lost, checks = load.fleet.owners(), [], 0
        # What a node far away reports takes several round trips.
        load.outage = 30
        for link, milliseconds in zip(links, (near, near, far)):
            link.round_trip = milliseconds / 1000
        time.sleep(lease)
        turns, seq = len(load.delays), int(load.fleet.newest.rsplit("-", 1)[1])
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for node in load.fleet.nodes:
                standing = node.get("/fleet")
                checks += 1
                if not standing["has_lease"] or not standing["database"]["is_usable"]:
                    lost.append((node.name, standing["has_lease"], standing["database"].get("code")))
            time.sleep(0.5)
        slow, written = load.delays[turns:], int(load.fleet.newest.rsplit("-", 1)[1]) - seq
        terms = load.database.value("SELECT token FROM reachd.log_head")
        load.faults += load.fleet.moved(before)
        for link in links:
            link.round_trip = 0
        faults, counts = load.finish()
        if lost:
            faults.append(f"{len(lost)} of {checks} times a node was without a lease or the database, such as {lost[0]}")
        if not slow:
            faults.append(f"no turn arrived within {seconds} s, {written} events were written")
        return faults, (f"round trips of {near} and {far} ms to the database for {seconds} s, lease {lease} s: no lease ended, no assignment "
                        f"moved, {terms} coordinators in all; {written} events and {len(slow)} turns meanwhile, after "
                        f"{statistics.median(slow or [0]):.1f} s (median); {load.summary(counts)}")
    finally:
        load.close()
