// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import FoundationXML
import HTTPServer
import History
import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Probing
import ServerTrust
import Testing

import struct HTTPServer.HTTPHeader

@testable import Monitoring
@testable import ReachAPI

@Suite("The public status page")
struct PublicPageTests {
    private static let hostile = #"<script>alert("1")</script>&'\#u{202E}x"#
    private let fixture: Fixture

    /// Two targets of Web, one of a hostile group, two of others.
    init() throws {
        var settings = APISettings()
        settings.publicPage.title = "A & B <status>"
        settings.publicPage.groups = ["Web", Self.hostile]
        settings.publicPage.footer = "<b>footer</b>"
        settings.publicPage.link = "https://example.org/?a=1&b='2'"
        fixture = Fixture(settings: settings, hasProbes: true)
        fixture.registry.beginIncidents()
        fixture.tellNetwork(.up())
        func target(_ id: String, _ name: String?, _ group: String?) throws -> TargetSettings {
            var target = try TargetSettings.probed(id)
            (target.name, target.group) = (name, group)
            return target
        }
        var maintained = try target("198.51.100.77:80", nil, Self.hostile)
        let from = fixture.clock.now().milliseconds + 3_600_000
        maintained.maintenance = [try MaintenanceWindow(from: from, to: from + 600_000)]
        fixture.registry.apply(targets: [
            try target("shop", "Shop", "Web"), try target("api", Self.hostile, "Web"), maintained,
            try target("secret", "Secret vault", "Internal"), try target("alone", "Alone", nil),
        ])
        for id in ["shop", "api", "198.51.100.77:80", "secret", "alone"] {
            fixture.emit(id, .up())
            fixture.record(id, .success)
        }
    }

    private func fail(_ ids: String...) {
        let refusal = ProbeResult(
            outcome: .failure,
            reason: .connectRefused,
            detail: "connect to 198.51.100.10 refused",
            duration: .zero,
            address: IPAddress("198.51.100.10")
        )
        for id in ids { fixture.record(id, refusal) }
        pass()
    }

    /// Lets the kept answers become too old to be used, even while new ones are made.
    private func pass() { fixture.uptime.nanoseconds += PublicPageCache.patience }

    private func announce(_ text: String, isPublic: Bool = true) throws {
        let id = try #require(fixture.registry.incidents(IncidentQuery()).incidents.last?.id)
        var edit = IncidentEdit()
        edit.note = (author: "Anna Secretname", text: text)
        edit.isNotePublic = isPublic
        try fixture.registry.editIncident(id, edit)
        pass()
    }

    @Test("It shows names, states and the headline of the chosen groups; everything is escaped; nothing else is in it")
    func page() throws {
        let calm = fixture.respond("/public?utm_source=x")
        #expect(calm.status == 200 && calm.header("Content-Type") == "text/html; charset=utf-8")
        #expect(calm.text.contains(#"<p class="head up">All services are up</p>"#))
        #expect(calm.text.contains("A &amp; B &lt;status&gt;") && calm.text.contains("&lt;b&gt;footer&lt;/b&gt;"))
        #expect(calm.text.contains(#"<a href="https://example.org/?a=1&amp;b=&#39;2&#39;">"#))
        #expect(calm.text.contains(#"<span class="name">Shop</span><span class="up">Up</span>"#))
        // The id is an address, so it has no name here.
        #expect(calm.text.contains(#"<span class="name">Service 3</span>"#))
        #expect(calm.text.contains("<h2>Maintenance</h2>") && calm.text.contains(": Service 3</strong>"))
        #expect(!calm.text.lowercased().contains("<script") && !calm.text.contains("\u{202E}"))
        let policy = try #require(calm.header("Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"))
        fail("shop", "secret", "alone")
        try announce("We work on it.\n<img src=x>")
        try announce("internal: root password", isPublic: false)
        let down = fixture.respond("/public").text
        #expect(down.contains(#"<p class="head down">Some services are down</p>"#))
        #expect(down.contains("<h2>Current incidents</h2>") && down.contains("We work on it.\n&lt;img src=x&gt;"))
        for text in [calm.text, down, fixture.respond("/public/feed.atom").text] {
            for hidden in ["198.51.100", "Secret", "secret", "Internal", "Alone", "refused", "password", "203.0.113"] {
                #expect(!text.contains(hidden), "\(hidden)")
            }
        }
    }

