# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""A server whose targets are switched off and on: each is a port that accepts connections, or refuses them."""
import selectors
import socket
import subprocess
import sys
import threading

#: Accepts connections on all addresses, and says when it listens.
_SINK = """
import socket, sys
listener = socket.create_server(("0.0.0.0", int(sys.argv[1])), backlog=4096)
print(flush=True)
while True:
    listener.accept()[0].close()
"""


def sink():
    """A process that accepts connections on all addresses, at port 18090."""
    process = subprocess.Popen([sys.executable, "-c", _SINK, "18090"], stdout=subprocess.PIPE)
    process.stdout.readline()
    return process


class TargetServer:
    """- address: where it listens."""

    def __init__(self, address="127.0.0.1"):
        self.address = address
        self.ports, self.listeners = {}, {}
        self.lock = threading.Lock()
        self.selector = selectors.DefaultSelector()
        self.wakeup, waker = socket.socketpair()
        self.selector.register(waker, selectors.EVENT_READ)
        threading.Thread(target=self.serve, daemon=True).start()

    def add(self, name, port):
        """A target that is up."""
        self.ports[name] = port
        self.set(name, True)

    def set(self, name, is_up):
        with self.lock:
            if is_up == (name in self.listeners):
                return
            if is_up:
                listener = socket.create_server((self.address, self.ports[name]), backlog=512)
                listener.setblocking(False)
                self.listeners[name] = listener
                self.selector.register(listener, selectors.EVENT_READ)
            else:
                listener = self.listeners.pop(name)
                self.selector.unregister(listener)
                listener.close()

    def is_up(self, name):
        with self.lock:
            return name in self.listeners

    def serve(self):
        while True:
            for key, _ in self.selector.select(0.1):
                try:
                    for _ in range(64):
                        key.fileobj.accept()[0].close()
                except OSError:
                    continue
