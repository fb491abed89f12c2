# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Discovery of containers over the socket of a real Podman, which runs as root with runc.

The container has one static program, busybox, which serves HTTP on the network of the machine.
"""

import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.request

from support import REACHD, Engine, eventually


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class PodmanTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="reachd-box-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.engine = Engine(self.folder)
        self.addCleanup(lambda: self.engine("system", "reset", "--force", check=False))
        tar = subprocess.Popen(["tar", "-C", "/bin", "-c", "busybox"], stdout=subprocess.PIPE)
        self.engine("import", "-", "localhost/busybox", stdin=tar.stdout)
        tar.wait()
        self.socket = self.folder / "podman.sock"
        self.serve_api()

    def start(self, *command):
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def serve_api(self):
        self.service = self.start(*self.engine.command("system", "service", "--time", "0", f"unix://{self.socket}"))
        eventually("socket", self.socket.exists)

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as reply:
            return json.load(reply)

    def target(self, state):
        """Waits until the container's target has a state, and returns it with the time that this took."""
        begin = time.monotonic()
        target = eventually(state, lambda: next((t for t in self.get("/targets")["targets"] if t["state"] == state), None))
        return target, time.monotonic() - begin

    def test_life(self):
        """A labelled container is up, down when it is stopped, and gone when it is removed; without the engine it remains."""
        self.port, served = free_port(), free_port()
        configuration = self.folder / "reachd.yaml"
        configuration.write_text(
            f"""
            listen: 127.0.0.1:{self.port}
            history: {{ enabled: false }}
            auto_targets: false
            discovery:
              containers:
                - {{ socket: "unix://{self.socket}", probe: {{ type: tcp, interval: 1s, timeout: 500ms, fall: 1, rise: 1 }} }}
            """
        )
        self.start(REACHD, "serve", "--config", configuration)
        eventually("service", lambda: self.get("/status"))
        labels = ["reachd.enable=true", f"reachd.port={served}", "reachd.group=shop"]
        self.engine(
            "run", "--detach", "--name", "web", "--network", "host", *[w for l in labels for w in ("--label", l)],
            "localhost/busybox", "/busybox", "httpd", "-f", "-p", f"127.0.0.1:{served}", "-h", "/",
        )  # fmt: skip
        target, seconds = self.target("up")
        self.assertEqual((target["id"], target["group"], target["source"]), ("container:web", "shop", "containers"))
        times = {"started": seconds}
        self.engine("stop", "--time", "1", "web")
        times["stopped"] = self.target("down")[1]
        self.engine("start", "web")
        times["started again"] = self.target("up")[1]

        self.service.kill()
        self.service.wait()
        eventually("failure", lambda: "error" in self.get("/status")["discovery"][0])
        self.assertEqual(self.get("/targets/container:web")["state"], "up")
        self.socket.unlink()
        self.serve_api()
        eventually("recovery", lambda: "error" not in self.get("/status")["discovery"][0], limit=90)

        self.engine("rm", "--force", "--time", "1", "web")
        begin = time.monotonic()
        eventually("removal", lambda: not self.get("/targets")["targets"])
        times["removed"] = time.monotonic() - begin
        print("\nseconds until the target follows: " + ", ".join(f"{name} {value:.2f}" for name, value in times.items()), flush=True)
