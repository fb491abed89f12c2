# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Third-party clients read /events while their connections are cut or reachd restarts.

What each of them saw is held against the log, number by number: nothing lost, nothing twice, nothing else than what is there.

    reconnect.py --reachd PATH [--mode cut|restart|kill] [--durable] [--cuts N] [--without-browser]

With --durable a restart is expected to lose nothing, and events happen until the last moment; without it clients have to be told
`reset` and given a `snapshot`. `kill` ends reachd as a crash would. The clients:
curl and httpx-sse, which leave coming back to the caller; requests-sse and a browser's EventSource, which do it themselves.
"""
import argparse
import http.server
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import httpx
import httpx_sse
import requests_sse

CONTROLS = {"hello", "reset", "snapshot", "lagged"}
PATIENCE = 90


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Reachd:
    def __init__(self, binary, folder, origin, durable):
        self.binary, self.port = binary, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.file = os.path.join(folder, "reachd.yaml")
        # The one place that says where the log is kept over a restart.
        store = f"history: {{ path: {folder}/history.db }}\n" if durable else "history: { enabled: false }\n"
        if not durable and not self.knows(store):
            store = ""
        with open(self.file, "w") as file:
            file.write(
                f"listen: 127.0.0.1:{self.port}\n"
                "log: { level: error }\n"
                "auto_targets: false\n"
                "events: { heartbeat: 1s }\n"
                "limits: { writes_per_second: 10000 }\n"
                f"access: {{ cors_origins: [ '{origin}' ] }}\n"
                f"state_file: {folder}/targets.json\n" + store
            )
        self.start()

    def knows(self, text):
        with open(self.file, "w") as file:
            file.write(text)
        return subprocess.run([self.binary, "validate", self.file], capture_output=True).returncode == 0

    def start(self):
        self.process = subprocess.Popen([self.binary, "serve", "--config", self.file], env=os.environ | {"STATE_DIRECTORY": os.path.dirname(self.file)})
        end = time.time() + PATIENCE
        while time.time() < end:
            try:
                self.get("/readyz")
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("reconnect: reachd does not answer")

    def stop(self, number):
        self.process.send_signal(number)
        self.process.wait()

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=30) as answer:
            return answer.read().decode()

    def send(self, method, path, body):
        request = urllib.request.Request(
            self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status

    def head(self):
        status = json.loads(self.get("/status"))
        return status["epoch"], status["sequence"]

    def log(self, epoch, after):
        """All events since a position, from a stream that ends."""
        return [event for event in parse(self.get(f"/events?since={epoch}-{after}&follow=false")) if event[1] not in CONTROLS]


def parse(text):
    """The events of a stream as (id, type, data): the reference's own reader, as strict as the format."""
    for block in text.split("\n\n")[:-1]:
        number, kind, data = "", "message", []
        for line in block.split("\n"):
            name, _, value = line.partition(": ")
            if name == "id":
                number = value
            elif name == "event":
                kind = value
            elif name == "data":
                data.append(value)
        if data:
            yield number, kind, "\n".join(data)


class Proxy:
    """A relay that can cut all connections in the middle of their data."""

    def __init__(self, port):
        self.upstream, self.pairs, self.lock = port, set(), threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            try:
                far = socket.create_connection(("127.0.0.1", self.upstream))
            except OSError:
                near.close()
                continue
            with self.lock:
                self.pairs.add((near, far))
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.pump, args=(source, sink), daemon=True).start()

    def pump(self, source, sink):
        try:
            while data := source.recv(4096):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        with self.lock:
            pairs, self.pairs = self.pairs, set()
        for near, far in pairs:
            for end in (far, near):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


class Client:
    """Records the events that a client reports."""

    def __init__(self, name):
        self.name, self.seen, self.controls, self.error = name, [], [], None

    def take(self, number, kind, data):
        (self.controls if kind in CONTROLS else self.seen).append((number, kind, data))

    def start(self, url):
        threading.Thread(target=self.guard, args=(url,), daemon=True).start()

    def guard(self, url):
        try:
            self.run(url)
        except Exception as error:  # Whatever a library raises is its finding.
            self.error = f"{type(error).__name__}: {error}"


class Curl(Client):
    """curl in a loop, with the last id that was read completely."""

    def run(self, url):
        last = None
        while True:
            fields = ["-H", f"Last-Event-ID: {last}"] if last else []
            process = subprocess.Popen(["curl", "-sN", *fields, url], stdout=subprocess.PIPE, text=True)
            block = ""
            for line in process.stdout:
                block += line
                if line != "\n":
                    continue
                for number, kind, data in parse(block):
                    self.take(number, kind, data)
                numbers = re.findall(r"(?m)^id: (.*)$", block)
                last = numbers[-1] if numbers else last
                block = ""
            process.wait()
            time.sleep(0.3)


