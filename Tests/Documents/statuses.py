# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Tries the exit statuses of the documents' tables, the HTTP statuses of the access control, and fields of responses."""

import concurrent.futures
import hashlib
import http.server
import os
import re
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
URL = "http://127.0.0.1:7541/base"
CONFIGURATION = """\
listen: 127.0.0.1:7541
base_path: /base
auto_targets: false
limits: {{ writes_per_second: 1 }}
access:
  tokens:
    - {{ name: reader, digest: {reader} }}
    - {{ name: writer, digest: {writer}, scopes: write }}
public: {{ groups: [ web ], listen: 127.0.0.1:7542 }}
targets:
  - {{ id: closed, group: web, address: 127.0.0.1, probe: {{ type: tcp, port: 9 }} }}
  - {{ id: backup, address: 127.0.0.1, probe: {{ type: push, interval: 1d }} }}
"""
SERVICE = f"--url {URL} --token-file reader"
# The document with the table, the exit status, and the command that ends with it.
COMMANDS = [
    ("docs/command-line.md", 0, "check 127.0.0.1:7541"),
    ("docs/command-line.md", 1, "check 127.0.0.1:9"),
    ("docs/command-line.md", 1, f"check -c 0.000001 {URL}/livez"),
    ("docs/command-line.md", 2, f"check --cacert missing {URL}/livez"),
    ("docs/command-line.md", 3, "check --timeout 1s udp://127.0.0.1:7543"),
    ("docs/command-line.md", 4, "check --timeout 1s 198.51.100.1:80"),
    ("docs/command-line.md", 0, f"check --nagios {URL}/livez"),
    ("docs/command-line.md", 1, f"check --nagios -w 0.000001 {URL}/livez"),
    ("docs/command-line.md", 2, f"check --nagios -c 0.000001 {URL}/livez"),
    ("docs/command-line.md", 2, "check --nagios 127.0.0.1:9"),
    ("docs/command-line.md", 3, "check --nagios --timeout 1s udp://127.0.0.1:7543"),
    ("docs/command-line.md", 3, "check --nagios --unknown 127.0.0.1:9"),
    ("docs/command-line.md", 0, f"status {SERVICE}"),
    ("docs/command-line.md", 2, f"explain {SERVICE} unknown"),
    ("docs/command-line.md", 2, f"incidents {SERVICE} unknown"),
    ("docs/command-line.md", 69, "status --url http://127.0.0.1:7545"),
    ("docs/command-line.md", 76, "status --url http://127.0.0.1:7544"),
    ("docs/command-line.md", 77, f"status --url {URL}"),
    ("docs/command-line.md", 77, f"status --url {URL} --token-file writer"),
    ("docs/command-line.md", 78, "status --config faulty.yaml"),
    ("docs/troubleshooting.md", 2, "serve --unknown"),
    ("docs/troubleshooting.md", 69, "serve --config valid.yaml --listen 127.0.0.1:7541"),
    ("docs/troubleshooting.md", 69, "serve --config valid.yaml --listen 192.0.2.99:7545"),
    ("docs/troubleshooting.md", 78, "serve --config faulty.yaml"),
    ("docs/troubleshooting.md", 78, "serve --config valid.yaml --log-level unknown"),
    ("docs/troubleshooting.md", 78, "serve --config foreign.yaml"),
    ("docs/troubleshooting.md", 78, "serve --config required.yaml"),
]
# The status, the request, and the file of its token.
REQUESTS = [
    (200, "GET", f"{URL}/livez", None), (200, "GET", "http://127.0.0.1:7541/readyz", None),
    (404, "GET", "http://127.0.0.1:7541/status", None), (200, "GET", f"{URL}/", None),
    (401, "GET", f"{URL}/status", None), (200, "GET", f"{URL}/status", "reader"),
    (403, "GET", f"{URL}/status", "writer"), (401, "GET", f"{URL}/openapi.yaml", None),
    (503, "GET", f"{URL}/targets/backup/health", "reader"),
    (401, "POST", f"{URL}/targets/backup/heartbeat", None), (403, "POST", f"{URL}/targets/backup/heartbeat", "reader"),
    (204, "POST", f"{URL}/targets/backup/heartbeat", "writer"), (200, "GET", f"{URL}/targets/backup/health", "reader"),
    (409, "DELETE", f"{URL}/targets/closed", "writer"), (404, "GET", f"{URL}/public", None),
    (200, "GET", "http://127.0.0.1:7542/public", None), (404, "GET", "http://127.0.0.1:7542/status", None),
    (200, "GET", "http://127.0.0.1:7542/public/feed.atom", None),
]