    @Test("The style's hash is that of the style, and nothing is loaded")
    func policy() throws {
        let answer = fixture.respond("/public")
        let style = try #require(answer.text.firstMatch(of: /<style>((?s).*?)<\/style>/)?.1)
        let digest = try #require(ServerTrustDigest.sha256(String(style)))
        #expect(answer.header("Content-Security-Policy")?.contains("'sha256-\(digest)'") == true)
        #expect(!answer.text.contains("src=") && !answer.text.contains("url(") && !answer.text.contains(" style="))
    }

    @Test("An incident is named by its members, without its cause; its end and announcements are shown, newest first")
    func incidents() throws {
        fail("shop")
        #expect(fixture.respond("/public").text.contains(#"<strong class="name">Shop: down</strong>"#))
        fail("api", "secret")
        let text = fixture.respond("/public").text
        #expect(text.contains(#"<strong class="name">2 services of Web: down</strong>"#), "\(text)")
        try announce("first")
        fixture.clock.advance(milliseconds: 60_000)
        try announce("second")
        let both = fixture.respond("/public").text
        let (first, second) = (try #require(both.range(of: "first")), try #require(both.range(of: "second")))
        #expect(second.lowerBound < first.lowerBound)
        for id in ["shop", "api", "secret"] { fixture.record(id, .success) }
        pass()
        let over = fixture.respond("/public").text
        #expect(over.contains("<h2>Past incidents</h2>") && !over.contains("<h2>Current incidents</h2>"))
        // What is over for two weeks is left out.
        fixture.clock.advance(milliseconds: 15 * 86_400_000)
        pass()
        #expect(!fixture.respond("/public").text.contains("incidents</h2>"))
    }

    @Test("An incident ends with its last service of the chosen groups, and is named by those that still fail")
    func otherMembers() throws {
        let start = fixture.clock.now()
        fail("secret")
        fixture.clock.advance(milliseconds: 60_000)
        fail("shop", "api")
        #expect(fixture.registry.incidents(IncidentQuery()).openCount == 1)
        #expect(fixture.respond("/public").text.contains(#"<strong class="name">2 services of Web: down</strong>"#))
        fixture.record("api", .success)
        pass()
        let one = fixture.respond("/public").text
        #expect(one.contains("<h2>Current incidents</h2>"))
        #expect(one.contains(#"<strong class="name">Shop: down</strong>"#), "\(one)")
        fixture.clock.advance(milliseconds: 60_000)
        let end = fixture.clock.now()
        fixture.record("shop", .success)
        fixture.clock.advance(milliseconds: 60_000)
        pass()
        let over = fixture.respond("/public").text
        #expect(over.contains("<h2>Past incidents</h2>") && !over.contains("<h2>Current incidents</h2>"), "\(over)")
        #expect(over.contains("2 services of Web: down") && over.contains("All services are up"))
        let feed = fixture.respond("/public/feed.atom").text
        #expect(feed.contains("Resolved at \(end).") && !feed.contains("\(start)"), "\(feed)")
        // The other member still fails; that does not keep it.
        #expect(fixture.registry.incidents(IncidentQuery()).openCount == 1)
        fixture.clock.advance(milliseconds: 15 * 86_400_000)
        pass()
        #expect(!fixture.respond("/public").text.contains("incidents</h2>"))
    }

    @Test("A service is found behind 5,000 other members of an incident")
    func largeIncident() throws {
        let targets = try (0...5_000).map { number in
            var target = try TargetSettings.probed("t\(number)")
            target.group = number == 5_000 ? "Web" : "Internal"
            return target
        }
        fixture.registry.apply(targets: targets)
        fixture.emit("t0", .up())
        let refusal = ProbeResult(
            outcome: .failure,
            reason: .connectRefused,
            detail: "",
            duration: .zero,
            address: IPAddress("198.51.100.10")
        )
        for target in targets { fixture.record(target.id, refusal) }
        pass()
        #expect(fixture.registry.incidents(IncidentQuery()).incidents.first?.counts.open == 5_001)
        #expect(fixture.respond("/public").text.contains(#"<strong class="name">t5000: down</strong>"#))
    }

    @Test(
        "All services are up only when each is, also those that are not listed",
        arguments: [
            ([.up, .up], "All services are up", .up),
            ([.up, .unknown, .paused], "Some services are up, the status of others is unknown", .unknown),
            ([.up, .paused], "Some services are up, others are not monitored", .unknown),
            ([.unknown, .paused], "Status unknown", .unknown), ([], "Status unknown", .unknown),
            ([.up, .maintenance], "Maintenance in progress", .maintenance),
            ([.down, .down], "All services are down", .down), ([.down, .up], "Some services are down", .down),
            ([.degraded, .unreachable], "Some services cannot be reached", .unreachable),
        ] as [([TargetState], String, TargetState)]
    )
    func headlines(states: [TargetState], text: String, state: TargetState) {
        var settings = PublicPageSettings()
        settings.groups = ["Web"]
        var page = PublicSnapshot(settings, Fixture().registry, bars: [:], now: Fixture.started)
        page.states = Set(states)
        #expect(page.headline.text == text && page.headline.state == state)
    }

    @Test("Of two outages within five minutes the newest has its own time")
    func outages() throws {
        func time(_ moment: Timestamp) -> String { "<time datetime=\"\(moment)\">" }
        let first = fixture.clock.now()
        fail("shop")
        fixture.clock.advance(milliseconds: 60_000)
        fixture.record("shop", .success)
        fixture.clock.advance(milliseconds: 60_000)
        let second = fixture.clock.now()
        fail("shop")
        let open = fixture.respond("/public").text
        #expect(open.contains("since \(time(second))"), "\(open)")
        #expect(open.contains("; the first time at \(time(first))"))
        fixture.clock.advance(milliseconds: 60_000)
        let end = fixture.clock.now()
        fixture.record("shop", .success)
        pass()
        let closed = fixture.respond("/public").text
        #expect(closed.contains(#"<p class="dim">\#(time(second))"#) && closed.contains(" to \(time(end))"))
    }

    @Test("While the gateway of the machine that watches is silent, nothing is known of the services")
    func gateway() throws {
        var settings = APISettings()
        settings.publicPage.groups = ["Web"]
        let fixture = Fixture(settings: settings, hasProbes: true)
        fixture.tellNetwork(.up())
        fixture.registry.apply(targets: [try .probed("shop", group: "Web")])
        fixture.emit("shop", .up())
        fixture.record("shop", .success)
        let since = PublicSnapshot.minute(fixture.clock.now())
        fixture.record("shop", .failure(.timeout), gateway: .silent)
        fixture.uptime.nanoseconds += PublicPageCache.patience
        let text = fixture.respond("/public").text
        let headline = "No current data: our monitoring has lost its connection since \(since)"
        #expect(text.contains(#"<p class="head unknown">\#(headline)</p>"#), "\(text)")
    }

    @Test("While the machine that watches has no network, nothing is said of the services but what a person announces")
    func blind() throws {
        var settings = APISettings()
        settings.publicPage.groups = ["Web"]
        let fixture = Fixture(settings: settings, hasProbes: true)
        fixture.registry.beginIncidents()
        fixture.registry.apply(targets: [try .probed("shop", group: "Web")])
        func tell(_ path: NetworkPath) -> String {
            fixture.tellNetwork(path)
            fixture.emit("shop", path)
            fixture.uptime.nanoseconds += PublicPageCache.patience
            return fixture.respond("/public").text
        }
        _ = tell(.up())
        fixture.record("shop", .success)
        let text = tell(.down())
        let headline = "No current data: our monitoring has lost its connection since 2026-11-18 11:06 UTC"
        #expect(text.contains(#"<p class="head unknown">\#(headline)</p>"#), "\(text)")
        #expect(text.contains(#"shop</span><span class="unknown">Unknown</span>"#), "\(text)")
        #expect(!text.contains("Not reachable"))
        #expect(
            !text.contains("Current incidents"),
            "\(text.suffix(900)) \(fixture.registry.incidents(IncidentQuery()).incidents)"
        )
        var edit = IncidentEdit()
        edit.note = (author: "Anna", text: "We replace our uplink.")
        edit.isNotePublic = true
        let id = try #require(fixture.registry.incidents(IncidentQuery()).incidents.first?.id)
        try fixture.registry.editIncident(id, edit)
        #expect(tell(.down()).contains("We replace our uplink."))
        #expect(!tell(.up()).contains("No current data"))
    }

