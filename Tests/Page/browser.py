# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""A headless chromium, driven by its DevTools protocol: tabs, keys, clicks, and a record of all requests."""
import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

from websockets.sync.client import connect

PATIENCE = 20
KEYS = {"Enter": (13, "\r"), "Escape": (27, ""), "Tab": (9, ""), "ArrowDown": (40, ""), "ArrowUp": (38, ""), "ArrowLeft": (37, ""), "ArrowRight": (39, ""), "End": (35, ""), "Home": (36, "")}


class Browser:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="reachd-page-")
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--disable-sync",
             "--hide-scrollbars", "--force-color-profile=srgb", f"--user-data-dir={self.folder}", "--remote-debugging-port=0", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )
        end = time.time() + PATIENCE
        port = os.path.join(self.folder, "DevToolsActivePort")
        while not (os.path.exists(port) and open(port).read().strip()):
            if time.time() > end or self.process.poll() is not None:
                raise SystemExit("page: chromium does not start")
            time.sleep(0.05)
        self.port = int(open(port).read().split()[0])

    def tab(self, **options):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?about:blank", method="PUT")
        return Tab(json.load(urllib.request.urlopen(request, timeout=PATIENCE))["webSocketDebuggerUrl"], **options)

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Tab:
    """One page, with its logged errors in `complaints` and its `requests`."""

    def __init__(self, address, width=1280, height=860, dark=False, scale=1, phone=False):
        self.socket = connect(address, max_size=None, open_timeout=PATIENCE, compression=None, ping_interval=None)
        self.number, self.complaints, self.requests, self.received = 0, [], [], {}
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height, scale, phone)
        self.dark(dark)

    def call(self, method, **parameters):
        self.number += 1
        number = self.number
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=60))
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.note(message.get("method"), message.get("params", {}))

    def note(self, method, about):
        if method == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(argument.get("value")) for argument in about["args"]))
        elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.complaints.append(f"{about['entry']['source']}: {about['entry']['text']} {about['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif method == "Network.loadingFinished":
            self.received[about["requestId"]] = about["encodedDataLength"]

    # Input

    def open(self, url):
        self.call("Page.navigate", url=url)

    def resize(self, width, height, scale=1, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=phone)

    def dark(self, isDark, motion=True):
        features = [{"name": "prefers-color-scheme", "value": "dark" if isDark else "light"}]
        if not motion:
            features.append({"name": "prefers-reduced-motion", "value": "reduce"})
        self.call("Emulation.setEmulatedMedia", features=features)

    def key(self, name):
        code, text = KEYS.get(name, (0, name))
        about = {"key": name, "code": name if code else "", "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **about)
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def click(self, selector):
        """Clicks in the middle of the visible part of an element."""
        self.await_(f"!!document.querySelector({json.dumps(selector)})")
        # Sections that arrive later move the elements below: click where the element stays for 0.1 s.
        place = (
            f"(() => {{ const element = document.querySelector({json.dumps(selector)}); if (!element) return null;"
            " element.scrollIntoView({block: 'center'});"
            " const box = element.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        box, end = self.run(place), time.time() + PATIENCE
        while time.time() < end:
            time.sleep(0.1)
            before, box = box, self.run(place)
            if box and box == before:
                break
        else:
            raise AssertionError(f"{selector} does not stay where it is")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def set(self, selector, text):
        """Replaces the text of a field."""
        self.run(f"(() => {{ const field = document.querySelector({json.dumps(selector)}); field.focus(); field.select(); }})()")
        self.type(text)

    # Output

    def run(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def await_(self, expression, seconds=PATIENCE):
        end = time.time() + seconds
        while time.time() < end:
            if value := self.run(expression):
                return value
            time.sleep(0.05)
        raise AssertionError(f"not within {seconds} s: {expression}")

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? null")

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png", optimizeForSpeed=False)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        self.call("Page.close")
        self.socket.close()
