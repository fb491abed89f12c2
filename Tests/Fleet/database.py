# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""A PostgreSQL server in a folder of its own."""
import glob
import os
import shutil
import signal
import subprocess
import time

#: The folder of PostgreSQL's programs; None when it is not installed.
PROGRAMS = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]), default=None)


class Database:
    """PostgreSQL refuses to run as root; in a user namespace without a mapping it has no name and is nobody.

    It has a database and a role `reachd`, and accepts every connection without a password.
    """

    def __init__(self, folder, addresses="", fsync="off", settings=None, initdb=(), environment=None, access="host all all all trust",
                 is_empty=False):
        """- settings: more of its settings.
        - initdb: options for its creation.
        - environment: more variables of its processes.
        - access: who may connect to the addresses, as in pg_hba.conf.
        - is_empty: without the database and the role.
        """
        self.folder, self.process = folder, None
        #: A connection URI without the name of the role at its end.
        self.uri = f"postgresql:///reachd?host={folder}&user="
        self.settings = {"listen_addresses": addresses, "unix_socket_directories": folder, "max_connections": "200", "fsync": fsync,
                         **(settings or {})}
        self.environment = {**os.environ, **(environment or {})}
        os.makedirs(folder, exist_ok=True)
        self.run("initdb", "-D", f"{folder}/data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync", *initdb)
        if addresses:
            with open(f"{folder}/data/pg_hba.conf", "a") as file:
                file.write(f"{access}\n")
        self.start()
        if is_empty:
            return
        self.change("CREATE DATABASE reachd", of="postgres")
        self.change("CREATE ROLE reachd LOGIN")

    def run(self, program, *words, input=None):
        result = subprocess.run(["unshare", "--user", f"{PROGRAMS}/{program}", *words], capture_output=True, text=True, input=input)
        if result.returncode:
            raise RuntimeError(f"{program}: {result.stderr}")
        return result.stdout

    def query(self, statement, of="reachd", separator="\t"):
        """The rows of a statement, each a list of texts; statements are separated by semicolons."""
        text = self.run("psql", "-X", "-q", "-A", "-t", "-F", separator, "-h", self.folder, "-U", "postgres", "-v", "ON_ERROR_STOP=1",
                        of, input=statement)
        return [line.split(separator) for line in text.splitlines()]

    def value(self, statement):
        return self.query(statement)[0][0]

    def change(self, statement, of="reachd"):
        self.query(statement, of)

    def session(self, *statements):
        """Executes statements in a session that stays open until its input is closed."""
        client = subprocess.Popen(["unshare", "--user", f"{PROGRAMS}/psql", "-X", "-q", "-A", "-t", "-h", self.folder, "-U", "postgres",
                                   "reachd"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        client.stdin.write("".join(f"{statement};\n" for statement in statements) + "\\echo done\n")
        client.stdin.flush()
        while client.stdout.readline() not in ("done\n", ""):
            pass
        return client

    def start(self):
        command = ["unshare", "--user", f"{PROGRAMS}/postgres", "-D", f"{self.folder}/data"]
        for name, value in self.settings.items():
            command += ["-c", f"{name}={value}"]
        with open(f"{self.folder}/log", "a") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=self.environment)
        end = time.monotonic() + 30
        while subprocess.run([f"{PROGRAMS}/pg_isready", "-q", "-h", self.folder]).returncode != 0:
            if time.monotonic() > end or self.process.poll() is not None:
                with open(f"{self.folder}/log") as log:
                    raise RuntimeError("PostgreSQL does not start\n" + log.read()[-2000:])
            time.sleep(0.05)

    def stop(self):
        """At once: connections end."""
        if self.process:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
            self.process = None

    def processes(self):
        """The server and its children."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            return [self.process.pid, *map(int, file.read().split())]

    def signal(self, number):
        """To all processes of the server."""
        for pid in self.processes():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def back_up(self):
        """Copies the data while the server runs."""
        self.run("pg_basebackup", "-h", self.folder, "-U", "postgres", "-D", f"{self.folder}/backup", "-c", "fast", "--no-sync")

    def restore(self):
        """Replaces the data of the ended server by the copy, and starts it: after a recovery, on a new timeline."""
        shutil.rmtree(f"{self.folder}/data")
        os.rename(f"{self.folder}/backup", f"{self.folder}/data")
        with open(f"{self.folder}/data/recovery.signal", "w"):
            pass
        self.settings["restore_command"] = "false"
        self.start()
        while self.value("SELECT pg_is_in_recovery()") != "f":
            time.sleep(0.05)

    def kill(self):
        """As when the machine's power fails, but for the files."""
        self.signal(signal.SIGKILL)
        self.process.wait()
        self.process = None
