# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""A reachd on loopback of this namespace, and a neighbour behind a veth link that can be pulled."""
import json
import os
import signal
import socket
import subprocess
import time
import urllib.request


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def run(*words):
    subprocess.run(words, check=True, capture_output=True)


class Neighbour:
    """A namespace at the other end of a link: our gateway, 192.0.2.1, with 198.51.100.10 and .11 behind it."""

    def __init__(self):
        # Sleeps in a separate namespace; prints a line when it is ready.
        self.process = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo; exec sleep infinity"], stdout=subprocess.PIPE)
        self.process.stdout.readline()
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "uplink", "type", "veth", "peer", "name", "far", "netns", str(self.process.pid))
        run("ip", "address", "add", "192.0.2.2/24", "dev", "uplink")
        # Duplicate address detection would change the network during the first tests.
        run("ip", "link", "set", "uplink", "addrgenmode", "none")
        run("ip", "link", "set", "uplink", "up")
        for words in ("link set lo up", "address add 192.0.2.1/24 dev far", "address add 198.51.100.10/32 dev lo",
                      "address add 198.51.100.11/32 dev lo", "link set far up"):
            self.inside("ip", *words.split())
        run("ip", "route", "add", "default", "via", "192.0.2.1")

    def inside(self, *words):
        run("nsenter", f"--net=/proc/{self.process.pid}/ns/net", *words)

    def pull(self):
        self.inside("ip", "link", "set", "far", "down")

    def plug(self):
        self.inside("ip", "link", "set", "far", "up")

    def close(self):
        self.process.kill()
        self.process.wait()


class Routers:
    """Three routers in a row: the neighbour, 203.0.113.2 and 203.0.113.6, and behind them 198.51.100.40 with a web server."""

    def __init__(self, neighbour):
        self.neighbour = neighbour
        self.spaces = [neighbour.process]
        for number in range(3):
            space = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo; exec sleep infinity"], stdout=subprocess.PIPE)
            space.stdout.readline()
            near, far = f"203.0.113.{4 * number + 1}", f"203.0.113.{4 * number + 2}"
            run("nsenter", f"--net=/proc/{self.spaces[-1].pid}/ns/net", "ip", "link", "add", f"down{number}", "type", "veth", "peer", "name", "up0", "netns", str(space.pid))
            self.inside(number, "ip", "address", "add", f"{near}/30", "dev", f"down{number}")
            self.inside(number, "ip", "link", "set", f"down{number}", "up")
            self.spaces.append(space)
            for words in (f"address add {far}/30 dev up0", "link set lo up", "link set up0 up", f"route add default via {near}"):
                self.inside(number + 1, "ip", *words.split())
            self.inside(number, "ip", "route", "add", "198.51.100.40", "via", far)
            # Every hop reports each packet.
            self.inside(number, "sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv4.icmp_ratelimit=0")
        self.inside(3, "ip", "address", "add", "198.51.100.40/32", "dev", "lo")
        self.server = subprocess.Popen(["nsenter", f"--net=/proc/{self.spaces[3].pid}/ns/net", "python3", "-m", "http.server", "443", "--bind", "198.51.100.40"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def inside(self, number, *words):
        run("nsenter", f"--net=/proc/{self.spaces[number].pid}/ns/net", *words)

    def cut(self):
        """The third router discards packets without a report."""
        self.inside(2, "ip", "route", "replace", "blackhole", "198.51.100.40")

    def refuse(self):
        """The third router reports that it has no way."""
        self.inside(2, "ip", "route", "replace", "unreachable", "198.51.100.40")

    def restore(self):
        for kind in ("blackhole", "unreachable"):
            subprocess.run(["nsenter", f"--net=/proc/{self.spaces[2].pid}/ns/net", "ip", "route", "delete", kind, "198.51.100.40"], capture_output=True)
        self.inside(2, "ip", "route", "replace", "198.51.100.40", "via", "203.0.113.10")

    def close(self):
        for process in (self.server, *reversed(self.spaces[1:])):
            process.kill()
            process.wait()


class Reachd:
    def __init__(self, binary, folder, text, name="reachd", base="", port=None):
        self.binary, self.folder, self.port = binary, folder, port or free_port()
        self.url = f"http://127.0.0.1:{self.port}{base}"
        self.file = os.path.join(folder, f"{name}.yaml")
        self.log = open(os.path.join(folder, f"{name}.log"), "w")
        with open(self.file, "w") as file:
            file.write(f"listen: 127.0.0.1:{self.port}\nlog: {{ level: error }}\n{text}\n")
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.binary, "serve", "--config", self.file], stdout=self.log, stderr=self.log,
            env={**os.environ, "STATE_DIRECTORY": self.folder},
        )
        end = time.time() + 60
        while time.time() < end:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5).read()
                return
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit("page: reachd ended:\n" + open(self.log.name).read()) from None
                time.sleep(0.05)
        raise SystemExit("page: reachd does not answer")

    def stop(self, number=signal.SIGTERM):
        if self.process:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(number)
            self.process.wait()
            self.process = None

    def send(self, method, path, body=None, token=None):
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        data = json.dumps(body).encode() if body is not None else None
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers, method=method), timeout=60) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def await_(self, condition, seconds=20):
        end = time.time() + seconds
        while not condition():
            assert time.time() < end, f"the service is not so within {seconds} s"
            time.sleep(0.02)