class HTTPXSSE(Client):
    def run(self, url):
        last, wait = "", 0.3
        while True:
            try:
                with httpx.Client(timeout=None) as client:
                    fields = {"Last-Event-ID": last} if last else {}
                    with httpx_sse.connect_sse(client, "GET", url, headers=fields) as source:
                        for event in source.iter_sse():
                            # It also hands out what has no data, which the format tells to pass over: a comment with an id.
                            if event.data:
                                self.take(event.id, event.event, event.data)
                            last = event.id or last
            except httpx.HTTPError:
                pass
            time.sleep(wait)


class RequestsSSE(Client):
    def run(self, url):
        with requests_sse.EventSource(url, max_connect_retry=20) as source:
            for event in source:
                self.take(event.last_event_id, event.type, event.data)


PAGE = """<!doctype html><title>reconnect</title><script>
const seen = [];
const source = new EventSource(URL_OF_STREAM);
for (const type of TYPES)
    source.addEventListener(type, (event) => seen.push([event.lastEventId, type, event.data]));
source.onerror = () => seen.push(["", "error", String(source.readyState)]);
// One after the other: two that are on their way together may arrive in any order.
const tell = async () => {
    if (seen.length) await fetch("/seen", {method: "POST", body: JSON.stringify(seen.splice(0))});
    setTimeout(tell, 100);
};
tell();
</script>"""


class Browser(Client):
    """EventSource in a page of another origin, which the configuration allows."""

    TYPES = ["hello", "reset", "snapshot", "lagged", "reachability", "state", "path", "target", "certificate", "config", "activity"]

    def __init__(self, folder):
        super().__init__("chromium EventSource")
        self.folder, self.process, self.errors = folder, None, 0
        client = self

        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200 if self.path == "/" else 404)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                if self.path == "/":
                    self.wfile.write(client.page.encode())

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                for number, kind, data in body:
                    if kind == "error":
                        client.errors += 1
                    else:
                        client.take(number, kind, data)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        self.origin = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def run(self, url):
        self.page = PAGE.replace("URL_OF_STREAM", json.dumps(url)).replace("TYPES", json.dumps(self.TYPES))
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", f"--user-data-dir={self.folder}/chromium",
             "--remote-debugging-port=0", self.origin + "/"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )

    def stop(self):
        if self.process:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Writer(threading.Thread):
    """Causes events: 40 changes of targets per second."""

    def __init__(self, reachd):
        super().__init__(daemon=True)
        self.reachd, self.count, self.over = reachd, 0, False
        self.gate = threading.Event()
        self.gate.set()
        self.idle = threading.Event()

    def write(self):
        self.count += 1
        name = f"t{self.count % 5}"
        # Of every length, so that cuts fall on every part of an event.
        self.reachd.send("PUT", f"/targets/{name}", {"address": "127.0.0.1", "group": f"g{self.count}" + "x" * (self.count % 150)})

    def run(self):
        while not self.over:
            self.idle.set()
            self.gate.wait()
            self.idle.clear()
            try:
                self.write()
            except OSError:
                # It is down just now; whether the change was made is for the log to say.
                time.sleep(0.1)
            time.sleep(0.025)

    def pause(self):
        self.gate.clear()
        self.idle.wait()


def await_all(clients, number, push, what):
    """Until every client has seen the event. Some read blocks of bytes, and need more of them to see the last ones."""
    end = time.time() + PATIENCE
    while time.time() < end:
        missing = [client for client in clients if not any(seen[0] == number for seen in client.seen)]
        if not missing:
            return True
        if broken := [client for client in missing if client.error]:
            print(f"  {broken[0].name} gave up: {broken[0].error}")
            return False
        push()
        time.sleep(0.5)
    print(f"  not seen within {PATIENCE} s, {what}: {', '.join(client.name for client in missing)}")
    return False


