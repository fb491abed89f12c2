# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""The page's own figures with a thousand targets: until something is seen, until all rows are there, bytes, and what stutters while a
hundred targets change a second."""
import http.client
import threading
import time

from service import Reachd

COUNT = 1_000
CHANGES = 100
SECONDS = 8
#: Far above what is measured, since others use the machine too: a change that makes it slow is seen all the same.
BOUNDS = {"paint": 2_000, "rows": 4_000, "bytes of the page": 95_000, "bytes of the data": 200_000}

WATCH = """
window.longTasks = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((entry) => entry.duration))).observe({type: "longtask", buffered: true});
"""


class Changes(threading.Thread):
    """Push targets that alternately report success and failure."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.isOver, self.count = port, False, 0

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        begun = time.time()
        while not self.isOver:
            status = "?status=fail" if self.count // COUNT % 2 else ""
            connection.request("POST", f"/targets/t{self.count % COUNT}/heartbeat{status}")
            connection.getresponse().read()
            self.count += 1
            time.sleep(max(0, begun + self.count / CHANGES - time.time()))


def take(browser, binary, folder):
    targets = "".join(
        f"  - {{ id: t{number}, name: Target {number}, address: 127.0.0.1, group: group {number // 50}, tags: {{ tier: '{number % 3}' }}, "
        "probe: { type: push, interval: 1h, fall: 1, rise: 1 } }\n" for number in range(COUNT)
    )
    reachd = Reachd(binary, folder, f"history: {{ path: {folder}/many.db }}\nlimits: {{ writes_per_second: 100000 }}\ntargets:\n{targets}", "many")
    try:
        tab = browser.tab(width=1440, height=1000)
        tab.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        tab.call("Network.setCacheDisabled", cacheDisabled=True)
        tab.open(reachd.url + "/")
        tab.await_(f"document.body?.dataset.rows === '{COUNT}'")
        tab.await_("document.body.dataset.link === 'live'")
        time.sleep(1)
        entries = tab.run("performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).map((entry) => [entry.name, entry.transferSize])")
        isPage = lambda name: "/page/" in name or name == reachd.url + "/"
        measured = {
            "paint": tab.run("performance.getEntriesByName('first-contentful-paint')[0].startTime"),
            "rows": tab.run("import('/page/list.js').then((list) => list.completeAt)"),
            "bytes of the page": sum(size for name, size in entries if isPage(name)),
            "bytes of the data": sum(size for name, size in entries if not isPage(name)),
        }
        loading = tab.run("longTasks.splice(0)")
        changes = Changes(reachd.port)
        changes.start()
        tab.await_("[...document.querySelectorAll('.word')].filter((word) => word.textContent === 'up').length > 20")
        time.sleep(SECONDS)
        changes.isOver = True
        changes.join()
        changing = tab.run("longTasks")
        up = tab.run("[...document.querySelectorAll('.word')].filter((word) => word.textContent === 'up').length")
        frames = tab.run("document.querySelectorAll('*').length")
        print(f"  figures with {COUNT} targets, two shared cores:")
        print(f"    first contentful paint   {measured['paint']:8.0f} ms")
        print(f"    all rows there           {measured['rows']:8.0f} ms")
        print(f"    sent, the page           {measured['bytes of the page'] / 1000:8.1f} kB (gzip, {sum(isPage(name) for name, _ in entries)} files, heads included)")
        print(f"    sent, the data           {measured['bytes of the data'] / 1000:8.1f} kB (gzip)")
        print(f"    elements                 {frames:8}")
        print(f"    long tasks while loading {len(loading):8}, longest {max(loading, default=0):.0f} ms")
        print(f"    {CHANGES} changes a second    {changes.count:8} changes, {len(changing)} tasks over 50 ms, longest {max(changing, default=0):.0f} ms")
        wrong = [f"{name}: {measured[name]:.0f} over {bound}" for name, bound in BOUNDS.items() if measured[name] > bound]
        if abs(up - min(changes.count, COUNT)) > COUNT / 10 and changes.count <= COUNT:
            wrong.append(f"{up} rows are up after {changes.count} changes")
        if max(changing, default=0) > 500:
            wrong.append("it stutters")
        if tab.complaints:
            wrong.append(f"the browser complains: {tab.complaints[:3]}")
        for text in wrong:
            print(f"  FAILED  figures: {text}")
        tab.close()
        return not wrong
    finally:
        reachd.stop()