    @Test("The headline counts services behind the 500 that are listed")
    func many() throws {
        let fixture = Fixture(hasProbes: true)
        let targets = try (0...PublicSnapshot.maximumServices).map { number in
            var target = try TargetSettings.probed("t\(number)")
            target.group = "Web"
            return target
        }
        fixture.registry.apply(targets: targets)
        for target in targets {
            fixture.emit(target.id, .up())
            fixture.record(target.id, .success)
        }
        var settings = PublicPageSettings()
        settings.groups = ["Web"]
        func page() -> PublicSnapshot {
            PublicSnapshot(settings, fixture.registry, bars: [:], now: fixture.clock.now())
        }
        #expect(page().hidden == 1 && page().headline.text == "All services are up")
        let last = "t\(PublicSnapshot.maximumServices)"
        fixture.record(last, ProbeResult(outcome: .failure, reason: .timeout, detail: "", duration: .zero))
        #expect(page().headline.text == "Some services are down")
    }

    @Test("Many readers get one answer; 304 for those that have it; it may be cached")
    func caching() throws {
        let first = fixture.respond("/public")
        let tag = try #require(first.header("ETag"))
        #expect(first.header("Cache-Control") == "public, max-age=5")
        let checker = SchemaChecker(document: try OpenAPIDocument.load())
        for path in ["/public", "/public/feed.atom"] {
            let headers = checker.document[["paths", path, "get", "responses", "200", "headers"]]
            let header = headers?["Cache-Control"]?["$ref"].flatMap(checker.resolve)
            let sent = try #require(fixture.respond(path).header("Cache-Control"))
            #expect(header?[["schema", "const"]] == .string(sent))
        }
        #expect(fixture.respond("/public", headers: [HTTPHeader("If-None-Match", tag)]).status == 304)
        fixture.record("shop", ProbeResult(outcome: .failure, reason: .timeout, detail: "", duration: .zero))
        // Not made again for each request.
        #expect(fixture.respond("/public").header("ETag") == tag)
        pass()
        #expect(fixture.respond("/public").header("ETag") != tag)
        let feed = fixture.respond("/public/feed.atom")
        #expect(feed.header("Content-Type") == "application/atom+xml; charset=utf-8")
        let feedTag = try #require(feed.header("ETag"))
        #expect(fixture.respond("/public/feed.atom", headers: [HTTPHeader("If-None-Match", feedTag)]).status == 304)
    }

