# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""PostgreSQL servers that Patroni keeps, one of them the primary, with etcd."""
import os
import shutil
import signal
import subprocess
import time

from database import PROGRAMS

#: Patroni's shortest time after which the others notice that a machine is gone, in seconds.
TTL = 20


def obstacle():
    """Why there can be no cluster; None when there can."""
    absent = [name for name in ("etcd", "patroni") if shutil.which(name) is None]
    return f"not installed: {', '.join(absent)} (packages etcd-server and patroni)" if absent else None


class Cluster:
    """Three servers `127.0.1.1` to `.3` in Patroni's synchronous mode: one standby has all that the primary has confirmed."""

    def __init__(self, folder):
        self.folder, self.processes = folder, {}
        self.addresses = [f"127.0.1.{number}" for number in (1, 2, 3)]
        hosts = ",".join(f"{address}:5432" for address in self.addresses)
        self.uri = f"postgresql://{hosts}/reachd?sslmode=disable&target_session_attrs=read-write&user="
        os.mkdir(folder)
        # A disk that syncs slowly beside other trials must not end its leases.
        self.etcd = self.spawn("etcd", ["etcd", "--data-dir", f"{folder}/etcd", "--unsafe-no-fsync", "--heartbeat-interval", "500",
                                        "--election-timeout", "5000"])
        for number, address in enumerate(self.addresses, 1):
            self.start(number)
            if number == 1:
                self.wait("SELECT NOT pg_is_in_recovery()", "t", [address], of="postgres")
        self.await_standbys()
        self.change("CREATE DATABASE reachd", of="postgres")
        self.change("CREATE ROLE reachd LOGIN")

    def spawn(self, name, command):
        with open(f"{self.folder}/log", "a") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, start_new_session=True)

    def start(self, number):
        """Starts a server with Patroni; without data, it copies those of the primary."""
        address, data = self.addresses[number - 1], f"{self.folder}/db-{number}"
        sockets = f"{self.folder}/sockets-{number}"
        os.makedirs(sockets, exist_ok=True)
        with open(f"{self.folder}/db-{number}.yaml", "w") as file:
            file.write(f"""
scope: reachd
name: db-{number}
restapi: {{ listen: '{address}:8008', connect_address: '{address}:8008' }}
etcd3: {{ host: '127.0.0.1:2379' }}
bootstrap:
  dcs: {{ ttl: {TTL}, loop_wait: 1, retry_timeout: 3, synchronous_mode: true }}
  initdb: [ {{ encoding: UTF8 }}, no-sync ]
postgresql:
  listen: '{address}:5432'
  connect_address: '{address}:5432'
  data_dir: '{data}'
  bin_dir: '{PROGRAMS}'
  pgpass: '{self.folder}/pgpass-{number}'
  authentication: {{ superuser: {{ username: postgres, password: p }}, replication: {{ username: replicator, password: p }} }}
  parameters: {{ unix_socket_directories: '{sockets}', max_connections: 100, shared_buffers: 32MB, fsync: 'off' }}
  pg_hba: [ local all all trust, local replication all trust, host all all all trust, host replication all all trust ]
""")
        # PostgreSQL refuses to run as root, and Patroni starts it.
        self.processes[number] = self.spawn(f"db-{number}", ["unshare", "--user", "patroni", f"{self.folder}/db-{number}.yaml"])

    def query(self, statement, of="reachd", addresses=None, separator="\t"):
        """The rows of a statement, each a list of texts, from the primary or from one of some servers."""
        connection = f"host={','.join(addresses or self.addresses)} port=5432 user=postgres dbname={of} connect_timeout=2"
        if addresses is None:
            connection += " target_session_attrs=read-write"
        result = subprocess.run([f"{PROGRAMS}/psql", "-X", "-q", "-A", "-t", "-F", separator, "-v", "ON_ERROR_STOP=1", connection],
                                capture_output=True, text=True, input=statement)
        if result.returncode:
            raise RuntimeError(f"psql: {result.stderr}")
        return [line.split(separator) for line in result.stdout.splitlines()]

    def value(self, statement, of="reachd"):
        return self.query(statement, of)[0][0]

    def change(self, statement, of="reachd"):
        self.query(statement, of)

    def wait(self, statement, value, addresses=None, of="reachd", seconds=60):
        end = time.monotonic() + seconds
        while True:
            try:
                if self.query(statement, of, addresses)[0][0] == value:
                    return
            except RuntimeError:
                pass
            if time.monotonic() > end:
                with open(f"{self.folder}/log", errors="replace") as log:
                    raise RuntimeError(f"not within {seconds} s: {statement} is {value}\n" + log.read()[-2000:])
            time.sleep(0.1)

    def await_standbys(self):
        """Two standbys follow the primary, one of them synchronously."""
        self.wait("SELECT count(*) || ' ' || count(*) FILTER (WHERE sync_state = 'sync') FROM pg_stat_replication "
                  "WHERE state = 'streaming'", "2 1", of="postgres", seconds=90)

    @property
    def primary(self):
        """The number of the primary."""
        return self.addresses.index(self.value("SELECT host(inet_server_addr())", of="postgres")) + 1

    def kill(self, number):
        """As when a machine's power fails: Patroni and all processes of the server."""
        with open(f"{self.folder}/db-{number}/postmaster.pid") as file:
            server = int(file.readline())
        with open(f"/proc/{server}/task/{server}/children") as file:
            children = [int(child) for child in file.read().split()]
        self.processes.pop(number).kill()
        for process in [server, *children]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def rejoin(self, number):
        """The machine comes back without its data."""
        for folder in ("db", "sockets"):
            shutil.rmtree(f"{self.folder}/{folder}-{number}")
        self.start(number)
        self.await_standbys()

    def stop(self):
        for number in list(self.processes):
            try:
                self.kill(number)
            except OSError:
                pass
        self.etcd.kill()