def compare(client, expected, epoch, early, last):
    """What is lost, repeated, out of order or different, behind those that not everybody was there for, up to the last number that
    everybody was waited for."""
    seen = [event for event in client.seen if event[0].startswith(epoch + "-") and early < int(event[0].rpartition("-")[2]) <= last]
    wanted = [event for event in expected if int(event[0].rpartition("-")[2]) <= last]
    lost = len(set(wanted) - set(seen))
    repeated = len(seen) - len(set(seen))
    strange = len(set(seen) - set(wanted))
    ordered = seen == wanted
    hellos = sum(kind == "hello" for _, kind, _ in client.controls)
    good = ordered and not lost and not repeated and not strange
    print(
        f"  {client.name:22} {len(seen):6} of {len(wanted):6} events  lost {lost}  repeated {repeated}  unknown {strange}  "
        f"in order {'yes' if ordered else 'NO'}  connections {hellos}  {'' if good else 'WRONG'}"
    )
    return good


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--reachd", required=True)
    options.add_argument("--mode", choices=["cut", "restart", "kill"], default="cut")
    options.add_argument("--durable", action="store_true")
    options.add_argument("--cuts", type=int, default=3)
    options.add_argument("--without-browser", action="store_true")
    options = options.parse_args()
    folder = tempfile.mkdtemp(prefix="reachd-clients-")
    browser = None
    if not options.without_browser:
        if not shutil.which("chromium"):
            raise SystemExit("reconnect: chromium is missing (apt-get install chromium), or say --without-browser")
        browser = Browser(folder)
    reachd = Reachd(options.reachd, folder, browser.origin if browser else "http://127.0.0.1:1", options.durable)
    good, early = True, 0
    try:
        proxy = Proxy(reachd.port)
        writer = Writer(reachd)
        for _ in range(5):
            writer.write()
        epoch, first = reachd.head()
        clients = [Curl("curl"), HTTPXSSE("httpx-sse"), RequestsSSE("requests-sse")] + ([browser] if browser else [])
        reference = Curl("curl, never cut")
        reference.start(f"{reachd.url}/events?since={epoch}-{first}")
        for client in clients:
            client.start(f"http://127.0.0.1:{proxy.port}/events?since={epoch}-{first}")
        writer.start()
        print(f"events: {options.mode}, {options.cuts} times{', durable' if options.durable else ''}")
        begun = time.time() + PATIENCE
        while any(not client.seen for client in clients) and time.time() < begun:
            time.sleep(0.1)
        for turn in range(options.cuts):
            time.sleep(1.5)
            if options.mode == "cut":
                proxy.cut()
                # The slowest client reconnects after twice the time of `retry`.
                time.sleep(5.5)
                continue
            if not options.durable:
                writer.pause()
                # What happened until now, as far as it is kept at all, everybody has to have seen.
                before, last = reachd.head()
                good &= await_all(clients, f"{before}-{last}", writer.write, "before the restart")
                log = reachd.log(epoch, first)
                print(f" before restart {turn + 1}")
                for client in clients:
                    good &= compare(client, log, epoch, early, last)
            for client in clients:
                client.controls_before = len(client.controls)
            reachd.stop(signal.SIGKILL if options.mode == "kill" else signal.SIGTERM)
            proxy.cut()
            time.sleep(0.5)
            reachd.start()
            if not options.durable:
                epoch, first = reachd.head()
                # Who came back at once has seen how this life began.
                early = first
                end = time.time() + PATIENCE
                # Who comes back with a number of another life is told so, and how things are.
                told = lambda client: [kind for _, kind, _ in client.controls[client.controls_before:]][-2:] == ["reset", "snapshot"]
                while not all(map(told, clients)) and time.time() < end:
                    time.sleep(0.1)
                for client in clients:
                    if not told(client):
                        print(f"  {client.name}: no reset and snapshot after the restart, but {client.controls[client.controls_before:]}"[:300])
                        good = False
            writer.gate.set()
            time.sleep(1)
        writer.over = True
        writer.gate.set()
        writer.join()
        writer.write()
        now, last = reachd.head()
        if options.durable and now != epoch:
            print(f"  the epoch changed from {epoch} to {now}: the log did not survive")
            good = False
        everybody = clients + ([reference] if options.mode == "cut" else [])
        good &= await_all(everybody, f"{now}-{last}", writer.write, "at the end")
        log = reachd.log(epoch, first)
        print(f" at the end, against the log from {epoch}-{first} to {epoch}-{last}")
        numbers = [int(number.rpartition("-")[2]) for number, _, _ in log]
        if numbers != list(range(first + 1, first + 1 + len(numbers))):
            print("  the log itself has a hole")
            good = False
        for client in everybody:
            good &= compare(client, log, epoch, early, last)
    finally:
        reachd.process.kill()
        if browser:
            browser.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print("passed" if good else "FAILED")
    os._exit(not good)


main()