    @Test("One job at a time makes it, and no request; the last one is used meanwhile, unless it is too old")
    func making() throws {
        let jobs = JobList()
        var settings = APISettings()
        settings.publicPage.groups = ["Web"]
        let fixture = Fixture(
            settings: settings,
            hasProbes: true,
            wiring: RequestHandler.ServiceDependencies(read: { jobs.append($0) })
        )
        var target = try TargetSettings.probed("shop")
        target.group = "Web"
        fixture.registry.apply(targets: [target])
        fixture.emit("shop", .up())
        fixture.record("shop", .success)
        func many() -> [HTTPResponse] {
            (0..<PublicPageCache.maximumWaiting).map { fixture.respond($0 % 2 == 0 ? "/public" : "/public/feed.atom") }
        }
        let first = many()
        #expect(jobs.count == 1 && first.allSatisfy { $0.late == nil })
        let refused = fixture.respond("/public")
        #expect(refused.status == 503 && refused.header("Retry-After") == "1")
        #expect(jobs.run() == 1 && first.allSatisfy { $0.late?.status == 200 })
        #expect(fixture.respond("/public").text.contains("All services are up") && jobs.count == 0)
        fixture.record("shop", ProbeResult(outcome: .failure, reason: .timeout, detail: "", duration: .zero))
        fixture.uptime.nanoseconds += PublicPageCache.lifetime
        for _ in 0..<3 { #expect(fixture.respond("/public").text.contains("All services are up")) }
        #expect(jobs.run() == 1)
        #expect(fixture.respond("/public").text.contains("All services are down"))
        fixture.uptime.nanoseconds += PublicPageCache.patience
        // A page of a quarter of a minute ago is for those alone who could not wait.
        let waiting = many()
        #expect(jobs.count == 1 && waiting.allSatisfy { $0.late == nil })
        #expect(fixture.respond("/public").text.contains("All services are down"))
        fixture.handler.apply(PublicPageSettings())
        #expect(fixture.respond("/public").status == 404)
        #expect(jobs.run() == 1 && waiting.allSatisfy { $0.late?.status == 404 })
        fixture.handler.apply(settings.publicPage)
        let last = fixture.respond("/public")
        #expect(jobs.run() == 1 && last.late?.status == 200)
    }

    /// A history during whose reading something happens.
    private final class InterruptedHistory: HistoryReading {
        let interruptions = JobList()

        var rollupStatus: RollupStatus { RollupStatus() }

        func transitions(of target: String, _ query: TransitionQuery) throws(HistoryError) -> TransitionPage? { nil }

        func parts(
            of ordinal: UInt64,
            target: String,
            ranges: [Range<Int64>],
            now: Timestamp
        ) throws(HistoryError) -> [RollupBucket] {
            interruptions.run()
            return ranges.map { _ in RollupBucket(milliseconds: [.up: 1]) }
        }

        func windows(
            of ordinal: UInt64,
            target: String,
            lengths: [Duration],
            now: Timestamp
        ) throws(HistoryError) -> [HistoryWindow] { [] }
    }

    @Test("What was made for a group that a reload withdrew meanwhile is not shown")
    func withdrawal() throws {
        let past = InterruptedHistory()
        var settings = APISettings()
        settings.publicPage.groups = ["Web"]
        let handler = RequestHandler(
            registry: fixture.registry,
            service: ServiceInformation(version: "0.1.0", startedAt: Fixture.started),
            settings: settings,
            past: past,
            clock: fixture.clock,
            monotonicTime: { [uptime = fixture.uptime] in uptime.nanoseconds }
        )
        func page() -> String {
            handler.respond(to: HTTPRequest(method: "GET", path: "/public", headers: [], body: [], peer: "127.0.0.1:1"))
                .text
        }
        var others = settings.publicPage
        others.groups = ["Internal"]
        past.interruptions.append { [others] in handler.apply(others) }
        for _ in 0..<2 {
            let text = page()
            #expect(text.contains("Secret vault") && !text.contains("Shop"), "\(text)")
            // Its days are those of the new group.
            #expect(text.contains("100 % up"))
        }
    }

    /// What an XML parser finds.
    private final class Elements: NSObject, XMLParserDelegate {
        var texts: [(name: String, text: String)] = []
        private var open: [Int] = []

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            open.append(texts.count)
            texts.append((name, ""))
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) {
            if let last = open.last { texts[last].text += text }
        }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            open.removeLast()
        }
    }

    @Test("The feed is XML with the elements that RFC 4287 requires, and hostile texts are texts")
    func feed() throws {
        func read() throws -> [(name: String, text: String)] {
            let parser = XMLParser(data: Data(fixture.respond("/public/feed.atom").bytes))
            let elements = Elements()
            parser.delegate = elements
            #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
            return elements.texts
        }
        let empty = try read()
        #expect(empty.first?.name == "feed" && !empty.contains { $0.name == "entry" })
        #expect(empty.first { $0.name == "updated" }?.text == Fixture.started.description)
        fail("api")
        fixture.clock.advance(milliseconds: 60_000)
        try announce("]]><entry/>&amp;\u{1}\u{FFFE}")
        let found = try read()
        for name in ["id", "title", "updated", "author", "name", "entry", "published", "content"] {
            #expect(found.contains { $0.name == name }, "\(name)")
        }
        #expect(found.filter { $0.name == "entry" }.count == 1)
        #expect(found.first { $0.name == "title" }?.text == "A & B <status>")
        let updated = found.filter { $0.name == "updated" }.map(\.text)
        #expect(Set(updated) == [fixture.clock.now().description])
        let content = try #require(found.first { $0.name == "content" }?.text)
        #expect(content.contains("]]><entry/>&amp;\u{FFFD}\u{FFFD}") && !content.contains("198.51"))
    }

    @Test("Its own address serves it alone; others do not then, and without groups there is none")
    func listener() throws {
        func own(_ path: String, _ method: String = "GET", body: [UInt8] = []) -> HTTPResponse {
            fixture.handler.respondPublic(
                to: HTTPRequest(method: method, path: path, headers: [], body: body, peer: "192.0.2.9:1")
            )
        }
        var settings = fixture.handler.publicPage.settings
        settings.hasListener = true
        fixture.handler.apply(settings)
        #expect(own("/public").status == 200 && own("/public/feed.atom").status == 200)
        #expect(own("/public", "HEAD").status == 200 && own("/public", "OPTIONS").status == 204)
        #expect(own("/public", "POST").status == 405 && own("/public", body: [1]).status == 400)
        for path in [
            "/", "/status", "/targets", "/targets/shop", "/metrics", "/events", "/livez", "/incidents", "/public/",
            "/page/main.js",
        ] {
            #expect(own(path).status == 404, "\(path)")
        }
        #expect(fixture.respond("/public").status == 404 && fixture.respond("/public/feed.atom").status == 404)
        settings.groups = []
        fixture.handler.apply(settings)
        #expect(own("/public").status == 404)
        #expect(Fixture().respond("/public").status == 404)
    }

    @Test("A day is good, fair up to 1 % down, or poor; the share is not rounded up to 100 %")
    func days() {
        let bars = PublicBars([
            RollupBucket(milliseconds: [:]), RollupBucket(milliseconds: [.up: 1_000_000]),
            RollupBucket(milliseconds: [.up: 999_999, .down: 1]), RollupBucket(milliseconds: [.up: 80, .down: 20]),
            RollupBucket(milliseconds: [.up: 80, .degraded: 20]), RollupBucket(milliseconds: [.unreachable: 80]),
        ])
        #expect(bars.levels == [.unknown, .good, .fair, .poor, .fair, .unknown])
        #expect(bars.uptimeText == "99.99 % up in 33 min 20 s")
        #expect(PublicBars([RollupBucket(milliseconds: [.up: 5])]).uptimeText == "100 % up")
        #expect(PublicBars([]).uptimeText == nil)
        let ranges = PublicBars.ranges(until: 1_795_000_000_000)
        #expect(ranges.count == 90 && ranges.allSatisfy { $0.upperBound - $0.lowerBound == 86_400_000 })
        #expect(ranges.last?.contains(1_795_000_000_000) == true)
    }

    @Test("The days of a target are drawn from its history")
    func bars() throws {
        let rig = try HistoryFixture()
        var target = try TargetSettings.probed("shop")
        target.group = "Web"
        rig.fixture.registry.apply(targets: [target])
        rig.fixture.emit("shop", .up())
        rig.fixture.record("shop", .success)
        rig.pass(seconds: 7_200)
        var settings = PublicPageSettings()
        settings.groups = ["Web"]
        rig.handler.apply(settings)
        let text = rig.respond("/public").text
        #expect(
            text.contains(#"aria-label="90 days""#) && text.contains(#"<path class="l1" d="M356 0h3v20h-3z"/>"#),
            "\(text)"
        )
        #expect(text.contains("<span>100 % up in 2 h</span>"), "\(text)")
    }
}

/// SHA-256 in Base64, by the module that the page uses.
private enum ServerTrustDigest {
    static func sha256(_ text: String) -> String? {
        SHA256.digest(of: Array(text.utf8)).map { Data($0).base64EncodedString() }
    }
}
