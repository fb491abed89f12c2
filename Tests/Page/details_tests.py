# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""The details of a target with a known history, and the form that adds and edits targets."""
import datetime
import json
import re
import subprocess
import time

from service import Reachd
from view import row, seen

HOSTILE = "<img src=x onerror=\"document.title='owned'\">"
LENGTHS = {"minute": 60, "hour": 3_600, "day": 86_400}
CHART = "document.querySelector('#details .latencies')"
DAYS = "document.querySelector('#details .days .bar')"
TIP = "document.querySelector('.tip:popover-open')?.innerText"


def slot(microseconds):
    """The bin of the latencies' sketch, 32 for each power of two."""
    power = microseconds.bit_length() - 1
    return (power - 4) * 32 + (microseconds >> (power - 5)) - 32


def bucket(resolution, target, ago, down=0, degraded=0, failures=0, latencies=((20_000, 7), (40_000, 3))):
    """A line of `reachd export`: the slice that began so many slices ago, with counts of latencies in microseconds."""
    length = LENGTHS[resolution]
    start = datetime.datetime.fromtimestamp((int(time.time()) // length - ago) * length, datetime.timezone.utc)
    about = {"kind": "rollup", "resolution": resolution, "target": target, "start": start.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
             "observed_from_seconds": 0, "observed_to_seconds": length, "up_seconds": length - down - degraded, "down_seconds": down, "degraded_seconds": degraded,
             "probes": sum(number for _, number in latencies) + failures, "failures": failures, "latency": [[slot(time), number] for time, number in latencies]}
    return {name: value for name, value in about.items() if value or name in ("observed_from_seconds", "probes", "failures")}


class DetailsTests:
    def recorded(self, name, targets, lines):
        """A service whose history has these buckets."""
        text = f"history: {{ path: {self.folder}/{name}.db }}\nauto_targets: false\ntargets:\n"
        reachd = Reachd(self.binary, self.folder, text, name)
        reachd.stop()
        with open(reachd.file, "a") as file:
            for id, about in targets.items():
                declared = {"id": id, "address": "127.0.0.1", "probe": {"type": "tcp", "port": reachd.port, "interval": "30s"}} | about
                file.write(f"  - {json.dumps(declared)}\n")
        past = f"{self.folder}/{name}.jsonl"
        with open(past, "w") as file:
            for line in [{"reachd": "history", "version": 1}, *lines]:
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
        subprocess.run([self.binary, "import", "--file", f"{self.folder}/{name}.db", past], check=True, stdout=subprocess.DEVNULL)
        reachd.start()
        return reachd

    def hover(self, tab, selector, share, words):
        """Moves the pointer to a share of an element's width until the tooltip matches a pattern; returns it."""
        place = f"(() => {{ const part = {selector}; part.scrollIntoView({{ block: 'center' }}); const box = part.getBoundingClientRect(); return [box.x, box.y, box.width, box.height]; }})()"
        end = time.time() + 20
        while time.time() < end:
            box = tab.run(place)
            # Sections that arrive later move the chart, and a scroll hides the tooltip.
            time.sleep(0.2)
            if tab.run(place) == box:
                tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + share * box[2], y=box[1] + box[3] / 2)
                found = tab.run(TIP)
                if re.fullmatch(words, found or ""):
                    return found
        raise AssertionError(f"the tooltip is {found!r}, not {words}")

    # Charts

    def test_the_chart_of_response_times(self):
        lines = [bucket("minute", "old", ago) for ago in range(1, 62) if not 40 <= ago <= 45 and ago != 30]
        lines.append(bucket("minute", "old", 30, failures=10))
        lines += [bucket("hour", "old", ago) for ago in range(1, 60)] + [bucket("day", "old", ago) for ago in range(1, 40)]
        lines += [bucket("minute", "young", ago) for ago in range(1, 13)]
        reachd = self.recorded("charts", {"old": {}, "young": {"name": HOSTILE}}, lines)
        try:
            tab = self.live("/#old", reachd=reachd)
            tab.await_(f"!!{CHART}?.querySelector('.line')?.getAttribute('d')")
            pressed = "document.querySelector('.ranges [aria-pressed=true]').innerText"
            assert tab.run(pressed) == "24 h"
            # An axis with round values and units, and one with times.
            values = tab.run(f"[...{CHART}.querySelectorAll('.value')].map((text) => text.textContent)")
            assert values == ["0", "20 ms", "40 ms", "60 ms"], values
            times = tab.run(f"[...{CHART}.querySelectorAll('text.time')].map((text) => text.textContent)")
            assert len(times) >= 4 and all(re.fullmatch(r"\d\d:00|\d+ \w+", words) for words in times), times
            # The last hour: known minutes, a gap, and failures.
            tab.click(".ranges button:nth-child(1)")
            tab.await_(f"{pressed} === '1 h'")
            assert tab.run(f"{CHART}.querySelector('.line').getAttribute('d').split('M').length - 1") >= 2, "the gap is closed"
            assert tab.run(f"{CHART}.querySelector('.misses').getAttribute('d').split('M').length - 1") == 1
            count = int(tab.run(f"{CHART}.getAttribute('aria-valuemax')"))
            assert count == 60, count
            said = tab.text("#details .chart figcaption")
            assert "10 failed" in said and "p95 up to " in said, said
            # The tooltip of the minute with failures, by pointer.
            middle = "(() => { const mark = document.querySelector('.misses').getBBox(); const box = document.querySelector('.latencies').viewBox.baseVal; return (mark.x + mark.width / 2) / box.width; })()"
            self.hover(tab, CHART, tab.run(middle), r"\d\d:\d\d–\d\d:\d\d\nmedian 20 ms, p95 (39|40|41) ms\n20 probes, 10 failed")
            # By keyboard.
            tab.run(f"{CHART}.focus()")
            tab.key("Home")
            tab.await_(f"{CHART}.getAttribute('aria-valuenow') === '1'")
            tab.key("ArrowRight")
            tab.key("ArrowRight")
            tab.await_(f"{CHART}.getAttribute('aria-valuenow') === '3'")
            assert "median 20 ms" in tab.run(f"{CHART}.getAttribute('aria-valuetext')")
            assert tab.await_(TIP) == tab.run(f"{CHART}.getAttribute('aria-valuetext')")
            # The table is the same data.
            tab.click("#details .chart summary")
            tab.await_("[...document.querySelectorAll('#details .chart tbody tr')].some((row) => row.innerText.includes('20\\t10'))")
            self.axe(tab, "a chart")
            # The range is remembered; days have their own words.
            tab.click(".ranges button:nth-child(4)")
            tab.await_(f"{pressed} === '30 d'")
            tab = self.live("/#old", reachd=reachd)
            tab.await_(f"!!{CHART}?.querySelector('.line')?.getAttribute('d')")
            assert tab.run(pressed) == "30 d"
            # The range of a young target is as long as the target is old.
            tab = self.live("/#young", reachd=reachd)
            tab.await_(f"!!{CHART}?.querySelector('.line')?.getAttribute('d')")
            assert tab.run(pressed) == "30 d"
            assert 12 <= int(tab.run(f"{CHART}.getAttribute('aria-valuemax')")) <= 14
            assert re.match(r"Since \d\d:\d\d: ", tab.text("#details .chart figcaption")), tab.text("#details .chart figcaption")
            for size in ((390, 844), (320, 640)):
                tab.resize(*size, phone=True)
                tab.dark(True)
                tab.await_(f"{CHART}.getBoundingClientRect().right <= innerWidth")
                self.axe(tab, f"a chart on {size}")
            self.judge()
        finally:
            reachd.stop()

    def test_ninety_days(self):
        lines = [bucket("day", "web", ago, down=8_640 if ago == 3 else 0, degraded=3_600 if ago == 5 else 0) for ago in range(1, 12)]
        lines += [bucket("day", "mail", ago) for ago in range(1, 8)] + [bucket("minute", "fresh", 1)]
        reachd = self.recorded("days", {"web": {"group": "Public"}, "mail": {"group": "Public"}, "fresh": {}}, lines)
        try:
            tab = self.live("/#web", reachd=reachd)
            tab.await_(f"{DAYS}?.getAttribute('aria-valuemax') === '12'")
            date = lambda ago: (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=ago)).strftime("%-d %b %Y")
            said = tab.text("#details .days figcaption")
            assert "in 12 days, since " + date(11) in said, said
            # 10 % of one day of nearly twelve.
            assert re.match(r"Uptime 99\.\d\d %|Uptime 99\.1 %", said), said
            for ago, words in ((3, ["uptime 90.0 %", "down 2 h 24 min"]), (5, ["uptime 100 %", "degraded 1 h"]), (2, ["uptime 100 %"])):
                self.hover(tab, DAYS, (12 - ago - 0.5) / 12, "\n".join([date(ago), *words]))
            assert tab.run(f"{DAYS}.querySelector('.down').getAttribute('d').split('M').length - 1") == 1
            tab.key("Escape")
            tab.await_("!document.querySelector('dialog[open]') && location.hash === ''")
            # A target of a few seconds has one day, and says so.
            tab.run("location.hash = 'fresh'")
            tab.await_("document.querySelector('#details .days figcaption')?.innerText.includes(' of observation, since ')")
            assert tab.run(f"{DAYS}.getBoundingClientRect().width") < 30, "one day has the width of many"
            tab.key("Escape")
            tab.await_("!document.querySelector('dialog[open]')")
            # The days of a group are those of its targets.
            tab.click(".group-days summary")
            tab.await_("document.querySelector('.group-days figcaption')?.innerText.includes('2 targets')")
            self.hover(tab, "document.querySelector('.group-days .bar')", 8.5 / 12, r"[^\n]+\nuptime 95\.0 %\ndown 2 h 24 min")
            self.axe(tab, "the days of a group")
            self.judge()
        finally:
            reachd.stop()

    def test_rows_have_tooltips(self):
        # Statistics are written at the end of a minute.
        self.reachd.await_(lambda: self.reachd.send("GET", "/targets/itself/uptime")["windows"]["24h"].get("uptime_ratio") is not None, 80)
        tab = self.live(height=1_600)
        tab.await_(row("itself") + ".querySelector('.bar').getAttribute('aria-label').startsWith('Uptime 100 %')")
        self.hover(tab, row("itself") + ".querySelector('.bar')", 0.99, r"\d+ \w+,? \d\d:00–\d\d:00\nuptime 100 %.*(\n.*)*")
        self.hover(tab, row("itself") + ".querySelector('.spark')", 0.995, r"\d\d:\d\d–\d\d:\d\d\nmedian .*")

    def test_details_list_incidents(self):
        tab = self.live("/#refused")
        tab.await_("document.querySelector('[aria-labelledby=details-incidents] a')?.getAttribute('href').startsWith('?incident=')")
        assert "open for" in tab.text("[aria-labelledby=details-incidents]")
        tab.await_("document.querySelector('#details .turns:not(ul)')?.innerText.includes('until now')")

    # The form

    def test_every_kind_can_be_edited(self):
        port = self.reachd.port
        declarations = {
            "tcp": {"address": "127.0.0.1", "probe": {"type": "tcp", "port": port, "expect": {"max_latency": "2s"}, "dialogue": [{"send": "x"}]}},
            "tls": {"host": "localhost", "probe": {"type": "tls", "port": self.secure.port, "tls": {"insecure_skip_verify": True, "server_name": "page.test"}}},
            "http": {"probe": {"type": "http", "url": f"http://127.0.0.1:{port}/livez?a=b", "method": "GET", "headers": {"X-Key": "secret"}, "expect": {"status": "200", "body_contains": ["o"], "certificate_days": 7}}},
            "grpc": {"address": "127.0.0.1", "probe": {"type": "grpc", "port": port, "service": "a.B"}},
            "udp": {"address": "127.0.0.1", "probe": {"type": "udp", "port": port, "payload": "x", "expect": {"reply": "y"}}},
            "dns": {"address": "127.0.0.1", "probe": {"type": "dns", "dns": {"name": "example.org", "type": "MX"}, "expect": {"rcode": "NXDOMAIN"}}},
            "icmp": {"address": "127.0.0.1", "depends_on": "itself", "probe": {"type": "icmp", "icmp": {"count": 2}, "fall": 4}},
            "ntp": {"address": "127.0.0.1", "probe": {"type": "ntp", "expect": {"max_offset": "100ms", "max_stratum": 4}}},
            "push": {"address": "127.0.0.1", "probe": {"type": "push", "interval": "1h", "grace": "5m"}},
            "traffic": {"address": "127.0.0.1", "probe": {"type": "traffic", "port": port, "max_age": "10m"}},
            "none": {"address": "127.0.0.1"},
            "negative": {"address": "127.0.0.1", "probe": {"type": "tcp", "port": 9, "expect": {"reachable": False}}},
        }
        assert set(declarations) >= {kind["type"] for kind in self.reachd.send("GET", "/kinds")["kinds"]}
        tab = self.live()
        for kind, declared in declarations.items():
            id = f"edit-{kind}"
            try:
                self.reachd.send("POST", "/targets", {"id": id, "group": "edited", "tags": {"a": "b"}, **declared})
                before = self.reachd.send("GET", f"/targets/{id}/declaration")
                tab.await_(seen(id) + " !== null")
                tab.run(f"location.hash = '{id}'")
                tab.await_("document.querySelector('.actions button:nth-child(4)')?.ariaDisabled === 'false'")
                tab.click(".actions button:nth-child(4)")
                tab.await_(f"document.querySelector('#editor[open] #field-id')?.value === '{id}'")
                assert tab.run("document.getElementById('field-tags').value") == "a=b"
                # Saving without a change changes nothing.
                tab.click("#editor [type=submit]")
                tab.await_("!document.querySelector('#editor[open]')")
                assert self.reachd.send("GET", f"/targets/{id}/declaration") == before
                tab.click(".actions button:nth-child(4)")
                tab.await_("!!document.querySelector('#editor[open] #field-name')")
                tab.set("#field-name", HOSTILE)
                expected = before | {"name": HOSTILE}
                if kind not in ("none", "push"):
                    tab.set("#field-interval", "45s")
                    expected["probe"] = before["probe"] | {"interval": "45s"}
                if kind == "negative":
                    tab.run("document.getElementById('field-probe-expect-reachable').click()")
                    expected["probe"].pop("expect")
                tab.click("#editor [type=submit]")
                tab.await_(f"!document.querySelector('#editor[open]') && document.querySelector('#details h2').innerText.includes('onerror')")
                after = self.reachd.send("GET", f"/targets/{id}/declaration")
                assert after == expected, f"{kind}: {after} is not {expected}"
                tab.key("Escape")
                tab.await_("!document.querySelector('dialog[open]')")
            finally:
                try:
                    self.reachd.send("DELETE", f"/targets/{id}")
                except OSError:
                    pass
        assert "owned" not in tab.run("document.title")

    def test_a_change_by_another_client_is_not_overwritten(self):
        self.reachd.send("POST", "/targets", {"id": "both", "address": "127.0.0.1", "probe": {"type": "push", "interval": "1h"}})
        try:
            tab = self.live("/#both", isFaulty=True)
            tab.await_("document.querySelector('.actions button:nth-child(4)')?.ariaDisabled === 'false'")
            tab.click(".actions button:nth-child(4)")
            tab.await_("!!document.querySelector('#editor[open] #field-name')")
            self.reachd.send("PUT", "/targets/both", {"address": "127.0.0.1", "name": "Theirs"})
            tab.set("#field-name", "Ours")
            tab.click("#editor [type=submit]")
            tab.await_("document.querySelector('#editor [role=alert]').innerText.includes('changed meanwhile')")
            assert self.reachd.send("GET", "/targets/both")["name"] == "Theirs"
            tab.open("about:blank")
        finally:
            self.reachd.send("DELETE", "/targets/both")

    def test_a_target_is_tested_before_it_is_saved(self):
        tab = self.live(isFaulty=True)
        count = len(self.reachd.send("GET", "/targets")["targets"])
        outcome = "document.querySelector('#editor .outcome').innerText"
        button = "#editor .buttons button:nth-child(2)"
        self.choose(tab, "http")
        tab.set("#field-where", f"http://127.0.0.1:{self.reachd.port}/livez")
        tab.click(button)
        tab.await_(f"{outcome}.startsWith('It works: response in ')")
        tab.set("#field-where", f"http://127.0.0.1:{self.reachd.port}/nothing")
        tab.click(button)
        tab.await_(f"{outcome}.startsWith('It would fail') && {outcome}.includes('404')")
        # Errors are shown beside the fields, also those of settings that are folded.
        tab.run("document.getElementById('field-probe-expect-body_matches').value = '('")
        tab.click(button)
        tab.await_("document.getElementById('fault-probe-expect-body_matches').innerText.includes('regular expression')")
        assert tab.run("document.querySelector('#editor details').open")
        tab.run("document.getElementById('field-rest').value = '{'")
        tab.click(button)
        tab.await_("document.getElementById('fault-rest').innerText.startsWith('Not JSON')")
        self.axe(tab, "the form with errors")
        # What sends no probe cannot be tested.
        tab.run("(() => { const kind = document.getElementById('field-kind'); kind.value = 'push'; kind.dispatchEvent(new Event('change')); })()")
        assert tab.run(f"document.querySelector('{button}').hidden")
        assert len(self.reachd.send("GET", "/targets")["targets"]) == count, "a test adds a target"

    def test_a_pasted_url_fills_the_form(self):
        tab = self.live()
        tab.click("#add")
        tab.await_("document.activeElement.id === 'field-where'")
        for url, kind, name in (("tcp://127.0.0.1:25", "tcp", "127.0.0.1"), ("https://example.org/health", "http", "example.org")):
            tab.key("Escape")
            tab.click("#add")
            tab.await_("document.activeElement.id === 'field-where'")
            tab.type(url)
            tab.run("document.getElementById('field-where').dispatchEvent(new Event('paste'))")
            tab.await_(f"document.getElementById('field-kind').value === '{kind}'")
            tab.await_(f"document.getElementById('field-name').value === '{name}'")

    def test_without_targets_the_form_is_on_the_page(self):
        reachd = Reachd(self.binary, self.folder, "auto_targets: true", "empty")
        try:
            tab = self.live(reachd=reachd)
            tab.await_("!!document.querySelector('.welcome form')")
            assert tab.run("document.querySelectorAll('.examples button').length") == 3
            self.axe(tab, "the page without targets")
            for number, kind in ((1, "http"), (2, "icmp"), (3, "push")):
                tab.click(f".examples button:nth-child({number})")
                tab.await_(f"document.getElementById('field-kind').value === '{kind}'")
            assert tab.run("document.getElementById('field-probe-grace').value") == "2h"
            tab.click(".welcome .main")
            tab.await_("location.hash === '#backup' && document.querySelector('#details[open]') && !document.querySelector('.welcome')")
            assert reachd.send("GET", "/targets/backup/declaration")["probe"] == {"type": "push", "interval": "1d", "grace": "2h"}
            self.judge()
        finally:
            reachd.stop()
