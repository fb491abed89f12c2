# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""The page of a fleet's node: votes, scopes, an outage of the database, nodes, and targets that come and go."""
import json

from fleet import Fleet
from view import row, said, seen, votes


class FleetTests:
    """The tests of page.py's class that need a fleet, which the first of them starts."""

    def node(self, path="/", number=0, **options):
        if self.fleet is None:
            self.fleet = Fleet(self.binary, self.folder)
        tab = self.tab(path, self.fleet.nodes[number], **options)
        tab.await_("document.body?.dataset.link === 'live' && !!document.body.dataset.rows")
        return tab

    @staticmethod
    def look(tab):
        """Has a page poll the nodes at once, as it does when it becomes visible."""
        tab.run("void document.dispatchEvent(new Event('visibilitychange'))")

    def test_fleet_votes(self):
        tab = self.node()
        tab.await_(seen("web") + " === 'up' && " + seen("twin") + " === 'up'")
        assert tab.run(seen("own")) is None, "a target of one node is in the fleet's list"
        for word in ("berlin: up since ", "paris: up since ", "counts as well"):
            assert word in tab.run(votes("web")), tab.run(votes("web"))
        assert tab.run("getComputedStyle(document.querySelector('.network')).display") == "none"
        tab.await_(f"{said('#shown')} === '2'")
        tab.await_(row("web") + ".querySelector('.bar[role]').getAttribute('aria-label').startsWith('Uptime 100 %')")
        tab.run("location.hash = 'web'")
        tab.await_(f"{said('#details')}.includes('0 of 2 locations report it down; 2 are needed.')")
        links = tab.run("[...document.querySelectorAll('table.votes a')].map((link) => [link.innerText, link.href])")
        assert links == [[name, f"{node.url}/?scope=node#web"] for name, node in zip(("berlin", "paris"), self.fleet.nodes)], links
        # A pause is the fleet's; the rest is for a node that watches the target.
        assert tab.run("[...document.querySelectorAll('.actions button')].every((button) => (button.ariaDisabled === 'true' && button.title !== '')"
                       " !== (button.innerText === 'Pause'))")
        self.fleet.server.close()
        try:
            tab.await_(f"{said('#details')}.includes('2 of 2 locations report it down; 2 are needed.')")
            tab.await_(seen("web") + " === 'down'")
            tab.await_("document.title === '1 target down · reachd'")
            tab.await_(f"{said('#incidents')}.includes('connection refused')")
            tab.await_(f"(({votes('web')}).match(/: down since .*, counts as against/g) ?? []).length === 2")
            tab.await_(f"{said('table.votes')}.includes('refused')")
            tab.await_("document.querySelectorAll('.turns li').length >= 2")
            tab.key("Escape")
            tab.click('.chip[data-state="down"]')
            tab.await_(seen("twin") + " === null && location.search === '?state=down'")
        finally:
            self.fleet.server.open()
        tab.await_(seen("web") + " === null && document.getElementById('incidents').hidden")
        tab.click('.chip[data-state="down"]')
        tab.await_(seen("web") + " === 'up'")
        streams = [address for address in tab.requests if "/events" in address]
        assert len(streams) == 1 and "include" not in streams[0], streams

    def test_fleet_scope(self):
        tab = self.node("/?q=n")
        tab.await_("!document.getElementById('scope').hidden")
        tab.click("#scope-node")
        tab.await_(seen("own") + " === 'up'")
        assert tab.run("location.search") == "?q=n&scope=node"
        assert tab.text("#view") == "Only this node’s view is shown: what node-1 in berlin observes."
        assert tab.run("document.getElementById('scope-node').ariaPressed") == "true"
        assert tab.run("getComputedStyle(document.querySelector('.network')).display") == "block"
        tab.set("#q", "w")
        tab.await_("location.search === '?q=w&scope=node'")
        tab.run("location.hash = 'own'")
        tab.await_(f"{said('#details[open]')}.includes('This machine has a route to Own')")
        tab.key("Escape")
        tab.await_("!location.hash")
        tab.run("window.isOld = true")
        tab.call("Page.reload")
        tab.await_("!window.isOld && document.readyState === 'complete' && document.body.dataset.link === 'live' && !!document.body.dataset.rows")
        tab.await_(seen("own") + " === 'up'")
        tab.click("#scope-fleet")
        tab.await_(seen("own") + " === null && " + seen("web") + " === 'up'")
        tab.await_("location.search === '?q=w' && document.getElementById('view').hidden")

    def test_fleet_add_and_delete(self):
        tab = self.node()
        tab.await_(seen("web") + " === 'up'")
        tab.click("#add")
        tab.await_("document.activeElement.id === 'field-where'")
        assert tab.text("#editor-title") == "Add a target to the fleet", tab.text("#editor-title")
        assert tab.text("#storage") == "Kept in the fleet’s database.", tab.text("#storage")
        tab.run("(() => { const kind = document.getElementById('field-kind'); kind.value = 'tcp'; kind.dispatchEvent(new Event('change')); })()")
        self.further(tab)
        for name, value in (("where", f"127.0.0.1:{self.fleet.server.port}"), ("id", "added"), ("interval", "1s"), ("watchers", "2"), ("quorum", "3")):
            tab.set(f"#field-{name}", value)
        tab.click("#editor [type=submit]")
        tab.await_("document.getElementById('fault-quorum').innerText !== ''")
        assert tab.run("document.activeElement.id") == "field-quorum", tab.run("document.activeElement.id")
        tab.set("#field-quorum", "1")
        tab.set("#field-locations", "berlin, paris")
        tab.click("#editor [type=submit]")
        tab.await_("location.hash === '#added' && !!document.querySelector('#details[open]')")
        other = self.node("/#added", 1)
        for page in (tab, other):
            page.await_(f"{said('#details')}.includes('0 of 2 locations report it down; 1 is needed.')")
        # A change is a patch, so that all else stays.
        tab.click(".actions button:nth-child(4)")
        tab.await_("document.querySelector('#editor[open] #field-watchers')?.value === '2' && document.getElementById('field-locations').value === 'berlin paris'")
        assert tab.run("document.getElementById('field-interval').value") == "1s"
        tab.set("#field-name", "Renamed")
        tab.click("#editor [type=submit]")
        tab.await_("!document.querySelector('#editor[open]')")
        for page in (tab, other):
            page.await_(f"{said('#details h2')} === 'Renamed' && {said('#details')}.includes('0 of 2 locations report it down; 1 is needed.')")
        tab.key("Escape")
        # An id that the fleet has is refused beside its field.
        tab.click("#add")
        tab.await_("document.activeElement.id === 'field-where'")
        tab.set("#field-where", "http://127.0.0.1/")
        self.further(tab)
        tab.set("#field-id", "web")
        tab.click("#editor [type=submit]")
        tab.await_("document.getElementById('fault-id').innerText !== ''")
        tab.key("Escape")
        tab.complaints[:] = [text for text in tab.complaints if not text.startswith("network:")]
        # The node's own targets are added in its view, and are not the fleet's.
        own = self.node("/?scope=node")
        own.await_(seen("own") + " === 'up'")
        own.click("#add")
        own.await_("document.activeElement.id === 'field-where'")
        assert own.text("#editor-title") == "Add a target to this node", own.text("#editor-title")
        assert own.run("document.getElementById('field-watchers') === null"), "the node's form asks for watchers"
        own.run("(() => { const kind = document.getElementById('field-kind'); kind.value = 'none'; kind.dispatchEvent(new Event('change')); })()")
        own.set("#field-where", "127.0.0.1")
        self.further(own)
        own.set("#field-id", "mine")
        own.click("#editor [type=submit]")
        own.await_("location.hash === '#mine' && !!document.querySelector('#details[open]')")
        assert tab.run(seen("mine")) is None, "a target of one node is in the fleet's list"
        own.click(".actions .danger")
        own.await_("!!document.querySelector('#editor[open] .danger')")
        own.click("#editor .danger")
        own.await_(seen("mine") + " === null && !document.querySelector('dialog[open]')")
        # A target of a file is not deleted here; the added one is, on any node.
        tab.run("location.hash = 'web'")
        tab.await_("document.querySelector('.actions .danger').title.startsWith('A file declares it')")
        other.click(".actions .danger")
        other.await_("document.querySelector('#editor[open]')?.innerText.includes('Delete')")
        other.click("#editor .danger")
        for page in (tab, other):
            page.await_(seen("added") + " === null")
        assert tab.run(seen("web")) == "up", tab.run(seen("web"))

    def test_fleet_outage(self):
        tab = self.node(isFaulty=True)
        tab.await_(seen("web") + " === 'up'")
        self.fleet.database.stop()
        try:
            self.look(tab)
            tab.await_(f"{said('#view.banner')}.startsWith('The fleet’s database cannot be read since ')")
            assert "; showing this node’s view, node-1 in berlin. " in tab.text("#view"), tab.text("#view")
            tab.await_(seen("own") + " === 'up'")
            tab.await_("document.getElementById('news').textContent.includes('cannot be read')")
            assert tab.run("location.search") == "" and tab.run("document.body.dataset.link") == "live"
            # A page that is opened meanwhile shows the same.
            late = self.node(isFaulty=True)
            late.await_(f"{said('#view.banner')}.startsWith('The fleet’s database cannot be read since ')")
        finally:
            self.fleet.database.start()
        for one in (tab, late):
            one.await_("document.getElementById('view').hidden && document.body.dataset.scope === 'fleet'", 40)
            one.await_(seen("own") + " === null && " + seen("web") + " === 'up'")
        tab.await_("document.getElementById('news').textContent === 'The page shows the fleet.'")

    def test_fleet_nodes(self):
        tab = self.node()
        tab.await_("document.querySelectorAll('#fleet-body tr').length === 2")
        assert tab.text("#fleet-words").startswith("Coordinator node-"), tab.text("#fleet-words")
        first = tab.text("#fleet-body tr")
        assert first.startswith("node-1 (") and "this node" in first and "berlin" in first and "live" in first, first
        state = "document.querySelector('#fleet-body tr:nth-child(2)').dataset.state"
        button = "#fleet-body tr:nth-child(2) button"
        tab.click(button)
        tab.await_(f"{state} === 'draining' && {said(button)} === 'Undrain'")
        tab.click(button)
        tab.await_(f"{state} === 'live' && {said(button)} === 'Drain'")
        assert tab.run("document.querySelector('#fleet-body button').ariaLabel") == "Drain node-1"

    def test_fleet_targets_come_and_go(self):
        tab = self.node(isFaulty=True)
        tab.await_(seen("twin") + " === 'up'")
        self.fleet.apply("web", "twin", "third")
        try:
            tab.await_(seen("third") + " === 'up'")
        finally:
            self.fleet.apply("web", "twin")
        tab.await_(seen("third") + " === null")

    def test_fleet_unreadable_declaration(self):
        # The page asks for the removed target before it notices.
        tab = self.node(isFaulty=True)
        self.fleet.apply("web", "twin", "newer")
        try:
            # As a newer version of reachd may declare it.
            self.fleet.database.change("SET search_path = reachd; UPDATE log_head SET declared = declared + 1; "
                                       """UPDATE targets SET spec = '{"id":"newer","telepathy":true}', version = version + 1 WHERE id = 'newer'""")
            self.look(tab)
            tab.await_(seen("newer") + " !== null")
            tab.run("location.hash = 'newer'")
            tab.await_(f"!!{row('newer')} && {said('#details[open] h2')} === 'newer'")
            tab.await_(f"{said('#details')}.includes('cannot be read by this version of reachd')")
            tab.await_(f"{said('#details')}.includes('; 2 are needed.')")
        finally:
            self.fleet.apply("web", "twin")
        self.look(tab)
        tab.await_(seen("newer") + " === null")

    def test_fleet_words(self):
        tab = self.node()
        counts = {"watchers": 3, "needed": 2, "well": 1, "ill": 0, "against": 2, "void": 0}
        for change, sentence in (({}, "2 of 3 locations report it down; 2 are needed."),
                                 ({"against": 1, "void": 1}, "1 of 3 locations reports it down, 1 cannot judge; 2 are needed."),
                                 ({"against": 0, "ill": 2}, "0 of 3 locations report it down, 2 report it degraded; 2 are needed."),
                                 ({"against": 1, "needed": 1}, "1 of 3 locations reports it down, 1 is missing; 1 is needed.")):
            told = tab.run(f"import('/page/votes.js').then((votes) => votes.quorumSentence({json.dumps(counts | change)}))")
            assert told == sentence, told
        for url, address in (("https://a.example", "https://a.example/"), ("http://a.example/b/", "http://a.example/b/"), ("javascript:alert(1)", None), (None, None)):
            assert tab.run(f"import('/page/votes.js').then((votes) => votes.webAddress({json.dumps(url)}))") == address, url
        void = {"location": "rome", "state": "unreachable", "counts_as": "void", "void_reason": "cannot_judge", "since": "2026-01-01T00:00:00Z", "is_confirmed": True,
                "reason": {"code": "network_down", "detail": "<b>down"}, "cause": "local_network"}
        target = {"id": "x", "name": "X", "quorum": counts, "votes": [void], "pending": {"toward": "degraded", "until": "2026-01-01T00:00:00Z"}}
        table = tab.run("Promise.all([import('/page/votes.js'), import('/page/dom.js')]).then(([votes, { h }]) => "
                        f"h('div', {{}}, votes.votesTable({json.dumps(target)}), votes.fleetEvidence({json.dumps(target)})).textContent)")
        for words in ("rome", "none", "unreachable", "void (the location cannot judge)", "<b>down (the node’s own network)", "unless the locations agree"):
            assert words in table, f"{words} is not in {table}"

    def test_fleet_axe(self):
        for isDark, size in ((False, (1280, 860)), (True, (390, 844))):
            for path in ("/", "/#web"):
                tab = self.node(path, width=size[0], height=size[1], dark=isDark)
                tab.dark(isDark, motion=False)
                tab.await_("document.querySelectorAll('#fleet-body tr').length === 2 && !!document.querySelector('.vote')")
                if "#" in path:
                    tab.await_("!!document.querySelector('table.votes') && !!document.querySelector('.turns')")
                self.axe(tab, f"{path} of a fleet, {'dark' if isDark else 'light'}, {size}")
                assert tab.run("document.documentElement.scrollWidth <= innerWidth"), f"{path} is wider than the window, {size}"
