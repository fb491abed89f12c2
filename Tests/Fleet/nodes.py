# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Processes of reachd that form a fleet."""
import collections
import http.client
import json
import os
import signal
import subprocess
import time

import audit

#: The fleets' lease in seconds.
LEASE = 3


def wait(condition, seconds=60, pause=0.05, what="condition"):
    """Waits until a condition holds; its value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(pause)


class Node:
    def __init__(self, binary, folder, name, location, port, uri, prefix=(), more="", address="127.0.0.1", history=None,
                 fleet=""):
        """- prefix: the command that starts it, such as in a network namespace.
        - address: where its HTTP interface is reached.
        - history: the file of its event log.
        - fleet: more members of its section `fleet`.
        """
        self.binary, self.folder, self.name, self.location, self.port = binary, folder, name, location, port
        self.prefix, self.process, self.address = list(prefix), None, address
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/reachd.yaml", "w") as file:
            file.write(f"listen: [ '*:{port}' ]\nauto_targets: false\nstate_file: none\nevents: {{ heartbeat: 1s }}\n"
                       f"history: {{ path: {history or f'{folder}/history.db'} }}\n"
                       f"fleet: {{ database: '{uri}', node: {name}, location: {location}, url: 'http://127.0.0.1:{port}', {fleet} }}\n{more}")
        self.start()

    def start(self):
        with open(f"{self.folder}/log", "a") as log:
            self.process = subprocess.Popen([*self.prefix, self.binary, "serve", "--config", f"{self.folder}/reachd.yaml"],
                                            stdout=log, stderr=log)

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()

    def get(self, path):
        """The body of an answer of its HTTP interface."""
        connection = http.client.HTTPConnection(self.address, self.port, timeout=3)
        try:
            connection.request("GET", path)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    @property
    def fault(self):
        """The code of the reason why it cannot use the database; None when it can."""
        try:
            return self.get("/fleet")["database"].get("code")
        except OSError as error:
            return f"no answer: {error}"

    def logged(self, text):
        """How many lines of its log contain a text."""
        with open(f"{self.folder}/log", errors="replace") as file:
            return sum(text in line for line in file)

    @property
    def has_crashed(self):
        return self.process.poll() not in (None, -signal.SIGKILL)


class Fleet:
    """A database and its nodes."""

    #: How long locations may disagree, in seconds.
    settle = 1

    def __init__(self, binary, folder, database, lease=LEASE):
        self.binary, self.folder, self.database, self.lease, self.nodes = binary, folder, database, lease, []
        self.command("init", "--user", "reachd", user="postgres")
        self.database.change(audit.TRIGGERS)
        # The settings, before a node joins.
        self.apply([])

    def command(self, verb, *words, user="reachd"):
        result = subprocess.run([self.binary, "fleet", verb, *words, "--database", self.database.uri + user], capture_output=True, text=True)
        if result.returncode:
            raise AssertionError(f"reachd fleet {verb}: {result.stdout}{result.stderr}")
        return result.stdout

    def add(self, location, port, host=None, **options):
        """- host: where the node finds the database; default: as the database has it."""
        name = f"node-{len(self.nodes) + 1}"
        uri = f"postgresql://reachd@{host}/reachd?sslmode=disable" if host else self.database.uri + "reachd"
        self.nodes.append(Node(self.binary, f"{self.folder}/{name}", name, location, port, uri, **options))

    def apply(self, lines):
        with open(f"{self.folder}/targets.yaml", "w") as file:
            file.write(f"source: main\nsettings: {{ lease: {self.lease}s, settle: {self.settle}s }}\ntargets:{'' if lines else ' []'}\n" + "".join(
                f"  - {line}\n" for line in lines))
        self.command("apply", f"{self.folder}/targets.yaml")

    @property
    def coordinator(self):
        name = self.database.value("SELECT coordinator FROM reachd.log_head")
        return next((node for node in self.nodes if node.name == name), None)

    @property
    def newest(self):
        """The id of the newest event."""
        return self.database.value("SELECT epoch || '-' || seq FROM reachd.log_head")

    def owners(self):
        """Every assignment with its token."""
        rows = self.database.query("SELECT placement, shard, location, node, token FROM reachd.assignments")
        return {tuple(row[:3]): tuple(row[3:]) for row in rows}

    def moved(self, before, when=""):
        """A fault for the assignments whose owners or tokens have changed."""
        after = self.owners()
        moves = collections.Counter((before[key][0], after.get(key, ("nobody",))[0]) for key in before if after.get(key) != before[key])
        if not moves:
            return []
        words = ", ".join(f"{count} from {old} to {new}" for (old, new), count in moves.items())
        return [f"{sum(moves.values())} of {len(before)} assignments moved {when}: {words}"]

    def states(self):
        return dict(self.database.query("SELECT target, state FROM reachd.verdicts"))

    def await_all_up(self, count, seconds=60):
        wait(lambda: self.database.value("SELECT count(*) FROM reachd.verdicts WHERE state = 'up'") == str(count) and
             self.database.value("SELECT count(*) FROM reachd.assignments WHERE node IS NOT NULL AND confirmed <> token") == "0",
             seconds, 0.2, f"{count} targets are up")

    def crashed(self):
        return [f"{node.name} ended with status {node.process.returncode}" for node in self.nodes if node.has_crashed]

    def close(self):
        for node in self.nodes:
            if node.process.poll() is None:
                node.kill()
        self.database.stop()
