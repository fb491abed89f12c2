# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""The pictures of docs/pictures: a small company's targets behind the link, with a month of history."""
import datetime
import json
import os
import random
import subprocess
import sys
import time

from service import Reachd, Routers, run

LIMIT = 200_000
CONFIG = """
history: {{ path: {folder}/pictures.db }}
auto_targets: false
public: {{ title: Example status, groups: [ Public, Data ], footer: "Questions: status@example.org", link: "https://www.example.org" }}
targets:
  - {{ id: router, name: Router, address: 192.0.2.1, group: Office, probe: {{ type: icmp, interval: 2s }} }}
  - {{ id: printer, name: Printer, address: 198.51.100.12, group: Office, probe: {{ type: icmp, interval: 2s }} }}
  - {{ id: files, name: File server, address: 198.51.100.13, group: Office, tags: {{ site: north }}, probe: {{ type: tcp, port: 445, interval: 2s, fall: 1 }} }}
  - {{ id: shop, name: Shop, host: shop.example.org, group: Public, tags: {{ team: web, tier: "1" }}, probe: {{ type: http, url: "https://shop.example.org/", interval: 2s, tls: {{ ca_file: {ca} }} }} }}
  - {{ id: checkout, name: Checkout, host: shop.example.org, group: Public, tags: {{ team: web, tier: "1" }}, probe: {{ type: http, url: "http://shop.example.org/checkout", interval: 2s, fall: 1, expect: {{ max_latency: 60ms }} }} }}
  - {{ id: docs, name: Documentation, host: docs.example.org, group: Public, tags: {{ team: web, tier: "2" }}, probe: {{ type: http, url: "http://docs.example.org/", interval: 2s }} }}
  - {{ id: mail, name: Mail relay, host: mail.example.org, group: Public, tags: {{ team: post }}, probe: {{ type: tcp, port: 25, interval: 2s, fall: 1 }} }}
  - {{ id: orders, name: Orders database, address: 198.51.100.10, group: Data, tags: {{ team: data, tier: "1" }}, probe: {{ type: tcp, port: 5432, interval: 2s }} }}
  - {{ id: cache, name: Cache, address: 198.51.100.10, group: Data, tags: {{ team: data }}, probe: {{ type: tcp, port: 6379, interval: 2s }} }}
  - {{ id: reports, name: Reports, address: 198.51.100.11, group: Data, tags: {{ team: data }}, probe: {{ type: tcp, port: 8443, interval: 2s }} }}
"""
HOSTS = "127.0.0.1 localhost\n198.51.100.20 shop.example.org docs.example.org\n198.51.100.21 mail.example.org\n"
#: Microseconds that a probe took, and how often it was down.
PAST = {"router": (300, 0), "printer": (300, 0), "files": (300, 0.004), "shop": (27_000, 0.002), "checkout": (68_000, 0.01), "docs": (24_000, 0),
        "mail": (3_000, 0.06), "orders": (330, 0), "cache": (300, 0.001), "reports": (320, 0)}


def slot(microseconds):
    """The bin of the latencies' sketch, 32 for each power of two."""
    power = microseconds.bit_length() - 1
    return (power - 4) * 32 + (microseconds >> (power - 5)) - 32


