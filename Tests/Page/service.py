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
        # Sleeps in a namespace of its own; says when it is there.
        self.process = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo; exec sleep infinity"], stdout=subprocess.PIPE)
        self.process.stdout.readline()
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "uplink", "type", "veth", "peer", "name", "far", "netns", str(self.process.pid))
        run("ip", "address", "add", "192.0.2.2/24", "dev", "uplink")
        # An address that the kernel tries out for a second or two would be a change of the network under the first pages.
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
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/livez", timeout=5).read()
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
