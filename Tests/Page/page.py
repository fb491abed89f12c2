# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Tests the page in a real browser, in a network namespace of its own (scripts/page).

    page.py --reachd PATH [--pictures FOLDER] [--only WORD]

Links go down, services stop, tokens are required, names are hostile. Then axe checks the page, and its figures are measured.
"""
import argparse
import glob
import hashlib
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
import urllib.parse

import figures
import pictures
from browser import Browser
from details_tests import DetailsTests
from fleet import PROGRAMS
from fleet_tests import FleetTests
from incident_tests import IncidentTests
from neighbours import Doorkeeper, Secure, Silent
from service import Neighbour, Reachd, Routers, free_port
from view import row, seen

HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
CONFIG = f"""
events: {{ heartbeat: 2s }}
limits: {{ writes_per_second: 1000 }}
auto_targets: true
targets:
  - {{ id: far, name: Far away, address: 198.51.100.10, group: beyond, tags: {{ tier: "1" }}, probe: {{ type: icmp, interval: 1s, timeout: 900ms, fall: 2, rise: 1 }} }}
  - {{ id: refused, name: Refused, address: 127.0.0.1, group: near, probe: {{ type: tcp, port: 9, interval: 1s, fall: 1 }} }}
  - {{ id: itself, name: Itself, address: 127.0.0.1, group: near, tags: {{ tier: "2" }}, probe: {{ type: http, url: "http://127.0.0.1:PORT/livez", interval: 1s }} }}
  - {{ id: secure, name: Secure, host: localhost, group: near, probe: {{ type: tls, port: TLS, interval: 5s, tls: {{ insecure_skip_verify: true }} }} }}
  - {{ id: hostile, name: {json.dumps(HOSTILE)}, address: 127.0.0.1, group: {json.dumps(HOSTILE)}, tags: {{ x: "<b>bold</b>" }} }}