def past(file):
    """Three months: days, hours and minutes, as `reachd export` writes them."""
    random.seed(7)
    now = int(time.time())
    print(json.dumps({"reachd": "history", "version": 1}, separators=(",", ":")), file=file)
    for resolution, length, count, skip in (("day", 86_400, 89, 1), ("hour", 3_600, 60, 1), ("minute", 60, 70, 1)):
        for target, (typical, badness) in PAST.items():
            for index in range(count, skip - 1, -1):
                start = (now // length - index) * length
                moment = datetime.datetime.fromtimestamp(start, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
                isBad = random.random() < badness * (6 if resolution != "minute" else 1)
                down = round(length * random.uniform(0.1, 0.7)) if isBad else 0
                probes = length // 30
                failures = probes * down // length
                wave = 1 + 0.25 * random.random() + (0.5 if random.random() < 0.06 else 0)
                bins = sorted({slot(int(typical * wave * (1 + step / 20))): 1 for step in range(4)}.items())
                if failures < probes:
                    bins[0] = (bins[0][0], probes - failures - sum(number for _, number in bins[1:])) if probes - failures > 4 else (bins[0][0], max(probes - failures, 1))
                    bins = bins if probes - failures > 4 else bins[:1]
                about = {"kind": "rollup", "resolution": resolution, "target": target, "start": moment, "observed_from_seconds": 0, "observed_to_seconds": length,
                         "up_seconds": length - down, "down_seconds": down, "probes": probes, "failures": failures, "latency": bins}
                print(json.dumps({name: value for name, value in about.items() if value or name in ("observed_from_seconds", "probes", "failures")}, separators=(",", ":")), file=file)


def pulled_cable(browser, folder, neighbour, reachd, path):
    """An animation: all is online, the cable is pulled, all behind it is unreachable, and it recovers."""
    tab = browser.tab(width=1000, height=640, scale=1)
    tab.open(reachd.url + "/")
    tab.await_("document.body?.dataset.link === 'live' && !!document.body.dataset.rows")
    frames = []

    def frame(milliseconds):
        tab.run("document.getElementById('host').textContent = 'north.example.org'")
        name = os.path.join(folder, f"frame-{len(frames)}.png")
        tab.picture(name)
        frames.append((name, milliseconds))

    time.sleep(2.5)
    frame(1_800)
    neighbour.pull()
    try:
        tab.await_("document.getElementById('verdict').innerText.startsWith('Offline: ')")
        frame(700)
        time.sleep(0.6)
        frame(2_500)
    finally:
        neighbour.plug()
    tab.await_("document.getElementById('network-route').textContent.startsWith('online by ')", 30)
    frame(600)
    time.sleep(3)
    frame(1_800)
    tab.close()
    arguments = [word for name, milliseconds in frames for word in ("-d", str(milliseconds), "-lossy", "-q", "70", "-m", "6", name)]
    run("img2webp", "-loop", "0", *arguments, "-o", path)
    size = os.path.getsize(path)
    print(f"  {os.path.basename(path)} {size / 1000:.0f} kB")
    if size > 2 * LIMIT:
        raise SystemExit(f"page: {path} is larger than {2 * LIMIT} bytes")


def broken_hop(browser, reachd, routers, path):
    """A trace of a target behind a router that discards its packets."""
    reachd.send("POST", "/targets", {"id": "warehouse", "name": "Warehouse", "address": "198.51.100.40", "group": "Office",
                                     "probe": {"type": "tcp", "port": 443, "interval": "2s", "timeout": "1s", "fall": 2, "rise": 1}})
    reachd.await_(lambda: "last_good" in reachd.send("GET", "/targets/warehouse/trace"))
    routers.cut()
    reachd.await_(lambda: reachd.send("GET", "/targets/warehouse").get("cause") == "path")
    tab = browser.tab(width=760, height=1000, scale=1.5)
    tab.open(reachd.url + "/#warehouse")
    tab.await_("!!document.querySelector('.route .broken') && !!document.querySelector('.sections table')")
    tab.run("document.querySelector('.sections').scrollTop = 0")
    time.sleep(2)
    picture(tab, path)
    tab.close()
    routers.restore()
    reachd.send("DELETE", "/targets/warehouse")


def outage(browser, reachd, neighbour, output):
    """All targets behind a link that lost its carrier: one banner, and dimmed rows."""
    neighbour.pull()
    try:
        reachd.await_(lambda: any(incident["kind"] == "link" for incident in reachd.send("GET", "/incidents?state=open")["incidents"]))
        show(browser, reachd, "/", os.path.join(output, "page-outage.png"))
    finally:
        neighbour.plug()
    reachd.await_(lambda: reachd.send("GET", "/status")["network"]["system_configuration"]["reachable"], 40)


def calm(browser, reachd, output):
    """All is well: what fails is paused for the picture."""
    failing = [target["id"] for state in ("down", "degraded", "unreachable") for target in reachd.send("GET", f"/targets?state={state}")["targets"]]
    for id in failing:
        reachd.send("POST", f"/targets/{id}/pause")
    reachd.await_(lambda: not reachd.send("GET", "/incidents?state=open")["incidents"])
    show(browser, reachd, "/", os.path.join(output, "page-calm.png"))
    for id in failing:
        reachd.send("POST", f"/targets/{id}/resume")


def public(browser, reachd, incident, path):
    """The public status page, with an announcement."""
    text = "The shop takes orders. Confirmations by mail are late; they will be sent."
    reachd.send("PATCH", f"/incidents/{incident}", {"note": {"author": "anna", "text": text, "public": True}})
    tab = browser.tab(width=900, height=1000, scale=1.5)
    tab.open(reachd.url + "/public")
    tab.await_("document.readyState === 'complete' && document.body?.innerText.includes('Current incidents')")
    picture(tab, path)
    tab.close()


def show(browser, reachd, address, path, **options):
    """Takes a picture of the page at an address when all is drawn."""
    tab = browser.tab(**({"width": 1280, "height": 900, "scale": 1.5} | options))
    tab.open(reachd.url + address)
    tab.await_("document.body?.dataset.link === 'live' && !!document.body.dataset.rows")
    tab.run("document.getElementById('host').textContent = 'north.example.org'")
    if "#" in address:
        tab.await_("!!document.querySelector('.sections table') && !!document.querySelector('.chain li') && !!document.querySelector('.latencies .line')?.getAttribute('d')")
    if "incident=" in address:
        tab.await_("!!document.querySelector('#incident .turns')")
    time.sleep(2.5)
    picture(tab, path)
    tab.close()


def picture(tab, path):
    tab.picture(path)
    # A palette suffices, with a third of the bytes.
    run("pngquant", "--force", "--skip-if-larger", "--ext", ".png", "--speed", "1", path)
    size = os.path.getsize(path)
    print(f"  {os.path.basename(path)} {size / 1000:.0f} kB")
    if size > LIMIT:
        raise SystemExit(f"page: {path} is larger than {LIMIT} bytes")


def take(browser, binary, folder, neighbour, secure, output):
    os.makedirs(output, exist_ok=True)
    for name, text in (("hosts", HOSTS), ("resolv.conf", "nameserver 192.0.2.53\n")):
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            file.write(text)
        run("mount", "--bind", path, f"/etc/{name}")
    for number in (12, 13, 20, 21):
        neighbour.inside("ip", "address", "add", f"198.51.100.{number}/32", "dev", "lo")
    neighbour.inside("ip", "address", "add", "192.0.2.53/24", "dev", "far")
    servers = subprocess.Popen(
        ["nsenter", f"--net=/proc/{neighbour.process.pid}/ns/net", sys.executable, os.path.join(os.path.dirname(__file__), "neighbours.py"), folder]
    )
    routers = Routers(neighbour)
    reachd = Reachd(binary, folder, CONFIG.format(folder=folder, ca=secure.authority), "pictures")
    try:
        reachd.stop()
        with open(os.path.join(folder, "past.jsonl"), "w") as file:
            past(file)
        subprocess.run([binary, "import", "--file", f"{folder}/pictures.db", f"{folder}/past.jsonl"], check=True, stdout=subprocess.DEVNULL)
        reachd.start()
        time.sleep(3)
        reachd.send("POST", "/targets/reports/pause")
        time.sleep(14)
        incident = reachd.send("GET", "/incidents?state=open")["incidents"][0]["id"]
        reachd.send("PATCH", f"/incidents/{incident}", {"acknowledged_by": "anna", "note": {"author": "anna", "text": "The new version is being installed."}})
        for name, path, options in (
            ("page-light", "/", {}), ("page-dark", "/", {"dark": True}), ("page-details", "/#shop", {"height": 1040}),
            ("page-incident", f"/?incident={incident}", {}), ("page-wall", "/?view=wall", {"width": 1280, "height": 720}),
            ("page-phone", "/", {"width": 390, "height": 1300, "scale": 1.5, "phone": True}),
        ):
            show(browser, reachd, path, os.path.join(output, f"{name}.png"), **options)
        public(browser, reachd, incident, os.path.join(output, "page-public.png"))
        calm(browser, reachd, output)
        outage(browser, reachd, neighbour, output)
        broken_hop(browser, reachd, routers, os.path.join(output, "broken-hop.png"))
        pulled_cable(browser, folder, neighbour, reachd, os.path.join(output, "pulled-cable.webp"))
    finally:
        reachd.stop()
        routers.close()
        servers.kill()
        servers.wait()
