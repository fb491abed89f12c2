// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import History
import LinuxIO
import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Probing
import TestSupport
import Testing

@testable import Notifying

@Suite(.timeLimit(.minutes(15))) struct NotifierTests {
    private func receiver(_ port: UInt16, _ name: String = "hook") throws -> ReceiverSettings {
        var settings = try ReceiverSettings.hook(name, port: port)
        settings.pace.groupWait = .zero
        settings.pace.perTarget = 100
        return settings
    }

    private func reading(_ request: HookServer.Request) -> MessageReading { MessageReading(body: request.body) }

    @Test("a change arrives with its id, and its end; the first good verdict does not")
    func arrives() async throws {
        let server = try HookServer()
        let scene = try NotifierScene([try receiver(server.port)])
        scene.path(.up(), of: [0, 1, 2])
        scene.path(.ownFault, of: [1])
        let first = try await server.requests.next()
        #expect(first.method == "POST" && first.target == "/hook")
        #expect(first.headers["content-type"] == "application/json" && first.headers["reachd-attempt"] == "1")
        let incident = try #require(reading(first).text("$.incident.id"))
        #expect(scene.registry.incident(incident, membersFrom: 0, limit: 1)?.members.map(\.target) == ["t1"])
        #expect(reading(first).text("$.id") == first.id && reading(first).text("$.type") == "state")
        #expect(reading(first).text("$.incident.phase") == "opened")
        #expect(reading(first).targets.map(\.target) == ["t1"] && reading(first).targets.map(\.to) == ["unreachable"])
        scene.path(.up(generation: 4), of: [1])
        let last = try await server.requests.next(after: 1)
        #expect(reading(last).text("$.status") == "resolved" && last.id != first.id)
        #expect(reading(last).text("$.incident.id") == incident && reading(last).text("$.incident.phase") == "closed")
        #expect(server.requests.count == 2)
    }

    @Test("a message names a target by its name, in the sentence, the list and a template; without one by its id")
    func named() async throws {
        let server = try HookServer()
        let scene = try NotifierScene([try receiver(server.port)])
        var targets = (0..<3).map { TargetSettings.address("t\($0)", "198.51.0.\($0 + 1)", group: "g") }
        targets[1].name = "The shop"
        scene.registry.apply(targets: targets)
        scene.path(.up(), of: [0, 1, 2])
        scene.path(.ownFault, of: [1])
        let shop = reading(try await server.requests.next())
        #expect(shop.text("$.text")?.hasPrefix("The shop is unreachable: ") == true)
        #expect(shop.text("$.target") == "t1" && shop.text("$.name") == "The shop")
        scene.path(.ownFault, of: [2])
        let other = reading(try await server.requests.next(after: 1))
        #expect(other.text("$.text")?.hasPrefix("t2 is unreachable: ") == true && other.text("$.name") == nil)
        var change = StateChange.sample(1)
        let template = try MessageTemplate("{{target.name}}", form: .text)
        #expect(template.render(Message(change)) == Array("db".utf8))
        change.name = "Database"
        #expect(template.render(Message(change)) == Array("Database".utf8))
        #expect(Message(change).of(.opened).text == "Database is down: it does not answer")
    }

    @Test("on a node of a fleet, what its own log has of the fleet's targets is sent to nobody")
    func ofFleet() async throws {
        let server = try HookServer()
        let scene = try NotifierScene([try receiver(server.port)], hasFleet: true)
        var targets = (0..<3).map { TargetSettings.address("t\($0)", "198.51.0.\($0 + 1)", group: "g") }
        targets[1].origin = .fleet
        scene.registry.apply(targets: targets)
        scene.path(.up(), of: [0, 1, 2])
        scene.path(.ownFault, of: [0, 1])
        let first = reading(try await server.requests.next())
        #expect(first.targets.map(\.target) == ["t0"])
        // It moves to another node while it is down: its end is nothing to report either.
        scene.registry.apply(targets: [targets[0], targets[2]])
        scene.path(.up(generation: 4), of: [0])
        let last = reading(try await server.requests.next(after: 1))
        #expect(last.targets.map(\.target) == ["t0"] && last.text("$.status") == "resolved")
        while scene.status()?.cursor != scene.registry.sequence { await Task.yield() }
        #expect(server.requests.count == 2)
    }

    @Test(
        "what the node left open while it was cut off from a fleet stays in the log's file when receivers are replaced"
    )
    func carriedProblems() async throws {
        let (server, store) = (try HookServer(), MemoryEventStore())
        let scene = try NotifierScene([try receiver(server.port)], store: store, hasFleet: true)
        scene.history?.keep(deliveryMarks: ["cut off: hook": "0\ndown t1"], numbering: scene.registry.numbering)
        while try store.marks()["cut off: hook"] == nil { await Task.yield() }
        scene.notifier.apply([try receiver(server.port, "other")])
        scene.notifier.stop()
        while try store.marks()["other"] == nil { await Task.yield() }
        #expect(try store.marks().keys.sorted() == ["cut off: hook", "other"])
    }

    @Test("a signature and headers from files are sent, and the receiver computes the same signature")
    func signed() async throws {
        let folder = try TemporaryFolder()
        let secret = try folder.write("s3cret\n", to: "key")
        let token = try folder.write("Bearer t0ken\n", to: "token")
        let server = try HookServer()
        var settings = try receiver(server.port)
        settings.change {
            $0.secretFile = secret
            $0.headerFiles = ["Authorization": token]
        }
        let scene = try NotifierScene([settings])
        scene.path(.ownFault, of: [0])
        let request = try await server.requests.next()
        #expect(request.headers["authorization"] == "Bearer t0ken")
        let parts = try #require(request.headers["reachd-signature"]).split(separator: ",")
        let time = try #require(parts.first?.split(separator: "=").last)
        try folder.write("\(time).\(request.body)", to: "signed")
        let output = try Command.run(["openssl", "dgst", "-sha256", "-hmac", "s3cret", "-r", folder.path(of: "signed")])
        #expect(parts.last == "v1=\(output.prefix { $0 != " " })")
    }

    enum Failure: String, CaseIterable, Sendable {
        case internalError, unavailable, tooMany, reset, hangUp, hang, slow, refusedOnce
    }

    @Test("failed messages are retried until they arrive, with the same id", arguments: Failure.allCases)
    func failing(failure: Failure) async throws {
        let server = try HookServer { _, count in
            guard count < 2 else { return .status(204) }
            return switch failure {
            case .internalError: .status(500)
            case .unavailable: .status(503)
            case .tooMany: .status(429, headers: ["Retry-After: 1"])
            case .reset: .reset
            case .hangUp: .hangUp
            case .hang: .hang
            case .slow: .slow(500)
            case .refusedOnce: .status(404)
            }
        }
        var settings = try receiver(server.port)
        settings.change { $0.timeout = .milliseconds(failure == .hang ? 300 : 10_000) }
        let scene = try NotifierScene([settings])
        scene.path(.ownFault, of: [0])
        _ = try await server.requests.next { $0.headers["reachd-attempt"] == "3" }
        #expect(Set(server.requests.events.map(\.id)).count == 1)
        #expect(server.requests.events.compactMap { $0.headers["reachd-attempt"] } == ["1", "2", "3"])
        let back = try await scene.notes.next { $0.level == .info }
        #expect(back.facts["receiver"] == "hook")
        let warnings = scene.notes.events.filter { $0.level == .warning && $0.facts["code"] != nil }
        #expect(warnings.count == 1 && warnings[0].facts["code"]?.isEmpty == false)
    }

    @Test("Retry-After is honoured")
    func retryAfter() async throws {
        let clock = SystemMonotonicClock()
        let times = Recorder<UInt64>()
        let server = try HookServer { _, count in
            times.record(clock.now())
            return count == 0 ? .status(429, headers: ["Retry-After: 1"]) : .status(200)
        }
        let scene = try NotifierScene([try receiver(server.port)])
        scene.path(.ownFault, of: [0])
        let first = try await times.next()
        let second = try await times.next(after: 1)
        // No bound above: only that it was not sooner.
        #expect(second - first >= 990_000_000)
    }

    @Test("a message that is refused repeatedly is discarded and reported, its end is not sent, later ones arrive")
    func givenUp() async throws {
        let server = try HookServer { request, _ in
            request.body.contains("\"target\":\"t0\"") ? .status(410) : .status(200)
        }
        var settings = try receiver(server.port)
        settings.retry.refusals = 3
        let scene = try NotifierScene([settings])
        scene.path(.ownFault, of: [0])
        let note = try await scene.notes.next { $0.level == .error }
        #expect(note.facts["code"] == "http_410" && note.facts["id"] == server.requests.events.first?.id)
        #expect(server.requests.count == 3)
        scene.path(.up(), of: [0])
        scene.path(.ownFault, of: [1])
        _ = try await server.requests.next { $0.body.contains("\"target\":\"t1\"") }
        _ = try await scene.notes.next { $0.text.contains("again") }
        #expect(server.requests.count == 4)
        #expect(scene.status()?.givenUp == 1)
    }

    @Test("a receiver that was away is notified of every incident once it is back; a dead one does not delay another")
    func away() async throws {
        let free = try HookServer()
        let port = free.port
        free.close()
        let other = try HookServer()
        let scene = try NotifierScene([try receiver(port), try receiver(other.port, "other")])
        scene.path(.up(), of: [0, 1, 2])
        var generation: UInt32 = 10
        for target in [0, 1, 2, 1, 0] {
            generation += 1
            for path in [NetworkPath.ownFault, .up(generation: generation)] {
                let count = other.requests.count
                scene.path(path, of: [target])
                _ = try await other.requests.next(after: count)
            }
        }
        _ = try await scene.notes.next { $0.facts["receiver"] == "hook" && $0.level == .warning }
        let back = try HookServer(port: port)
        // Two of the three failed twice within five minutes, which is one incident.
        _ = try await back.requests.next(after: 5)
        for target in ["t0", "t1", "t2"] {
            let about = back.requests.events.map(reading).filter { $0.text("$.target") == target }
            #expect(about.map { $0.text("$.incident.phase") } == ["opened", "closed"])
        }
        #expect(back.requests.count == 6 && other.requests.count == 10)
    }

    @Test("after a restart delivery continues: nothing is lost, and acknowledged messages are not sent again")
    func restart() async throws {
        let store = MemoryEventStore()
        let server = try HookServer()
        let settings = try receiver(server.port)
        var scene: NotifierScene? = try NotifierScene([settings], store: store)
        scene?.path(.up(), of: [0, 1, 2])
        scene?.path(.ownFault, of: [0])
        _ = try await server.requests.next()
        scene?.path(.ownFault, of: [1])
        _ = try await server.requests.next(after: 1)
        scene?.stop()
        scene = nil
        let kept = try #require(try store.marks()["hook"].flatMap(ReceiverOffset.init)).mark
        // What was answered just now may not have been read.
        #expect(kept.floor >= 1)
        // The second run finds t1 as it was and t0 well: only that is news, and its state before is known.
        let second = try NotifierScene([settings], store: store)
        second.path(.up(), of: [0, 2])
        second.path(.ownFault, of: [1])
        let news = try await server.requests.next { $0.body.contains("\"resolved\"") }
        #expect(reading(news).targets.map(\.target) == ["t0"])
        #expect(reading(news).text("$.from") == "unreachable")
        second.stop()
        let firing = server.requests.events.filter { $0.body.contains("firing") }
        // At least once, the same id if twice.
        #expect(Set(firing.map(\.id)).count == 2)
    }

    @Test(
        "a log that opens after the start does not resend its events, and loses none that was not sent"
    )
    func lateLog() async throws {
        let store = MemoryEventStore()
        let isBusy = Switch(true)
        let server = try HookServer { request, _ in
            isBusy.isOn && request.body.contains("\"t2\"") ? .status(503) : .status(200)
        }
        var settings = try receiver(server.port)
        settings.retry.firstPause = .milliseconds(1)
        settings.retry.longestPause = .milliseconds(1)
        do {
            let scene = try NotifierScene([settings], store: store)
            scene.path(.up(), of: [0, 1, 2])
            scene.path(.ownFault, of: [0])
            _ = try await server.requests.next { $0.body.contains("\"t0\"") }
            // Nobody takes this one.
            scene.path(.ownFault, of: [2])
            _ = try await server.requests.next { $0.body.contains("\"t2\"") }
            scene.stop()
        }
        let head = store.head
        let place = try #require(try store.marks()["hook"].flatMap(ReceiverOffset.init))
        #expect(place.mark.floor == head && place.notices.values.map(\.state.rawValue).sorted() == ["open", "opening"])
        let before = server.requests.count
        // More happens than the place is behind: these numbers have other events in the log.
        let scene = try NotifierScene([settings], store: store, isBroken: true)
        scene.wall.advance(milliseconds: 60_000)
        scene.path(.up(), of: [0, 1, 2])
        scene.path(.ownFault, of: [1])
        let meanwhile = try await server.requests.next(after: before) { $0.body.contains("\"t1\"") }
        #expect(reading(meanwhile).targets.map(\.target) == ["t1"])
        while scene.status()?.delivered != 1 { sched_yield() }
        #expect(try store.marks()["hook"].flatMap(ReceiverOffset.init) == place)
        let mended = server.requests.count
        scene.mend()
        #expect(scene.registry.sequence > head && scene.registry.numbering == head)
        isBusy.turnOff()
        // What the run before could not report; then the ends of its incidents, which only the log knew.
        let pending = try await server.requests.next(after: mended) {
            $0.body.contains("\"t2\"") && $0.body.contains("firing")
        }
        #expect(reading(pending).text("$.incident.id").map { place.notices[$0] != nil } == true)
        for target in ["t0", "t2"] {
            let over = try await server.requests.next(after: mended) {
                $0.body.contains("\"\(target)\"") && $0.body.contains("resolved")
            }
            #expect(reading(over).text("$.incident.id").map { place.notices[$0] != nil } == true)
        }
        scene.path(.up(generation: 7), of: [1])
        let last = try await server.requests.next(after: before) {
            $0.body.contains("\"t1\"") && $0.body.contains("resolved")
        }
        #expect(reading(last).text("$.from") == "unreachable")
        let firing = server.requests.events.dropFirst(before).filter {
            $0.body.contains("\"t1\"") && $0.body.contains("firing")
        }
        #expect(firing.count == 1)
        #expect(Set(server.requests.events.filter { $0.body.contains("\"t0\"") }.map(\.id)).count == 2)
        while scene.status()?.pending != 0 { sched_yield() }
        scene.stop()
        #expect(try store.marks()["hook"].flatMap(ReceiverOffset.init)?.mark.floor == scene.registry.sequence)
    }

    @Test("a file without events of before takes the places of this run")
    func lateNewLog() async throws {
        let store = MemoryEventStore()
        let server = try HookServer()
        let scene = try NotifierScene([try receiver(server.port)], store: store, isBroken: true)
        scene.path(.up(), of: [0, 1, 2])
        scene.path(.ownFault, of: [0])
        _ = try await server.requests.next()
        scene.mend()
        scene.path(.ownFault, of: [1])
        _ = try await server.requests.next(after: 1)
        while scene.status()?.pending != 0 { sched_yield() }
        scene.stop()
        #expect(try store.marks()["hook"].flatMap(ReceiverOffset.init)?.mark.floor == scene.registry.sequence)
        #expect(server.requests.count == 2)
    }

    @Test("more than can wait is read from the log when there is room, and nothing is lost")
    func backlog() async throws {
        let free = try HookServer()
        let port = free.port
        free.close()
        var settings = try receiver(port)
        settings.pace.perTarget = 1_000
        let scene = try NotifierScene([settings], targets: 400)
        scene.path(.up(), of: Array(0..<400))
        // Each an incident of its own.
        for target in 0..<400 {
            scene.wall.advance(milliseconds: 1_000)
            scene.path(.ownFault, of: [target])
        }
        _ = try await scene.notes.next { $0.facts["code"] == "connect_refused" }
        let back = try HookServer(port: port)
        _ = try await back.requests.next(after: 399)
        var targets: Set<String> = []
        for request in back.requests.events { targets.formUnion(reading(request).targets.map(\.target)) }
        let missing = (0..<400).map { "t\($0)" }.filter { !targets.contains($0) }
        #expect(missing == [])
        #expect(back.requests.count == 400)
    }

    @Test("events that left memory before they could be read hide no incident")
    func missing() async throws {
        let server = try HookServer()
        let scene = try NotifierScene([try receiver(server.port)], targets: 400, capacity: 100)
        scene.path(.up(), of: Array(0..<400))
        // One pass of the engine is one change of the registry: most of it has left the ring when it can be read.
        scene.path(.ownFault, of: Array(0..<400))
        _ = try await server.requests.next(after: 399)
        scene.path(.up(generation: 9), of: Array(0..<400))
        _ = try await server.requests.next(after: 799)
        let keys = server.requests.events.map { reading($0).text("$.incident.key") }
        #expect(Set(keys).count == 400 && server.requests.count == 800)
        #expect((scene.status()?.missed ?? 0) > 0)
    }

    @Test("offsets of configured receivers are kept, and those of others deleted")
    func forgotten() async throws {
        let store = MemoryEventStore()
        try store.setMarks(["gone": "0", "hook": "0"])
        let scene = try NotifierScene([try receiver(1)], store: store)
        scene.stop()
        #expect(try store.marks().keys.sorted() == ["hook"])
    }

    @Test("a reload keeps unchanged receivers, ends removed ones, and starts new ones")
    func reload() async throws {
        let (first, second) = (try HookServer(), try HookServer())
        let scene = try NotifierScene([try receiver(first.port)])
        scene.path(.up(), of: [0, 1, 2])
        scene.path(.ownFault, of: [0])
        _ = try await first.requests.next()
        scene.notifier.apply([try receiver(first.port), try receiver(second.port, "new")])
        #expect(scene.notifier.statuses.map(\.name) == ["hook", "new"])
        // A new receiver is notified of what is open.
        #expect(reading(try await second.requests.next()).targets.map(\.target) == ["t0"])
        scene.path(.ownFault, of: [1])
        _ = try await first.requests.next(after: 1)
        #expect(reading(try await second.requests.next(after: 1)).targets.map(\.target) == ["t1"])
        scene.notifier.apply([try receiver(second.port, "new")])
        scene.path(.ownFault, of: [2])
        _ = try await second.requests.next(after: 2)
        #expect(first.requests.count == 2)
        #expect(scene.notifier.statuses.map(\.name) == ["new"])
    }

    @Test("without a log a changed receiver continues with current problems and unsent changes")
    func reloadWithoutLog() async throws {
        let (first, second) = (try HookServer { _, count in .status(count == 0 ? 200 : 503) }, try HookServer())
        let scene = try NotifierScene([try receiver(first.port)])
        scene.path(.up(), of: [0, 1, 2])
        scene.path(.ownFault, of: [0])
        _ = try await first.requests.next()
        while scene.status()?.delivered != 1 { sched_yield() }
        scene.path(.ownFault, of: [1])
        _ = try await first.requests.next(after: 1)
        scene.notifier.apply([try receiver(second.port)])
        let untold = try await second.requests.next()
        #expect(reading(untold).targets.map(\.target) == ["t1"] && reading(untold).text("$.status") == "firing")
        scene.registry.apply(targets: (1..<3).map { .address("t\($0)", "198.51.0.\($0 + 1)", group: "g") })
        let gone = try await second.requests.next(after: 1)
        #expect(reading(gone).text("$.target") == "t0" && reading(gone).text("$.from") == "unreachable")
    }

    @Test("without a log the alerts of a changed Alertmanager continue, and end")
    func reloadAlertmanager() async throws {
        let server = try HookServer()
        var settings = AlertmanagerSettings(
            request: HTTPProbeSettings(
                url: try HTTPURL("http://127.0.0.1:\(server.port)/api/v2/alerts"),
                method: "POST"
            )
        )
        let scene = try NotifierScene([ReceiverSettings(name: "am", channel: .alertmanager(settings))])
        scene.path(.up(), of: [0, 1, 2])
        scene.path(.ownFault, of: [0])
        _ = try await server.requests.next()
        while scene.status("am")?.delivered != 1 { sched_yield() }
        settings.resendInterval = .seconds(30)
        scene.notifier.apply([ReceiverSettings(name: "am", channel: .alertmanager(settings))])
        let again = try await server.requests.next(after: 1)
        #expect(reading(again).text("$[0].labels.target") == "t0")
        #expect(reading(again).text("$[0].labels.cause") == "local_network")
        while scene.status("am")?.pending != 0 { sched_yield() }
        scene.path(.up(generation: 9), of: [0])
        let over = try await server.requests.next(after: 2)
        #expect(reading(over).text("$[0].endsAt") == scene.wall.now().description)
    }

    @Test("a test message reports its outcome")
    func testMessage() throws {
        let server = try HookServer { _, count in count == 0 ? .status(202) : .status(404) }
        let settings = try receiver(server.port)
        #expect(try TestDelivery(settings).run() == .init(isAccepted: true, words: "accepted with status 202"))
        #expect(try TestDelivery(settings).run().words == "refused: the receiver answers 404")
        #expect(server.requests.events.map { MessageReading(body: $0.body).text("$.type") } == ["test", "test"])
        server.close()
        let outcome = try TestDelivery(settings).run()
        #expect(!outcome.isAccepted && outcome.words.contains("connect_refused"))
    }

    @Test("an unreadable file of a header is reported without its content, and retried")
    func missingSecret() async throws {
        let folder = try TemporaryFolder()
        let server = try HookServer()
        var settings = try receiver(server.port)
        let path = folder.path(of: "key")
        settings.change { $0.secretFile = path }
        let scene = try NotifierScene([settings])
        scene.path(.ownFault, of: [0])
        let note = try await scene.notes.next { $0.facts["code"] != nil }
        #expect(note.facts["code"] == "credentials_unavailable")
        try folder.write("s3cret", to: "key")
        #expect(try await server.requests.next().headers["reachd-signature"] != nil)
    }
}
