# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""A fleet: a PostgreSQL server of its own, two nodes in two locations, and targets that both watch."""
import os
import signal
import socket
import subprocess
import sys
import threading

from service import Reachd, free_port

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Fleet"))
from database import PROGRAMS, Database


class Server:
    """A target that can be switched off."""

    def __init__(self):
        self.port, self.socket = free_port(), None
        self.open()

    def open(self):
        self.socket = socket.create_server(("127.0.0.1", self.port), backlog=64)
        threading.Thread(target=self.accept, args=(self.socket,), daemon=True).start()

    @staticmethod
    def accept(listener):
        try:
            while True:
                listener.accept()[0].close()
        except OSError:
            pass

    def close(self):
        # Without the shutdown, a waiting accept keeps the socket open.
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class Fleet:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.nodes = binary, os.path.join(folder, "fleet"), []
        os.mkdir(self.folder)
        self.server, self.steady = Server(), Server()
        self.database = Database(f"{self.folder}/database")
        self.url = f"postgresql:///reachd?host={self.database.folder}&user="
        try:
            self.command("init", "--user", "reachd", user="postgres")
            self.apply("web", "twin")
            for number, location in enumerate(("berlin", "paris"), 1):
                os.mkdir(f"{self.folder}/{number}")
                port = free_port()
                self.nodes.append(Reachd(binary, f"{self.folder}/{number}", f"""
history: {{ path: {self.folder}/{number}/history.db }}
events: {{ heartbeat: 2s }}
auto_targets: false
fleet: {{ database: "{self.url}reachd", node: node-{number}, location: {location}, url: "http://127.0.0.1:{port}" }}
targets: [ {{ id: own, name: Own, address: 127.0.0.1 }} ]""", port=port))
            self.nodes[0].await_(lambda: all(target["state"] == "up" and len(target["votes"]) == 2 for target in self.targets()))
        except BaseException:
            self.close()
            raise

    def command(self, verb, *words, user="reachd"):
        subprocess.run([self.binary, "fleet", verb, *words, "--database", self.url + user], check=True, capture_output=True)

    def targets(self):
        return self.nodes[0].send("GET", "/targets")["targets"]

    def apply(self, *ids):
        """Declares targets that both locations watch; the server of `web` can be switched off."""
        file = f"{self.folder}/targets.yaml"
        with open(file, "w") as text:
            text.write("source: page\nsettings: { lease: 3s, settle: 1s }\nwatch: { watchers: 2 }\ntargets:\n")
            for id in ids:
                text.write(f"  - {{ id: {id}, name: The {id}, address: 127.0.0.1, port: {(self.server if id == 'web' else self.steady).port}, "
                           f"group: {id}s, probe: {{ type: tcp, interval: 1s, fall: 1, rise: 1 }} }}\n")
        self.command("apply", file)

    def close(self):
        for node in self.nodes:
            node.stop(signal.SIGKILL)
        self.database.stop()