"""


# The page may request a target that was removed with its link, until it receives the event.
GONE = re.compile(r"404 \(Not Found\) \S+/targets/(gateway-192\.0\.2\.1|asked|typed)/")


class Tests(DetailsTests, FleetTests, IncidentTests):
    def __init__(self, browser, reachd, neighbour, binary, folder, secure):
        self.browser, self.reachd, self.neighbour, self.binary, self.folder, self.secure = browser, reachd, neighbour, binary, folder, secure
        self.tabs = []
        self.fleet = None

    def tab(self, path="/", reachd=None, isFaulty=False, **options):
        """- isFaulty: Requests are expected to fail, which the browser logs."""
        tab = self.browser.tab(**options)
        self.tabs.append((tab, isFaulty, (reachd or self.reachd).url))
        tab.open((reachd or self.reachd).url + path)
        return tab

    def live(self, path="/", **options):
        tab = self.tab(path, **options)
        tab.await_("document.body?.dataset.link === 'live' && !!document.body.dataset.rows")
        return tab

    def judge(self):
        """Checks that no tab logged an error or sent a request to another server."""
        for tab, isFaulty, url in self.tabs:
            tab.run("1")
            # The browser aborts and repeats requests when a link of the test changes.
            complaints = [text for text in tab.complaints if "ERR_NETWORK_CHANGED" not in text and not GONE.search(text)]
            wrong = [text for text in complaints if not (isFaulty and text.startswith("network:"))]
            assert not wrong, f"the browser complains: {wrong[:3]}"
            foreign = [address for address in tab.requests if not address.startswith((url, "about:"))]
            assert not foreign, f"requests elsewhere: {foreign[:3]}"
        for tab, _, _ in self.tabs:
            tab.close()
        self.tabs.clear()

    def further(self, tab):
        """Opens the further settings of the form."""
        tab.run("document.getElementById('field-id').closest('details').open = true")

    # Contents

    def test_state_is_shown(self):
        # Tall enough for all rows: only those in view are drawn again.
        tab = self.live(height=1_600)
        tab.await_("document.getElementById('network-route').innerText.startsWith('online by uplink (')")
        assert not tab.run("document.getElementById('network-details').open"), "a path that works takes more than a line"
        tab.click("#network-details summary")
        network = tab.text(".network")
        for word in ("online by uplink (", "uplink", "192.0.2.1", "192.0.2.2", "IPv4"):
            assert word in network, f"{word} is not in {network}"
        tab.await_(seen("far") + " === 'up'")
        tab.await_(seen("refused") + " === 'down'")
        tab.await_(row("refused") + ".querySelector('.why').innerText.includes('refused')")
        tab.await_("/Refused is down|127.0.0.1 refuses/.test(document.getElementById('banners').innerText)")
        tab.await_("document.title === '1 target down · reachd'")
        tab.await_("document.getElementById('verdict').innerText === '1 target down; the network is fine'")
        assert tab.run("getComputedStyle(document.getElementById('verdict')).color") == self.color(tab, "down")
        # The hop of the targets is whole: the path to them is.
        assert tab.run("document.querySelector('.hop.targets').dataset.end") == "good"
        tab.await_(row("itself") + ".querySelector('.latency').innerText.endsWith('ms')")
        tab.await_(row("itself") + ".querySelector('.bar').getAttribute('aria-label').startsWith('Uptime 100 %')")
        tab.await_("!!" + row("itself") + ".querySelector('.spark .line').getAttribute('d')")

    def test_hostile_names_stay_text(self):
        tab = self.live("/#hostile")
        tab.await_("document.querySelector('#details[open] h2')?.innerText.includes('<img src=x')")
        assert HOSTILE in tab.text(".groups"), "the name is not shown as it is"
        assert tab.run("document.querySelectorAll('img, main script, b b').length") == 0
        assert "owned" not in tab.run("document.title")
        # Trusted Types refuse markup even if the page had a bug.
        assert tab.run("(() => { try { document.body.innerHTML = '<i>'; return 'taken'; } catch (error) { return error.name; } })()") == "TypeError"
        tab.complaints.clear()

    def test_a_link_goes_down_and_comes_back(self):
        tab = self.live()
        tab.await_(seen("far") + " === 'up'")
        self.neighbour.pull()
        try:
            tab.await_("document.getElementById('verdict').innerText.startsWith('Offline: ')")
            tab.await_(seen("far") + " === 'unreachable'")
            tab.await_("document.title === 'offline · reachd'")
            tab.await_("document.querySelector('.hop.broken') !== null")
            assert tab.run("document.getElementById('network-details').open"), "the broken path is hidden"
            assert tab.run(row("far") + ".querySelector('use').getAttribute('href')") == "#mark-unreachable"
            tab.await_("document.getElementById('news').innerText.includes('unreachable') || document.getElementById('news').innerText.includes('changed')")
        finally:
            self.neighbour.plug()
        tab.await_("document.getElementById('network-route').textContent.startsWith('online by ')", 30)
        tab.await_(seen("far") + " === 'up'", 30)
        tab.await_("document.querySelector('.hop.broken') === null")

    def test_the_log_of_uplinks(self):
        tab = self.live()
        item = "document.querySelector('#uplinks li')"
        tab.click("#network-details summary")
        tab.await_(f"{item}?.dataset.state === 'in_use' && {item}.innerText.includes('uplink, gateway 192.0.2.1')")
        self.neighbour.pull()
        try:
            tab.await_(f"{item}.dataset.state === 'failed' && {item}.innerText.includes('no carrier, since')")
        finally:
            self.neighbour.plug()
        tab.await_(f"{item}.dataset.state === 'in_use'", 30)
        tab.click("#uplinks summary")
        tab.await_(f"{item}.querySelector('details[open] li').innerText.includes('no carrier')")

    def test_without_a_fleet(self):
        tab = self.live("/?scope=node")
        assert tab.run("[...document.querySelectorAll('#scope, #view, #fleet-section')].every((element) => element.hidden)")
        assert tab.run(row("itself") + ".querySelector('.votes') === null")
        tab.set("#q", "itself")
        tab.await_("location.search === '?q=itself'")
        self.live()
        asked = [address for address in self.tabs[-1][0].requests if re.search(r"/fleet(/nodes)?$|scope=", address)]
        assert not asked, f"requests to a fleet: {asked}"

    def test_activity_indicator(self):
        tab = self.live()
        # A probe that waits for an answer long enough to be seen.
        self.reachd.send("POST", "/targets", {"id": "slow", "address": "192.0.2.77", "probe": {"type": "icmp", "interval": "4s", "timeout": "3s"}})
        tab.await_("document.getElementById('activity').innerText.startsWith('probing')")
        self.reachd.send("DELETE", "/targets/slow")
        tab.await_("document.getElementById('activity').innerText === 'idle'")

    # Lost connections

    def test_stale_lost_and_back(self):
        tab = self.live(isFaulty=True)
        # The service hangs and sends nothing, and the clock advances.
        self.reachd.process.send_signal(signal.SIGSTOP)
        try:
            tab.run("(() => { const now = Date.now; Date.now = () => now() + 45_000; })()")
            tab.await_("document.body.dataset.link === 'stale'")
            assert tab.text("#link-word") == "Stale"
            assert "old" in tab.text("#banner")
            assert "grayscale" in tab.run("getComputedStyle(document.getElementById('network-details')).filter")
            assert "grayscale" in tab.run("getComputedStyle(document.querySelector('.groups')).filter")
            # The headline is correct by itself, and it and the banner are not grey.
            verdict = tab.text("#verdict")
            assert verdict.startswith("Unknown since ") and verdict.endswith(": no data from reachd"), verdict
            assert tab.run("getComputedStyle(document.getElementById('verdict')).color") == self.color(tab, "degraded")
            assert tab.text("#tally") == ""
            assert tab.run("getComputedStyle(document.getElementById('banner')).borderLeftColor") == self.color(tab, "degraded")
            assert tab.run("getComputedStyle(document.getElementById('banner')).filter") == "none"
        finally:
            self.reachd.process.send_signal(signal.SIGCONT)
        tab.await_("document.body.dataset.link === 'live'")
        self.reachd.stop()
        tab.await_("document.body.dataset.link === 'lost'")
        assert tab.text("#link-word") == "Lost"
        assert tab.text("#verdict").startswith("Unknown since ")
        assert "last data" in tab.text("#link-news")
        # What is not known does not go on, and nothing can be changed.
        assert tab.run("import('/page/words.js').then(({ since }) => { const one = since('2026-01-01'); Date.now = () => 4e12; return one === since('2026-01-01'); })"), "durations grow without a connection"
        assert tab.run("document.getElementById('add').ariaDisabled") == "true"
        assert tab.run("[...document.querySelectorAll('#banners button')].every((button) => button.ariaDisabled === 'true')")
        assert "Reconnecting" in tab.text("#banner")
        assert "Reconnecting" in tab.run("document.getElementById('news').textContent"), "the loss is not announced to screen readers"
        assert tab.run("document.title") == "lost · reachd"
        self.reachd.start()
        tab.await_("document.body.dataset.link === 'live'", 40)
        tab.await_("document.getElementById('news').textContent.includes('Reconnected')")
        tab.await_("document.getElementById('network-route').textContent.startsWith('online by ')")
        tab.await_(seen("far") + " === 'up'", 30)
        # The restarted service has another epoch; its events are shown.
        self.reachd.send("POST", "/targets", {"id": "later", "address": "127.0.0.1"})
        tab.await_(seen("later") + " === 'up'")
        self.reachd.send("DELETE", "/targets/later")
        tab.await_(seen("later") + " === null")
        assert tab.run("document.getElementById('banner').hidden")

    def test_a_silent_connection_is_aborted(self):
        tab = self.live(isFaulty=True)
        self.reachd.stop()
        tab.await_("document.body.dataset.link === 'lost'")
        silent = Silent(self.reachd.port)
        try:
            assert silent.isAsked.wait(30), "the page does not reconnect"
            # The connections stay open and never send anything.
            silent.leave()
            self.reachd.start()
            time.sleep(3)
            assert tab.run("document.body.dataset.link") == "lost"
            tab.run("(() => { const now = Date.now; Date.now = () => now() + 45_000; })()")
            tab.await_("document.body.dataset.link === 'live'", 40)
        finally:
            silent.close()

    def test_the_contract_for_readers(self):
        tab = self.tab("/docs")
        tab.await_("document.querySelectorAll('#reference section').length > 6")
        yaml = tab.run("fetch('/openapi.yaml').then((answer) => answer.text())")
        shown = tab.run("[...document.querySelectorAll('#reference summary b')].map((one) => one.closest('details').id)")
        assert sorted(shown) == sorted(re.findall(r"(?m)^ {6}operationId: (\w+)", yaml)), shown
        words = tab.run("document.querySelector('#reference').textContent")
        assert not re.search(r"undefined|\[object|\$ref", words)
        links = "[...document.querySelectorAll('#reference td a')]"
        assert tab.run(f"{links}.every((one) => document.getElementById(one.hash.slice(1)))")
        tab.run("location.hash = 'getTarget'")
        tab.await_("document.querySelector('#getTarget').open && document.querySelector('#getTarget').innerText.includes('The target.')")

    def test_an_event_that_cannot_be_applied_leads_to_a_new_snapshot(self):
        tab = self.live()
        # Applying one event fails; its change is shown anyway.
        tab.run("import('/page/store.js').then(({ store }) => { store.targets.has = () => { throw new Error('test'); }; store.targets.get = store.targets.has; })")
        self.reachd.send("POST", "/targets", {"id": "odd", "address": "127.0.0.1"})
        try:
            tab.await_(seen("odd") + " === 'up'")
            tab.await_("document.body.dataset.link === 'live'")
        finally:
            self.reachd.send("DELETE", "/targets/odd")
        tab.await_(seen("odd") + " === null")
        tab.complaints.clear()

    def test_a_hidden_tab_updates_its_title_and_stores_no_results(self):
        tab = self.live()
        tab.await_(seen("refused") + " === 'down'")
        # As in a hidden tab: no frame comes any more, not even one that was requested before.
        tab.run("window.requestAnimationFrame = () => 0")
        tab.run("import('/page/store.js').then(({ take }) => take('result', { target: 'itself', result: { at: new Date().toISOString(), success: false } }))")
        tab.run("(() => { Object.defineProperty(document, 'hidden', { value: true, configurable: true }); document.dispatchEvent(new Event('visibilitychange')); })()")
        # A port without a listener.
        self.reachd.send("POST", "/targets", {"id": "also", "address": "127.0.0.1", "probe": {"type": "tcp", "port": 10, "interval": "1s", "fall": 1}})
        try:
            tab.await_("document.title === '2 targets down · reachd'")
        finally:
            self.reachd.send("DELETE", "/targets/also")
        tab.await_("document.title === '1 target down · reachd'")
        tab.run("""import('/page/store.js').then(({ follow, take }) => {
          window.most = 0;
          follow((changes) => { window.most = Math.max(window.most, changes.results.get('itself')?.length ?? 0); });
          for (let n = 0; n < 1000; n += 1) take('result', { target: 'itself', result: { at: new Date().toISOString(), success: false } });
        })""")
        tab.await_("window.most > 0")
        assert tab.run("window.most") == 1, "results accumulate in a hidden tab"

    def test_pending_follows_results(self):
        self.reachd.send("POST", "/targets", {"id": "calls", "address": "127.0.0.1", "probe": {"type": "push", "interval": "1h", "fall": 2, "rise": 1}})
        try:
            tab = self.live()
            tab.await_(seen("calls") + " !== null")
            self.pending(tab, self.reachd, lambda: None)
            # A push target sends heartbeats; the sentences must not speak of responses.
            tab.run("location.hash = 'calls'")
            for status, words in (("", "calls sends its heartbeats. Heartbeat received."), ("?status=fail", "calls sends its heartbeats. Heartbeat received: it reported a failure.")):
                self.reachd.send("POST", "/targets/calls/heartbeat" + status)
                tab.await_(f"[...document.querySelectorAll('#details .because')].map((part) => part.innerText).join(' ').includes('{words}')")
            self.reachd.send("POST", "/targets/calls/heartbeat?status=fail")
            tab.await_("document.querySelector('#details .because')?.innerText.startsWith('calls reported a failure. The cause is the target itself. The target ')")
            tab.key("Escape")
            self.reachd.send("POST", "/targets/calls/heartbeat")
            # Alternating results.
            for _ in range(12):
                self.reachd.send("POST", "/targets/calls/heartbeat?status=fail")
                self.reachd.send("POST", "/targets/calls/heartbeat")
            tab.await_(seen("calls") + " === 'up, flapping'")
            for _ in range(20):
                self.reachd.send("POST", "/targets/calls/heartbeat")
            tab.await_(seen("calls") + " === 'up'")
        finally:
            self.reachd.send("DELETE", "/targets/calls")

    def test_rows_in_view_are_current_without_results_in_the_stream(self):
        many = "".join(f"  - {{ id: t{number}, address: 127.0.0.1, probe: {{ type: push, interval: 1s, grace: 1h }} }}\n" for number in range(24))
        calls = "  - { id: calls, address: 127.0.0.1, probe: { type: push, interval: 1h, fall: 2, rise: 1 } }\n"
        reachd = Reachd(self.binary, self.folder, f"targets:\n{calls}{many}", "results")
        try:
            # The filter opens the group.
            tab = self.live("/?q=calls", reachd=reachd)
            self.pending(tab, reachd, lambda: tab.run("(() => { const now = Date.now; Date.now = () => now() + 21_000; })()"))
            assert any("/events?" in address and "include" not in address for address in tab.requests), "results come with the stream"
            self.judge()
        finally:
            reachd.stop()

    def pending(self, tab, reachd, wait):
        """Checks that pending results appear and disappear."""
        reachd.send("POST", "/targets/calls/heartbeat")
        tab.await_(seen("calls") + " === 'up'")
        for status, word in (("?status=fail", "1 of 2 results for down"), ("", "")):
            reachd.send("POST", "/targets/calls/heartbeat" + status)
            wait()
            tab.await_(row("calls") + f".querySelector('.why').textContent === '{word}'")

    # Filters and details

    def test_filters_are_in_the_url(self):
        tab = self.live()
        tab.await_(seen("refused") + " === 'down'")
        tab.click(".chip[data-state=down]")
        tab.await_("location.search === '?state=down'")
        tab.await_(seen("itself") + " === null && " + seen("refused") + " === 'down'")
        assert tab.run("document.querySelector('.chip[data-state=down]').getAttribute('aria-pressed')") == "true"
        tab.await_("document.getElementById('shown').innerText.startsWith('1 of ')")
        tab = self.live("/?state=up&group=near&tag=tier%3A2&q=ITSELF")
        tab.await_("document.getElementById('shown').innerText.startsWith('1 of ')")
        assert tab.run(seen("itself")) == "up"
        tab.set("#q", "no such thing")
        tab.await_("document.getElementById('empty').innerText === 'No targets match.'")
        tab.click("#clear")
        tab.await_("location.search === '' && " + seen("refused") + " === 'down'")

    def test_details(self):
        tab = self.live("/#refused")
        tab.await_("document.querySelector('#details[open]')?.innerText.includes('connect_refused')")
        # The data of the list is shown at once, the rest after a request.
        for word in ("The cause is the target itself", "Next probe", "lo (loopback)", "the configuration", "every 1 s"):
            tab.await_(f"document.getElementById('details').innerText.includes('{word}')")
        tab.await_("document.querySelector('#details .turns')?.innerText.includes('down')")
        # A service that runs for minutes has one period, and says since when.
        tab.await_("/^since \\d\\d:\\d\\d/.test(document.querySelector('[aria-labelledby=details-uptime] tbody th')?.innerText)")
        assert tab.run("document.querySelectorAll('[aria-labelledby=details-uptime] tbody tr').length") == 1
        assert tab.run("[...document.querySelectorAll('.actions button')].map((button) => button.ariaDisabled)") == ["false", "false", "false", "true", "true"]
        # A click on a disabled button explains why it is disabled.
        tab.click(".actions .danger")
        why = "Declared by the configuration file; change or delete it there."
        assert tab.text("#details .fault") == why and tab.text(".actions .hint") == why
        assert not tab.run("!!document.querySelector('#editor[open]')")
        assert tab.run("document.querySelector('.actions .danger').title") == why
        tab = self.live("/#secure")
        tab.await_("document.querySelectorAll('#details .chain li').length === 1")
        text = tab.text("#details")
        for word in ("page.test", "issued by", "TLS"):
            assert word in text, f"{word} is not in {text}"
        assert tab.run("document.querySelectorAll('#details .phase').length") >= 2
        # An untrusted certificate that the policy accepts does not have the mark of a trusted one.
        assert tab.run("document.querySelector('#details .chain li').className") == "tolerated"

    def test_a_trace_shows_the_broken_hop(self):
        routers = Routers(self.neighbour)
        hops = "[...document.querySelectorAll('.route')].map((line) => [...line.querySelectorAll('li b')].map((hop) => hop.innerText))"
        chain = ["192.0.2.1", "203.0.113.2", "203.0.113.6", "198.51.100.40"]
        lead = "document.querySelector('[aria-labelledby=details-trace] .because')?.innerText ?? ''"
        try:
            self.reachd.send("POST", "/targets", {"id": "behind", "address": "198.51.100.40", "probe": {"type": "tcp", "port": 443, "interval": "1s", "timeout": "900ms", "fall": 2, "rise": 1}})
            tab = self.live("/#behind")
            tab.await_(seen("behind") + " === 'up'")
            # By keyboard.
            tab.run("document.querySelector('.actions button:nth-child(2)').focus()")
            assert tab.run("document.activeElement.innerText") == "Trace now"
            tab.key("Enter")
            tab.await_("document.querySelectorAll('.route li').length === 5")
            assert tab.run(hops) == [["this machine"] + chain], tab.run(hops)
            tab.await_("document.querySelector('#details [role=status]').textContent === '198.51.100.40, 4 hops away, answers.'")
            assert tab.run(lead) == "198.51.100.40, 4 hops away, answers."
            assert tab.run("[...document.querySelectorAll('.route .time')].filter((time) => time.innerText.endsWith(' ms')).length") == 4
            assert tab.run("document.querySelectorAll('.route .broken, .route .beyond').length") == 0
            tab.await_("document.activeElement.innerText === 'Trace now'")
            routers.cut()
            # Without a request: the page follows the state.
            tab.await_("document.querySelector('.route .broken')?.innerText.includes('203.0.113.2')", 40)
            assert "the path stops behind this hop" in tab.text(".route .broken")
            assert re.fullmatch(r"The path stops behind 203\.0\.113\.2 \(hop 2\), which led on to 203\.0\.113\.6 at \d\d:\d\d:\d\d\.", tab.run(lead)), tab.run(lead)
            assert tab.run(hops) == [["this machine"] + chain, ["this machine"] + chain], tab.run(hops)
            assert tab.run("[...document.querySelectorAll('.route .beyond b')].map((hop) => hop.innerText)") == chain[2:]
            # The incident shows the same, with what was observed of each element.
            incident = self.reachd.send("GET", "/incidents?state=open&target=behind")["incidents"][0]["id"]
            other = self.live(f"/?incident={incident}")
            other.await_("document.querySelector('#incident .route .broken')?.innerText.includes('203.0.113.6')")
            assert "A trace ended before it" in other.text("#incident .route .broken"), other.text("#incident .route")
            assert other.run("[...document.querySelectorAll('#incident .route b')].map((hop) => hop.innerText)") == ["this machine"] + chain[:3]
            self.axe(other, "the elements of an incident")
            tab.await_("document.querySelector('#details').innerText.includes('a router or firewall on the path')")
            self.axe(tab, "a trace")
            for size in ((390, 844), (320, 640)):
                tab.resize(*size, phone=True)
                # The table of the uptime has five columns of numbers, too many for 320 pixels.
                parts = ".sections *" if size[0] > 320 else ".route, .route *"
                wide = tab.run(f"[...document.querySelectorAll('{parts}')].filter((part) => part.getBoundingClientRect().right > innerWidth).map((part) => part.outerHTML.slice(0, 60))")
                assert not wide, f"wider than {size}: {wide}"
                tab.dark(True)
                self.axe(tab, f"a trace on {size}")
            # A router that reports the fault itself is marked with its words.
            routers.refuse()
            tab.await_("document.querySelector('.route .broken .fault')?.innerText.includes('203.0.113.6') || (document.querySelector('#details').innerText.includes('host_unreachable'))", 40)
            tab.click(".actions button:nth-child(2)")
            tab.await_("document.querySelector('.route .broken')?.innerText.includes('203.0.113.6')", 40)
            assert "reports: " in tab.text(".route .broken"), tab.text(".route .broken")
            routers.restore()
            tab.await_(seen("behind") + " === 'up'", 40)
            tab.open("about:blank")
        finally:
            self.reachd.send("DELETE", "/targets/behind")
            routers.close()

    def test_a_trace_stays_text(self):
        tab = self.live("/#itself")
        tab.await_("!!document.querySelector('.sections section')")
        answer = {"latest": {
            "at": "2026-11-23T14:03:00.000Z", "address": "198.51.100.1", "method": "tcp", "port": 1, "outcome": "silent", "detail": HOSTILE, "duration_seconds": 2, "packets": 9, "one_flow": False,
            "loop": ["203.0.113.1"],
            "hops": [{"hop": 1, "addresses": [HOSTILE, HOSTILE], "sent": 3, "lost": 1, "median_seconds": 0.002}, {"hop": 2, "addresses": [], "sent": 3, "lost": 3},
                     {"hop": 3, "addresses": ["203.0.113.1"], "sent": 3, "lost": 0, "mpls": [{"label": 17, "traffic_class": 0, "ttl": 1}, {"label": 18, "traffic_class": 0, "ttl": 255}]}]},
            "comparison": HOSTILE, "last_hop": {"address": "203.0.113.1", "hop": 3}, "next_hop": {"address": HOSTILE, "hop": 4}}
        tab.run(f"import('/page/trace.js').then(({{ traces }}) => {{ document.querySelector('.sections').replaceChildren(...traces({json.dumps(answer)}, {{}})); }})")
        tab.await_("document.querySelectorAll('.route li').length === 6")
        text = tab.text(".sections")
        for word in (HOSTILE, "1 of 3 lost", "no answer", "MPLS 17 (TTL 1), 18 (TTL 255)", "in a loop", "several flows", "the path stops behind this hop", "came next before"):
            assert word in text, f"{word} is not in {text}"
        assert tab.run("document.querySelectorAll('.sections img, .sections script').length") == 0
        assert "owned" not in tab.run("document.title")
        # A target whose own last trace is good: other targets show where packets end.
        answer = {"latest": answer["latest"] | {"outcome": "reached"}}
        target = {"reason": {"code": "timeout", "trace": {"last_hop": {"address": "203.0.113.1", "hop": 3}}}}
        tab.run(f"import('/page/trace.js').then(({{ traces }}) => {{ document.querySelector('.sections').replaceChildren(...traces({json.dumps(answer)}, {json.dumps(target)})); }})")
        tab.await_("document.querySelector('.route .broken .fault')?.innerText === 'packets end behind this hop'")
        assert tab.text(".route .broken b") == "203.0.113.1"

    def test_a_path_that_cannot_be_traced(self):
        self.reachd.send("POST", "/targets", {"id": "unseen", "address": "127.0.0.1", "hide_address": True, "probe": {"type": "tcp", "port": self.reachd.port, "interval": "30s"}})
        try:
            for id, words in (("unseen", "hides its address"), ("hostile", "has no probe")):
                tab = self.live(f"/#{id}")
                tab.await_("document.querySelector('.actions button:nth-child(2)')?.ariaDisabled === 'true'")
                tab.click(".actions button:nth-child(2)")
                assert words in tab.text("#details .fault")
                assert tab.run("document.getElementById('details-trace').parentElement.hidden")
                assert not any(address.endswith("/trace") for address in tab.requests), "an untraceable target is asked for traces"
                tab.open("about:blank")
        finally:
            self.reachd.send("DELETE", "/targets/unseen")

    def color(self, tab, name):
        return tab.run(f"(() => {{ const i = document.createElement('i'); i.style.color = 'var(--{name})'; document.body.append(i); const color = getComputedStyle(i).color; i.remove(); return color; }})()")

    def test_a_wrong_response_is_not_described_as_silence(self):
        for id, probe, words in (
            ("vault", {"type": "tls", "port": self.secure.port}, "presents a certificate that is not accepted"),
            ("wrong", {"type": "http", "url": f"http://127.0.0.1:{self.reachd.port}/nothing"}, "responds, but not as expected"),
            ("closed", {"type": "tcp", "port": 9}, "refuses the connection"),
        ):
            where = {} if "url" in probe else {"host": "localhost"} if id == "vault" else {"address": "127.0.0.1"}
            self.reachd.send("POST", "/targets", {"id": id, **where, "probe": {**probe, "interval": "1s", "fall": 1}})
            tab = self.live(f"/#{id}")
            try:
                tab.await_(f"document.querySelector('#details .because')?.innerText.includes('{words}')")
                assert "does not respond" not in tab.text("#details .because")
                if id == "vault":
                    tab.await_("document.querySelectorAll('#details .chain li').length === 1")
                    mark = "getComputedStyle(document.querySelector('#details .chain li'), '::before')"
                    assert tab.run(f"{mark}.borderTopColor") == self.color(tab, "down"), "the mark of a rejected certificate is not red"
                    assert tab.run(f"{mark}.backgroundColor") == self.color(tab, "down")
            finally:
                # An open page would request the removed target, and the browser would log the 404.
                tab.open("about:blank")
                self.reachd.send("DELETE", f"/targets/{id}")

    def test_a_target_that_hides_its_address(self):
        self.reachd.send("POST", "/targets", {"id": "secret", "hide_address": True, "probe": {"type": "http", "url": f"http://127.0.0.1:{self.reachd.port}/livez?token=opensesame", "interval": "1s", "expect": {"status": "400"}}})
        tab = self.live("/#secret")
        try:
            tab.await_(seen("secret") + " === 'up'")
            tab.await_("!!document.querySelector('[aria-labelledby=details-uptime] tbody tr')")
            text = tab.text("#details") + tab.run(row("secret") + ".innerText")
            # The address is not checked: on loopback it is also the source address, which the page shows.
            for word in ("livez", "opensesame", str(self.reachd.port)):
                assert word not in text, f"{word} is shown: {text}"
            assert "hidden" in text
        finally:
            self.reachd.send("DELETE", "/targets/secret")

    # Changes

    def test_add_probe_pause_delete(self):
        tab = self.live()
        tab.click("#add")
        tab.await_("document.activeElement.id === 'field-where'")
        tab.await_("document.getElementById('storage').textContent.startsWith('Kept across restarts.')")
        tab.run("(() => { const kind = document.getElementById('field-kind'); kind.value = 'tcp'; kind.dispatchEvent(new Event('change')); })()")
        tab.type("127.0.0.1")
        tab.set("#field-port", str(self.reachd.port))
        self.further(tab)
        tab.set("#field-id", "added")
        tab.set("#field-name", "Added here")
        tab.set("#field-interval", "often")
        tab.click("#editor [type=submit]")
        tab.await_("document.getElementById('fault-interval').innerText !== ''")
        assert tab.run("document.getElementById('field-interval').getAttribute('aria-invalid')") == "true"
        assert tab.run("document.activeElement.id") == "field-interval"
        tab.set("#field-interval", "30s")
        tab.key("Enter")
        tab.await_("document.querySelector('#details[open] h2')?.innerText === 'Added here'")
        assert tab.run("location.hash") == "#added"
        tab.await_(seen("added") + " === 'up'")
        before = self.reachd.send("GET", "/targets/added")["last_result"]["at"]
        tab.click(".actions button:nth-child(1)")
        end = time.time() + 20
        while self.reachd.send("GET", "/targets/added")["last_result"]["at"] == before:
            assert time.time() < end, "Probe now starts no probe"
            time.sleep(0.05)
        tab.click(".actions button:nth-child(3)")
        tab.await_(seen("added") + " === 'paused'")
        tab.await_("document.querySelector('.actions button:nth-child(3)').innerText === 'Resume'")
        tab.click(".actions button:nth-child(3)")
        tab.await_(seen("added") + " === 'up'")
        tab.click(".actions .danger")
        tab.await_("document.querySelector('#editor[open]')?.innerText.includes('Delete Added here?')")
        assert tab.run("document.activeElement.innerText") == "Cancel"
        tab.click("#editor .danger")
        tab.await_(seen("added") + " === null && !document.querySelector('dialog[open]')")
        # A duplicate id is reported beside its field.
        tab.click("#add")
        tab.await_("document.activeElement.id === 'field-where'")
        tab.set("#field-where", "http://127.0.0.1/")
        self.further(tab)
        tab.set("#field-id", "far")
        tab.click("#editor [type=submit]")
        tab.await_("document.getElementById('fault-id').innerText !== ''")
        tab.key("Escape")
        tab.complaints[:] = [text for text in tab.complaints if not text.startswith("network:")]

    def choose(self, tab, kind):
        tab.click("#add")
        tab.await_("document.activeElement.id === 'field-where'")
        tab.run(f"(() => {{ const kind = document.getElementById('field-kind'); kind.value = '{kind}'; kind.dispatchEvent(new Event('change')); }})()")

    def test_the_form_offers_every_kind(self):
        tab = self.live()
        kinds = self.reachd.send("GET", "/kinds")["kinds"]
        self.choose(tab, "dns")
        offered = tab.run("[...document.querySelectorAll('#field-kind option')].map((option) => option.value).join(' ')").split()
        assert set(offered) == {kind["type"] for kind in kinds} | {"push", "traffic", "none"}, offered
        tab.set("#field-where", "127.0.0.1")
        self.further(tab)
        tab.set("#field-id", "asked")
        tab.click("#editor [type=submit]")
        tab.await_("document.getElementById('fault-question-0').innerText !== ''")
        tab.set("#field-question-0", "example.org")
        tab.set("#field-question-1", "MX")
        tab.click("#editor [type=submit]")
        tab.await_("document.querySelector('#details[open]') && location.hash === '#asked'")
        try:
            assert self.reachd.send("GET", "/targets/asked")["probe"]["type"] == "dns"
            # The first request was refused.
            tab.complaints[:] = [text for text in tab.complaints if not text.startswith("network:")]
        finally:
            self.reachd.send("DELETE", "/targets/asked")

    def test_the_form_accepts_hosts_ports_and_urls(self):
        tab = self.live()
        port = str(self.reachd.port)
        self.choose(tab, "tcp")
        fault = "document.getElementById('fault-port').innerText"
        tab.set("#field-where", "127.0.0.1")
        tab.click("#editor [type=submit]")
        tab.await_(f"{fault}.includes('needs a port')")
        assert tab.run("document.activeElement.id") == "field-port"
        tab.set("#field-port", "99999")
        tab.click("#editor [type=submit]")
        tab.await_(f"{fault} !== '' && !{fault}.includes('needs a port')")
        tab.key("Escape")
        for kind, where, field, expected in (
            ("tcp", f"127.0.0.1:{port}", "port", self.reachd.port), ("tcp", f"http://127.0.0.1:{port}/status", "port", self.reachd.port),
            ("tls", "https://127.0.0.1/", "port", 443), ("tcp", "[::1]:7", "address", "::1"), ("push", "", "address", "127.0.0.1"),
        ):
            self.choose(tab, kind)
            tab.set("#field-where", where)
            self.further(tab)
            tab.set("#field-id", "typed")
            tab.click("#editor [type=submit]")
            tab.await_("document.querySelector('#details[open]') && location.hash === '#typed'")
            target = self.reachd.send("GET", "/targets/typed")
            found = (target["probe"] if field == "port" else target)[field]
            assert found == expected, f"{kind} {where}: {found}"
            self.reachd.send("DELETE", "/targets/typed")
            tab.await_(seen("typed") + " === null && !document.querySelector('dialog[open]')")
        # Anything else is refused beside the field, and no target is declared.
        neither = ("htp:/nonsense", "http:/x", "http//x", "://x", "http://", "a b", "https://exa mple/", "mailto:me@example.org", "x:y", "example.org:99999999", "[::1", "ftp://example.org/", "a@b", "\\\\share")
        for kind in ("http", "tcp", "icmp"):
            self.choose(tab, kind)
            for where in neither:
                if kind != "http" and where == "ftp://example.org/":
                    continue
                tab.set("#field-where", where)
                self.further(tab)
                tab.set("#field-id", "typed")
                tab.click("#editor [type=submit]")
                tab.await_("document.getElementById('fault-where').innerText.includes('Examples: ')")
                assert tab.run("document.activeElement.id") == "field-where"
            tab.key("Escape")
        assert all(target["id"] != "typed" for target in self.reachd.send("GET", "/targets")["targets"])
        self.choose(tab, "http")
        tab.set("#field-where", f"127.0.0.1:{port}/status")
        self.further(tab)
        tab.set("#field-id", "typed")
        tab.click("#editor [type=submit]")
        tab.await_("document.querySelector('#details[open]') && location.hash === '#typed'")
        assert f"https://127.0.0.1:{port}" in json.dumps(self.reachd.send("GET", "/targets/typed"))
        self.reachd.send("DELETE", "/targets/typed")
        tab.complaints[:] = [text for text in tab.complaints if not text.startswith("network:")]

    def test_filters_follow_targets(self):
        tab = self.live()
        options = "[...document.querySelectorAll('#group option, #tag option')].map((option) => option.value)"
        self.reachd.send("POST", "/targets", {"id": "moves", "address": "127.0.0.1", "group": "first", "tags": {"a": "b"}})
        try:
            tab.await_(f"{options}.includes('first') && {options}.includes('a:b')")
            self.reachd.send("PUT", "/targets/moves", {"address": "127.0.0.1", "group": "second", "tags": {"c": "d"}})
            tab.await_(f"{options}.includes('second') && {options}.includes('c:d') && !{options}.includes('first')")
        finally:
            self.reachd.send("DELETE", "/targets/moves")

    def test_a_link_to_an_unknown_target_is_reported(self):
        tab = self.live("/#gone")
        tab.await_("document.getElementById('note').innerText === 'Unknown target gone.'")

    def test_details_clear_an_error_that_is_over(self):
        tab = self.live("/#refused", isFaulty=True)
        tab.await_("document.querySelector('#details[open]')?.innerText.includes('connect_refused')")
        fault = "document.querySelector('#details .fault').innerText"
        tab.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        tab.await_(f"{fault} === 'No answer from reachd.'")
        tab.call("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        tab.await_(f"{fault} === ''")
        # The error of an action stays until the next action.
        tab.run("(() => { window.honest = fetch; window.fetch = (url, settings) => settings.method === 'POST' ? Promise.reject(new TypeError()) : honest(url, settings); })()")
        tab.click(".actions button:nth-child(1)")
        tab.await_(f"{fault} !== ''")
        time.sleep(6)
        assert tab.run(fault) != "", "a refresh clears the error of an action"

    def test_keyboard(self):
        tab = self.live()
        tab.key("Tab")
        assert tab.run("document.activeElement.id") == "skip"
        tab.key("Enter")
        tab.await_("document.activeElement.className === 'name'")
        first = tab.run("document.activeElement.innerText")
        tab.key("ArrowDown")
        assert tab.run("document.activeElement.innerText") != first
        here = tab.run("document.activeElement.getAttribute('href')")
        tab.key("Enter")
        tab.await_("!!document.querySelector('#details[open]')")
        assert tab.run("location.hash") == here
        assert tab.run("document.getElementById('details').contains(document.activeElement)")
        tab.key("Escape")
        tab.await_("!document.querySelector('dialog[open]') && location.hash === ''")
        assert tab.run("document.activeElement.getAttribute('href')") == here, "the focus is not where it was"
        tab.key("/")
        assert tab.run("document.activeElement.id") == "q"
        outline = tab.run("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid", f"the focus cannot be seen: {outline}"

    # Access

    def test_a_token_is_required(self):
        tokens = {"reader-of-the-page": ["read"], "writer-of-the-page": ["read", "write"]}
        lines = ", ".join(
            f"{{ name: {name}, digest: {hashlib.sha256(name.encode()).hexdigest()}, scopes: [ {', '.join(scopes)} ] }}" for name, scopes in tokens.items()
        )
        reachd = Reachd(self.binary, self.folder, f"access: {{ tokens: [ {lines} ] }}\ntargets: [ {{ id: kept, address: 127.0.0.1 }} ]", "tokens")
        try:
            tab = self.tab("/", reachd, isFaulty=True)
            tab.await_("!!document.querySelector('#prompt[open]')")
            tab.await_("document.activeElement.id === 'token-field'")
            assert "kept" not in tab.text("main")
            # The button reopens a closed dialog.
            tab.key("Escape")
            tab.await_("!document.querySelector('dialog[open]')")
            assert tab.text("#token") == "Enter a token"
            assert "Reconnecting" not in tab.text("#banner")
            tab.click("#token")
            tab.await_("document.activeElement.id === 'token-field'")
            tab.type("stranger")
            tab.key("Enter")
            tab.await_("document.getElementById('token-fault')?.innerText.includes('unknown')")
            tab.type("reader-of-the-page")
            tab.key("Enter")
            tab.await_("document.body.dataset.link === 'live'")
            tab.await_(seen("kept") + " === 'up'")
            tab.await_("document.getElementById('add').ariaDisabled === 'true' && document.getElementById('add').title.includes('scope')")
            tab.click("#add")
            assert "scope" in tab.text("#note") and not tab.run("!!document.querySelector('dialog[open]')")
            assert not any("token" in address for address in tab.requests), "the token is in an address"
            assert tab.text("#token") == "Forget the token"
            tab.click("#token")
            tab.await_("!!document.querySelector('#prompt[open]')")
            tab.await_("document.querySelectorAll('.row, .hop').length === 0")
            for secret in ("kept", "127.0.0.1", "interface", "reachd 0", "last data"):
                assert secret not in tab.text("main") + tab.text("footer") + tab.text("header").replace(tab.text("#host"), ""), f"{secret} is still shown"
            tab.type("writer-of-the-page")
            tab.key("Enter")
            tab.await_("document.body.dataset.link === 'live' && document.getElementById('add').ariaDisabled === 'false'")
            # The token is kept for the tab.
            tab.open(reachd.url + "/#kept")
            tab.await_("!!document.querySelector('#details[open]')")
            tab.call("Page.reload")
            tab.await_("document.body?.dataset.link === 'live' && !!document.querySelector('#details[open]')")
            self.judge()
        finally:
            reachd.stop()

    def test_behind_a_path(self):
        reachd = Reachd(self.binary, self.folder, "base_path: /watch/over\ntargets: [ { id: kept, address: 127.0.0.1 } ]", "base", "/watch/over")
        try:
            tab = self.live("?q=kept", reachd=reachd)
            assert tab.run("location.pathname + location.search") == "/watch/over/?q=kept"
            tab.await_(seen("kept") + " === 'up'")
            tab = self.live("/api/v1/", reachd=reachd)
            tab.await_(seen("kept") + " === 'up'")
            self.judge()
        finally:
            reachd.stop()

    def test_behind_a_proxy_that_authenticates_by_cookie(self):
        proxy = Doorkeeper(self.reachd.port)
        try:
            tab = self.tab("/", proxy)
            tab.await_("document.body?.dataset.link === 'live' && !!document.body.dataset.rows")
            tab.await_(seen("refused") + " === 'down'")
            self.judge()
        finally:
            proxy.close()

    # Accessibility

    def axe(self, tab, words):
        """Checks that axe finds no violation in a tab."""
        script = open(glob.glob(os.path.join(sys.prefix, "lib/python*/site-packages/axe_playwright_python/axe.min.js"))[0]).read()
        tab.run(script + ";0")
        # What is fading in has too little contrast.
        tab.await_("document.getAnimations().every((one) => one.playState !== 'running' || one.effect.getComputedTiming().endTime === Infinity)")
        found = json.loads(tab.run("axe.run(document, {resultTypes: ['violations']}).then((result) => JSON.stringify(result.violations))"))
        told = [f"{item['id']}: {node['target']} {node['failureSummary'][:300]}" for item in found for node in item["nodes"][:3]]
        assert not told, f"{words}:\n" + "\n".join(told)

    def test_axe_finds_nothing(self):
        for isDark in (False, True):
            for size in ((1280, 860), (390, 844)):
                for view, act in (("list", None), ("details", "location.hash = '#secure'"), ("editor", "document.getElementById('add').click()")):
                    tab = self.live(width=size[0], height=size[1], dark=isDark)
                    tab.dark(isDark, motion=False)
                    tab.await_(seen("secure") + " === 'up' || " + seen("secure") + " === 'degraded'")
                    if act:
                        tab.run(act)
                        tab.await_("!!document.querySelector('dialog[open]')")
                        if view == "details":
                            tab.await_("!!document.querySelector('.sections table') && !!document.querySelector('.chain li')")
                    self.axe(tab, f"{view}, {'dark' if isDark else 'light'}, {size}")
                    tab.close()
                    self.tabs.pop()


def attempt(tests, name):
    """Runs a test and prints its result."""
    if name in dir(FleetTests) and not PROGRAMS:
        print(f"  skipped {name[5:].replace('_', ' ')}: PostgreSQL is not installed", flush=True)
        return True
    begun = time.time()
    words = name[5:].replace("_", " ")
    try:
        getattr(tests, name)()
        tests.judge()
        print(f"  passed  {words} ({time.time() - begun:.1f} s)", flush=True)
        return True
    except Exception as error:
        if not isinstance(error, AssertionError):
            traceback.print_exc()
        print(f"  FAILED  {words}: {error}", flush=True)
        for tab, _, _ in tests.tabs:
            print("          " + " | ".join(tab.complaints[:3])[:600])
            tab.close()
        tests.tabs.clear()
        return False


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--reachd", required=True)
    options.add_argument("--pictures")
    options.add_argument("--only", default="")
    options = options.parse_args()
    # Clean up on SIGTERM too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = tempfile.mkdtemp(prefix="reachd-page-")
    neighbour, browser, reachd, tests, failed = Neighbour(), None, None, None, []
    secure = Secure(folder)
    try:
        browser = Browser()
        if options.pictures:
            pictures.take(browser, options.reachd, folder, neighbour, secure, options.pictures)
            return 0
        config = f"history: {{ path: {folder}/history.db }}" + CONFIG.replace("TLS", str(secure.port))
        # The service monitors itself, so its port must be known in advance.
        port = free_port()
        reachd = Reachd(options.reachd, folder, config.replace("PORT", str(port)), port=port)
        tests = Tests(browser, reachd, neighbour, options.reachd, folder, secure)
        for name in [name for name in dir(Tests) if name.startswith("test_") and options.only in name]:
            if not attempt(tests, name):
                failed.append(name)
        # As with all other tests: a test that passes when run alone is reported as flaky.
        if len(failed) <= 2:
            for name in failed.copy():
                for target in reachd.send("GET", "/targets")["targets"]:
                    if target["origin"] == "api":
                        reachd.send("DELETE", f"/targets/{target['id']}")
                if attempt(tests, name):
                    failed.remove(name)
                    print(f"unsteady: {name}", flush=True)
        reachd.stop()
        reachd = None
        if options.only in "figures" and not figures.take(browser, options.reachd, folder):
            failed.append("figures")
    finally:
        if reachd:
            reachd.stop(signal.SIGKILL)
        if tests and tests.fleet:
            tests.fleet.close()
        if browser:
            browser.close()
        neighbour.close()
        secure.close()
        shutil.rmtree(folder, ignore_errors=True)
    print("passed" if not failed else f"FAILED: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
