# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Incidents on the page: banners, groups, one incident, the list of incidents, the wall, and the keys."""
import contextlib
import json
import signal
import tempfile

from service import Reachd
from view import order, row, seen

HOSTILE = "<img src=x onerror=\"document.title='owned'\">"
BANNERS = "[...document.querySelectorAll('#banners > li')]"
TITLES = f"{BANNERS}.map((banner) => banner.querySelector('.name').innerText.trim())"
#: Sizes of a phone, of a usual screen and of a large one.
SCREENS = ((390, 844), (1920, 1080), (3840, 2160))
LIVE = "document.body?.dataset.link === 'live' && !!document.body.dataset.rows"


def pushed(number, group="crew", **options):
    """A target that fails when its heartbeat says so."""
    return {"id": f"t{number}", "name": f"Target {number}", "address": "127.0.0.1", "group": group,
            "probe": {"type": "push", "interval": "1h", "fall": 1, "rise": 1}} | options


class IncidentTests:
    @contextlib.contextmanager
    def service(self, name, targets):
        lines = "".join(f"  - {json.dumps(target)}\n" for target in targets)
        # Incidents of another service, or of an earlier attempt, are not wanted.
        folder = tempfile.mkdtemp(dir=self.folder)
        reachd = Reachd(self.binary, folder, f"limits: {{ writes_per_second: 100000 }}\nauto_targets: false\ntargets:\n{lines}", name)
        try:
            yield reachd
            self.judge()
        finally:
            reachd.stop(signal.SIGKILL)

    def beat(self, reachd, target, isGood=True):
        reachd.send("POST", f"/targets/{target}/heartbeat" + ("" if isGood else "?status=fail"))

    def failing(self, reachd, target):
        """Makes a target fail, and returns the id of its incident."""
        self.beat(reachd, target, False)
        reachd.await_(lambda: reachd.send("GET", f"/incidents?state=open&target={target}")["incidents"])
        return reachd.send("GET", f"/incidents?state=open&target={target}")["incidents"][0]["id"]

    # Banners and rows

    def test_a_cut_link_is_one_banner(self):
        targets = [{"id": f"far{number}", "name": f"Far {number}", "address": "198.51.100.10", "group": f"site {number // 20}"} for number in range(200)]
        with self.service("cut", targets) as reachd:
            tab = self.live(reachd=reachd, height=1_200)
            tab.await_("document.getElementById('verdict').innerText === 'All 200 targets are up'")
            # The link of the test before may just be back: groups close some seconds after that.
            tab.await_("document.querySelectorAll('.group ul:not([hidden])').length === 0")
            assert tab.run(f"{BANNERS}.length") == 0
            self.neighbour.pull()
            try:
                tab.await_(f"{BANNERS}.length === 1 && {TITLES}[0].endsWith(': 200 targets unreachable')")
                tab.await_("document.getElementById('verdict').innerText.startsWith('Offline: uplink ')")
                tab.await_("document.getElementById('tally').innerText === '200 unreachable of 200 targets'")
                # The rows are dimmed, and do not repeat the reason.
                tab.await_("document.querySelectorAll('.row.covered').length === 200")
                tab.await_(f"{seen('far0')} === 'unreachable' && {row('far0')}.querySelector('.why').textContent === ''")
                assert tab.run(f"{row('far0')}.querySelector('.name').title") != ""
                assert tab.text(".group .counts") == "20 unreachable"
                assert "this machine’s network" in tab.text("#banners"), tab.text("#banners")
                # The wall shows the cause once, and no tile for each.
                tab.click("header [data-view=wall]")
                tab.await_("document.querySelector('#wall-tiles b')?.innerText.endsWith(': 200 targets unreachable') && document.querySelectorAll('#wall-tiles li').length === 1")
                tab.key("Escape")
                tab.await_("document.getElementById('news').textContent.startsWith('Incident: ')")
            finally:
                self.neighbour.plug()
            tab.await_(f"{BANNERS}.length === 0 && document.getElementById('incidents').hidden", 30)
            tab.await_("document.querySelectorAll('.row.covered').length === 0")

    def test_banners_show_the_nearest_fault_first_then_the_most_severe(self):
        with self.service("order", [pushed(0)]) as reachd:
            tab = self.live(reachd=reachd)
            kinds = ["degraded", "down", "unreachable", "down", "degraded", "degraded", "down", "degraded", "unreachable"]
            # The newer of two equal ones comes first, and one that a person takes care of last.
            for number, severity in enumerate(kinds):
                incident = {"id": f"0-{number}", "title": f"{severity} {number}", "state": "open", "severity": severity, "cause": "target", "kind": "target",
                            "opened_at": f"2026-11-20T10:00:0{number}.000Z", "targets": {"total": 9, "failing": 1, "down": 1, "unreachable": 0, "degraded": 0}}
                if number == 3:
                    incident["acknowledged"] = {"by": "anna", "at": incident["opened_at"]}
                tab.run(f"import('/page/store.js').then(({{ take }}) => take('incident', {{ action: 'opened', incident: {json.dumps(incident)} }}, 1))")
            tab.await_(f"{BANNERS}.length === 6")
            tab.await_(f"{TITLES}.join() === 'down 6,down 1,down 3,unreachable 8,unreachable 2,degraded 7'")
            assert "acknowledged by anna" in tab.text("#banners")
            # A degraded gateway explains more than targets that are down.
            nearest = incident | {"id": "0-99", "kind": "gateway", "cause": "local_network", "title": "degraded gateway", "severity": "degraded"}
            for state in ("open", "closed"):
                tab.run(f"import('/page/store.js').then(({{ takeIncident }}) => takeIncident({json.dumps(nearest | {'state': state})}))")
                tab.await_(f"({TITLES}[0] === 'degraded gateway') === {str(state == 'open').lower()}")
            assert tab.text("#incidents-more") == "and 3 more incidents"
            tab.click("#incidents-more")
            tab.await_(f"{BANNERS}.length === 9")
            assert tab.run("document.getElementById('incidents-more').ariaExpanded") == "true"
            tab.click("#incidents-more")
            tab.await_(f"{BANNERS}.length === 6")
            # One that a nearer fault covers is behind the others, and that fault says so.
            gateway = nearest | {"targets": {"total": 9, "failing": 9, "down": 9, "unreachable": 0, "degraded": 0}}
            for covered in ("null", "'0-99'"):
                tab.run(f"import('/page/store.js').then(({{ store, takeIncident }}) => {{ takeIncident({json.dumps(gateway)});"
                        f" for (const id of ['0-1', '0-3']) takeIncident({{ ...store.incidents.get(id), covered_by: {covered} }}); }})")
                tab.await_(f"{TITLES}.slice(0, 3).join() === " + ("'degraded gateway,down 6,down 1'" if covered == "null" else "'degraded gateway,down 6,unreachable 8'"))
            assert "covers 2 older incidents" in tab.text("#banners .about")
            tab.run(f"import('/page/store.js').then(({{ takeIncident }}) => takeIncident({json.dumps(nearest | {'state': 'closed'})}))")
            tab.await_(f"{TITLES}.join() === 'down 6,down 1,down 3,unreachable 8,unreachable 2,degraded 7'")
            # A banner keeps its element and its focus when it moves.
            tab.run("window.kept = document.querySelector('#banners > li:nth-child(2)'); kept.querySelector('a').focus()")
            tab.run("import('/page/store.js').then(({ store, takeIncident }) => takeIncident({ ...store.incidents.get('0-1'), acknowledged: { by: 'bo', at: '2026-11-20T10:00:00.000Z' } }))")
            tab.await_(f"{TITLES}.join() === 'down 6,down 3,down 1,unreachable 8,unreachable 2,degraded 7'")
            assert tab.run("document.activeElement === kept.querySelector('a')"), "the focus is lost"

    def test_groups_open_and_close(self):
        with self.service("groups", [pushed(number, f"group {number // 10}") for number in range(30)]) as reachd:
            for number in range(30):
                self.beat(reachd, f"t{number}")
            tab = self.live(reachd=reachd)
            heads = "[...document.querySelectorAll('.group h3 button')].map((button) => `${button.innerText.replace(/\\s+/g, ' ')} ${button.ariaExpanded}`).join('; ')"
            calm = "group 0 10 up false; group 1 10 up false; group 2 10 up false"
            tab.await_(f"{heads} === '{calm}'")
            self.failing(reachd, "t17")
            tab.await_(f"{heads} === 'group 1 1 down, 9 up true; group 0 10 up false; group 2 10 up false'")
            assert tab.run(order("group 1"))[0] == "t17", "the failing row is not first"
            self.failing(reachd, "t14")
            tab.await_(f"{order('group 1')}.slice(0, 3).join() === 't14,t17,t10'")
            # One head for all groups, and no word in calm rows.
            assert tab.run("document.querySelectorAll('.heads').length") == 1
            assert tab.run(f"{row('t10')}.querySelector('.word').getBoundingClientRect().width") <= 1
            self.beat(reachd, "t14")
            self.beat(reachd, "t17")
            tab.await_(f"{order('group 1')}.join() === 't10,t11,t12,t13,t14,t15,t16,t17,t18,t19'")
            tab.await_(f"{heads} === '{calm}'", 30)
            # A choice lasts in the tab; a filter opens all.
            tab.click(".group:nth-child(2) h3 button")
            tab.await_(f"{heads} === 'group 0 10 up false; group 1 10 up true; group 2 10 up false'")
            tab.call("Page.reload")
            tab.await_(LIVE)
            tab.await_(f"{heads} === 'group 0 10 up false; group 1 10 up true; group 2 10 up false'")
            tab.set("#q", "target 2")
            tab.await_("document.querySelectorAll('.group:not([hidden]) ul:not([hidden])').length === 2")
            tab.click("#clear")
            tab.await_(f"{heads} === 'group 0 10 up false; group 1 10 up true; group 2 10 up false'")

    # One incident, and the list

    def test_an_incident(self):
        with self.service("incident", [pushed(0, name=HOSTILE), pushed(1)]) as reachd:
            id = self.failing(reachd, "t0")
            tab = self.live(reachd=reachd)
            tab.click("#banners a.name")
            tab.await_("!!document.querySelector('#incident[open]')")
            assert tab.run("location.search") == f"?incident={id}"
            tab.await_("document.querySelector('#incident .turns')?.innerText.includes('opened')")
            for words in (HOSTILE, "open", "the target itself", "still failing", "What to do", "Check the job that sends the heartbeat"):
                assert words in tab.text("#incident"), f"{words} is not in {tab.text('#incident')}"
            # Without a name the field for it gets the focus.
            tab.click("#incident .actions button")
            tab.await_("document.activeElement.id === 'person'")
            tab.type("anna")
            tab.click("#incident .actions button")
            tab.await_("document.querySelector('#incident .sub').innerText.includes('acknowledged by anna')")
            assert reachd.send("GET", f"/incidents/{id}")["acknowledged"]["by"] == "anna"
            tab.set("#note-text", "<b>bold</b> " + HOSTILE)
            tab.click("#incident form button")
            tab.await_("document.querySelector('#incident .said')?.innerText.includes('<b>bold</b> <img')")
            assert [note["author"] for note in reachd.send("GET", f"/incidents/{id}")["notes"]] == ["anna"]
            tab.await_("document.getElementById('note-text').value === ''")
            # An empty note is explained.
            tab.click("#incident form button")
            assert tab.text("#incident .fault") == "The note is empty."
            tab.click("#incident .menu summary")
            tab.click("#incident .menu button:nth-child(3)")
            tab.await_("document.querySelector('#incident .sub').innerText.includes('muted until closed')")
            tab.click("#incident .menu summary")
            tab.click("#incident .menu button:nth-child(4)")
            tab.await_("!document.querySelector('#incident .sub').innerText.includes('muted')")
            # What the public status page shows is marked.
            reachd.send("PATCH", f"/incidents/{id}", {"note": {"author": "bob", "text": "we work on it", "public": True}})
            tab.await_("[...document.querySelectorAll('#incident .said .sub')].map((line) => line.textContent.endsWith(', public')).join() === 'false,true'")
            # A member's details open above it, and the back button leaves both.
            tab.click("#incident a[href='#t0']")
            tab.await_("!!document.querySelector('#details[open]')")
            tab.run("history.back()")
            tab.await_("!document.querySelector('#details[open]') && !!document.querySelector('#incident[open]')")
            # It follows its events.
            self.beat(reachd, "t0")
            tab.await_("document.querySelector('#incident .sub').innerText.startsWith('closed ') && document.querySelector('#incident').innerText.includes('recovered')")
            tab.run("history.back()")
            tab.await_("!document.querySelector('dialog[open]') && location.search === ''")
            assert tab.run("document.querySelectorAll('img, main b b').length") == 0 and "owned" not in tab.run("document.title")
            # By its URL; Escape removes it.
            tab.open(f"{reachd.url}/?incident={id}")
            tab.await_("document.querySelector('#incident[open] .sub')?.innerText.startsWith('closed ')")
            tab.key("Escape")
            tab.await_("!document.querySelector('dialog[open]') && location.search === ''")
            tab = self.tab("/?incident=0-1", reachd, isFaulty=True)
            tab.await_("document.getElementById('note')?.innerText.includes('no incident') && location.search === ''")

    def test_banner_actions(self):
        with self.service("actions", [pushed(0)]) as reachd:
            id = self.failing(reachd, "t0")
            tab = self.live(reachd=reachd)
            tab.await_(f"{BANNERS}.length === 1")
            tab.run("localStorage.setItem('reachd-name', 'bo')")
            tab.call("Page.reload")
            tab.await_(LIVE)
            tab.click("#banners .do button")
            tab.await_("document.querySelector('#banners .about')?.innerText.includes('acknowledged by bo')")
            # All else is in the sheet.
            assert tab.run("document.querySelectorAll('#banners button').length") == 1
            tab.click("#banners a.name")
            tab.await_("!!document.querySelector('#incident[open] .turns')")
            # The form comes after all that is known.
            assert tab.run("document.querySelector('#incident .sections').lastElementChild.matches('form')")
            tab.set("#note-text", "on it")
            tab.click("#incident form button")
            tab.await_("document.querySelector('#banners .about').innerText.includes('1 note')")
            tab.key("Escape")
            tab.click("#banners .do button")
            tab.await_("!document.querySelector('#banners .about').innerText.includes('acknowledged')")

    def test_the_list_of_incidents(self):
        with self.service("log", [pushed(0), pushed(1, name="Other")]) as reachd:
            first = self.failing(reachd, "t0")
            self.beat(reachd, "t0")
            tab = self.live("/?q=other", reachd=reachd)
            tab.click("header [data-view=incidents]")
            tab.await_("location.search === '?q=other&view=incidents' && document.querySelectorAll('#log-days li').length === 1")
            assert tab.run("document.querySelectorAll('#log-days h3').length") == 1
            assert tab.text("#log-days .about").startswith("closed · ")
            self.failing(reachd, "t1")
            tab.await_("[...document.querySelectorAll('#log-days .name')].map((name) => name.innerText.trim().split(' is ')[0]).join() === 'Other,Target 0'")
            assert tab.text("#log-count") == "2 incidents, 1 open"
            tab.set("#log-q", "TARGET")
            tab.await_("document.querySelectorAll('#log-days li').length === 1 && document.getElementById('log-count').innerText === '1 of 2 incidents, 1 open'")
            tab.set("#log-q", "nothing")
            tab.await_("document.getElementById('log-empty').innerText === 'No incident matches.'")
            tab.run("(() => { const field = document.getElementById('log-q'); field.value = ''; field.dispatchEvent(new Event('input')); })()")
            tab.click("#log-days li:last-child a")
            tab.await_(f"!!document.querySelector('#incident[open]') && location.search.endsWith('incident={first}')")
            tab.key("Escape")
            tab.await_("!document.querySelector('dialog[open]') && location.search === '?q=other&view=incidents'")
            assert tab.run("document.activeElement.dataset.incident") == first, "the focus is not where it was"
            tab.run("history.back()")
            tab.await_("location.search === '?q=other' && document.getElementById('incident-log').hidden")

    # The wall

    def test_the_wall_fits_its_screen(self):
        for number in (3, 50, 1_000):
            targets = [pushed(index, f"group {index // 50}") for index in range(number)]
            with self.service(f"wall{number}", targets) as reachd:
                self.beat(reachd, "t1")
                self.failing(reachd, "t2")
                sizes = []
                for width, height in SCREENS:
                    tab = self.live("/?view=wall", reachd=reachd, width=width, height=height)
                    tab.await_("document.querySelectorAll('#wall-tiles li').length > 0 && document.getElementById('wall-incidents').innerText.includes('Target 2 is down')")
                    tab.await_("document.querySelector('#wall-tiles li').dataset.state === 'down'")
                    assert tab.run("document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth"), f"{number} targets scroll at {width} x {height}"
                    outside = tab.run("[...document.querySelectorAll('#wall-tiles li, .wall .top > *')].filter((tile) => { const box = tile.getBoundingClientRect();"
                                      " return box.bottom > innerHeight || box.right > innerWidth || box.top < 0 || box.left < 0; }).map((tile) => tile.innerText)")
                    assert not outside, f"outside at {width} x {height}: {outside[:3]}"
                    shown = tab.run("[...document.querySelectorAll('#wall-tiles b')].map((name) => name.innerText)")
                    if number == 3:
                        assert shown == ["Target 2", "Target 0", "Target 1"], shown
                    if number == 1_000:
                        # Groups, with counts.
                        part = tab.run("(({ classList, style }) => `${classList} ${style.getPropertyValue('--share')}`)(document.querySelector('#wall-tiles li'))")
                        assert part == "part 2%", part
                        assert shown[0] == "group 0" and tab.text("#wall-tiles li span") == "1 down, 48 unknown, 1 up" and len(shown) <= 20, shown
                    sizes.append(tab.run("parseFloat(getComputedStyle(document.querySelector('#wall-tiles li')).fontSize)"))
                    assert sizes[-1] >= 13, f"the text is too small: {sizes}"
                    tab.close()
                    self.tabs.pop()
                assert sizes[-1] > sizes[-2], f"the text does not grow with the screen: {sizes}"

    def test_a_lost_stream_on_the_wall(self):
        with self.service("wall-lost", [pushed(0)]) as reachd:
            tab = self.tab("/?view=wall", reachd, isFaulty=True)
            tab.await_("document.body?.dataset.link === 'live' && document.querySelectorAll('#wall-tiles li').length === 1")
            reachd.stop()
            tab.await_("document.getElementById('wall-title').innerText.startsWith('Unknown since ') && document.getElementById('wall-title').innerText.endsWith(': no connection to reachd')")
            assert tab.run("getComputedStyle(document.getElementById('wall')).backgroundColor") == "rgb(240, 180, 41)", "the wall is not amber"
            tab.key("Escape")
            tab.await_("location.search === '' && document.getElementById('wall').hidden")
            assert tab.text("#verdict").startswith("Unknown since ")
            assert tab.run("getComputedStyle(document.getElementById('verdict')).color") == self.color(tab, "degraded"), "the headline is not amber"

    # Keys

    def test_keys(self):
        with self.service("keys", [pushed(0, "a"), pushed(1, "a"), pushed(2, "b")]) as reachd:
            for number in range(3):
                self.beat(reachd, f"t{number}")
            tab = self.live(reachd=reachd)
            tab.await_(f"{seen('t2')} === 'up'")
            here = "document.activeElement.getAttribute('href')"
            for key, href in (("j", "#t0"), ("j", "#t1"), ("ArrowDown", "#t2"), ("j", "#t2"), ("k", "#t1"), ("Home", "#t0"), ("End", "#t2")):
                tab.key(key)
                assert tab.run(here) == href, f"{key}: {tab.run(here)}"
            # From the last group to the first one, and on.
            for name in "aba":
                tab.key("g")
                assert tab.text(":focus").startswith(name), f"g: {tab.text(':focus')}"
            tab.key("j")
            assert tab.run(here) == "#t0", f"from the head of a group: {tab.run(here)}"
            # From the search: letters are text, arrows and Enter lead to the rows.
            tab.key("/")
            assert tab.run("document.activeElement.id") == "q", "the search has not the focus"
            for letter in "j2?":
                tab.key(letter)
            assert tab.run("document.getElementById('q').value") == "j2?", tab.run("document.getElementById('q').value")
            assert not tab.run("!!document.querySelector('dialog[open]')"), "a letter of the search opens a dialog"
            tab.set("#q", "target 2")
            tab.await_("document.getElementById('shown').innerText === '1 of 3'")
            tab.key("ArrowDown")
            assert tab.run(here) == "#t2", f"from the search: {tab.run(here)}"
            tab.key("/")
            tab.key("Enter")
            tab.await_("!!document.querySelector('#details[open]') && location.hash === '#t2'")
            tab.key("?")
            assert not tab.run("!!document.querySelector('#keys[open]')"), "a key of the page works in a dialog"
            tab.key("Escape")
            # The focus is back when the address is.
            tab.await_("!document.querySelector('dialog[open]') && location.hash === ''")
            tab.run("document.activeElement.blur()")
            tab.key("?")
            tab.await_("document.querySelector('#keys[open]')?.innerText.includes('next target')")
            tab.key("Escape")
            tab.await_("!document.querySelector('dialog[open]')")

    # Accessibility

    def test_axe_finds_nothing_in_incidents(self):
        with self.service("axe", [pushed(number, f"group {number // 3}") for number in range(24)]) as reachd:
            for number in range(24):
                self.beat(reachd, f"t{number}")
            id = self.failing(reachd, "t3")
            reachd.send("PATCH", f"/incidents/{id}", {"note": {"author": "anna", "text": "on it"}})
            self.failing(reachd, "t4")
            views = (("/", "!!document.querySelector('#banners li')"), (f"/?incident={id}", "!!document.querySelector('#incident[open] .said')"),
                     ("/?view=incidents", "!!document.querySelector('#log-days li')"), ("/?view=wall", "document.querySelectorAll('#wall-tiles li').length > 4"))
            for isDark in (False, True):
                for width, height in ((1280, 860), (390, 844)):
                    for path, condition in views:
                        tab = self.live(path, reachd=reachd, width=width, height=height, dark=isDark)
                        tab.dark(isDark, motion=False)
                        tab.await_(condition)
                        self.axe(tab, f"{path}, {'dark' if isDark else 'light'}, {width}")
                        tab.close()
                        self.tabs.pop()