# Fields that a response has once: its URL, the name and the value.
FIELDS = [
    (f"{URL}/events?follow=false", "X-Accel-Buffering", "no"), (f"{URL}/", "Referrer-Policy", "no-referrer"),
    ("http://127.0.0.1:7542/public", "Cache-Control", "public, max-age=5"),
]


def run(reachd, folder):
    """The statuses that differ from those of the documents."""
    folder = folder / "statuses"
    folder.mkdir()
    digests = {}
    for name in ("reader", "writer"):
        token = os.urandom(32).hex()
        (folder / name).write_text(token)
        digests[name] = hashlib.sha256(token.encode()).hexdigest()
    (folder / "reachd.yaml").write_text(CONFIGURATION.format(**digests))
    (folder / "valid.yaml").write_text("history: { enabled: false }\n")
    (folder / "faulty.yaml").write_text("lisen: 127.0.0.1:7545\n")
    sqlite3.connect(folder / "foreign.db").executescript("CREATE TABLE foreign_table (a)")
    (folder / "foreign.yaml").write_text(f"listen: 127.0.0.1:7545\nhistory: {{ path: {folder}/foreign.db }}\n")
    (folder / "required.yaml").write_text(
        f"listen: 127.0.0.1:7545\nhistory: {{ path: {folder}/missing/reachd.db, required: true }}\n"
    )
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "STATE_DIRECTORY": str(folder), "NO_COLOR": "1"}
    service = subprocess.Popen(
        [reachd, "serve", "--config", "reachd.yaml"], cwd=folder, env=environment, stderr=subprocess.DEVNULL
    )
    silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    silent.bind(("127.0.0.1", 7543))
    other = http.server.ThreadingHTTPServer(("127.0.0.1", 7544), Other)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    faults = []
    try:
        for _ in range(200):
            if subprocess.run([reachd, "healthcheck", "--url", URL], capture_output=True).returncode == 0:
                break
            time.sleep(0.05)
        for status, method, url, token in REQUESTS:
            found, _ = answer(method, url, (folder / token).read_text() if token else None)
            if found != status:
                faults.append(f"{method} {url} with the token {token}: status {found}, and not {status}")
        for url, name, value in FIELDS:
            _, fields = answer("GET", url, (folder / "reader").read_text())
            if fields.get_all(name) != [value]:
                faults.append(f"GET {url}: {name} is {fields.get_all(name)}, and not {value} once")
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            faults += filter(None, pool.map(lambda case: fault(reachd, folder, environment, *case), COMMANDS))
    finally:
        other.shutdown()
        silent.close()
        service.send_signal(signal.SIGTERM)
        if service.wait(30) != 0:
            faults.append(f"docs/containers.md: exit status {service.returncode} after SIGTERM, and not 0")
    print(f"statuses: {len(REQUESTS)} of HTTP, {len(COMMANDS)} of commands; {len(faults)} faults")
    return faults


def fault(reachd, folder, environment, document, status, command):
    """What a document says wrong of a command; None if its table has the status and the command ends with it."""
    if not re.search(rf"^\| {status}\b", (ROOT / document).read_text(), re.MULTILINE):
        return f"{document}: no exit status {status} in a table"
    with tempfile.TemporaryDirectory(dir=folder) as state:
        try:
            result = subprocess.run(
                [reachd, *command.split()], cwd=folder, env={**environment, "STATE_DIRECTORY": state}, capture_output=True,
                text=True, timeout=30,
            )
        except subprocess.TimeoutExpired:
            return f"{document}: reachd {command} runs, and does not end with {status}"
    if result.returncode == status:
        return None
    words = result.stdout[-500:] + result.stderr[-500:]
    return f"{document}: reachd {command}: exit status {result.returncode}, and not {status}\n{words}"


def answer(method, url, token):
    """The status and the fields of a response."""
    request = urllib.request.Request(url, method=method)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, response.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


class Other(http.server.BaseHTTPRequestHandler):
    """A server that is not reachd."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *arguments):
        pass
