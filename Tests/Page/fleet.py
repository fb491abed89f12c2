# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""A fleet: a PostgreSQL server of its own, two nodes in two locations, and targets that both watch."""
import glob
import os
import signal
import socket
import subprocess
import threading
import time

from service import Reachd, free_port

#: The folder of PostgreSQL's programs; None when it is not installed.
PROGRAMS = max(glob.glob("/usr/lib/postgresql/*/bin"), default=None)


class Database:
    """PostgreSQL refuses to run as root; in a user namespace without a mapping it has no name and is nobody."""

    def __init__(self, folder):
        self.folder, self.process = folder, None
        os.mkdir(folder)
        self.run("initdb", "-D", f"{folder}/data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")
        self.start()
        self.change("CREATE DATABASE reachd", of="postgres")
        self.change("CREATE ROLE reachd LOGIN")

    def run(self, program, *words):
        subprocess.run(["unshare", "--user", f"{PROGRAMS}/{program}", *words], check=True, capture_output=True)

    def change(self, statement, of="reachd"):
        self.run("psql", "-h", self.folder, "-U", "postgres", "-q", "-v", "ON_ERROR_STOP=1", "-c", statement, of)

    def start(self):
        self.process = subprocess.Popen(
            ["unshare", "--user", f"{PROGRAMS}/postgres", "-D", f"{self.folder}/data", "-c", "listen_addresses=", "-c", "fsync=off",
             "-c", f"unix_socket_directories={self.folder}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.time() + 20
        while subprocess.run([f"{PROGRAMS}/pg_isready", "-q", "-h", self.folder]).returncode != 0:
            assert time.time() < end and self.process.poll() is None, "PostgreSQL does not start"
            time.sleep(0.05)

    def stop(self):
        """At once: connections end."""
        if self.process:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
            self.process = None


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
