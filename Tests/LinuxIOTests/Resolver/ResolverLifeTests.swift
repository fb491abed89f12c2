// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import Synchronization
import Testing

/// Many names, cancelling, new configurations, the end.
@Suite(.timeLimit(.minutes(15)))
struct ResolverLifeTests {
    typealias Question = DNSMessage.Question

    /// Holds questions back until it has those of so many names, then answers them all, again and again.
    private final class Gatekeeper: Sendable {
        private struct State {
            var held: [(Question, FakeNameServer.Reply)] = []
            var left: Int
            var most = 0
        }
        private let state: Mutex<State>
        private let batch: Int

        init(names: Int, batch: Int) {
            state = Mutex(State(left: names))
            self.batch = batch
        }

        var most: Int { state.withLock { $0.most } }

        func take(_ question: Question, _ reply: @escaping FakeNameServer.Reply) {
            let ready = state.withLock { state in
                state.held.append((question, reply))
                let names = Set(state.held.map(\.0.name)).count
                state.most = max(state.most, names)
                guard state.held.count == 2 * min(batch, state.left) else {
                    return [(Question, FakeNameServer.Reply)]()
                }
                state.left -= names
                defer { state.held = [] }
                return state.held
            }
            for (question, reply) in ready {
                reply([DNSMessage.answer(question, question.type == 1 ? [.a(question.name, [192, 0, 2, 1])] : [])])
            }
        }
    }

    @Test("1,000 names at once: exactly 64 are in flight, and every one is answered")
    func manyNames() async throws {
        // The server answers only when it has 64 names (or all that are left), so fewer would hang.
        let gate = Gatekeeper(names: 1_000, batch: 64)
        let server = try FakeNameServer { gate.take($0, $1) }
        let bench = try ResolverBench(port: server.port, timeout: 20_000, tries: 1)
        let good = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<1_000 {
                group.addTask { await bench.addresses("name-\(number).example") == [[192, 0, 2, 1]] }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(good == 1_000)
        #expect(gate.most == 64)
        #expect(bench.resolver.run { $0?.load.waiting } == 0)
    }

    @Test("the completion is never called from inside resolve, and once")
    func completionComesLater() async throws {
        let server = try FakeNameServer.answering { [DNSMessage.answer($0, code: 3)] }
        let bench = try ResolverBench(port: server.port, hosts: "192.0.2.1 known\n")
        let events = Record<String>()
        let done = EventPipe<String>()
        bench.resolver.execute { resolver in
            for name in ["192.0.2.1", "known", "", "unknown.example"] {
                resolver?.resolve(name) { _ in
                    events.append("answer")
                    done.send(name)
                }
                events.append("returned")
            }
        }
        for _ in 0..<4 { _ = await done.next() }
        #expect(events.all == Array(repeating: "returned", count: 4) + Array(repeating: "answer", count: 4))
        // From inside a completion too.
        let nested = await withCheckedContinuation { continuation in
            bench.resolver.execute { resolver in
                guard let resolver else { return }
                resolver.resolve("known") { _ in
                    let isInside = Mutex(true)
                    resolver.resolve("known") { _ in continuation.resume(returning: isInside.withLock { $0 }) }
                    isInside.withLock { $0 = false }
                }
            }
        }
        #expect(!nested)
    }

    @Test("after cancel no completion is called; without waiting callers the queries end")
    func cancel() async throws {
        let asked = EventPipe<String>()
        let server = try FakeNameServer { question, reply in
            asked.send(question.name)
            if question.name != "held.example" { reply([DNSMessage.answer(question, code: 3)]) }
        }
        let bench = try ResolverBench(port: server.port, hosts: "192.0.2.1 known\n", timeout: 600_000, tries: 1)
        let called = Record<String>()
        let holder = Queries()
        bench.resolver.execute { resolver in
            guard let resolver else { return }
            // In flight, answered but not delivered, and waiting.
            holder.queries.append(resolver.resolve("held.example") { _ in called.append("held") })
            resolver.resolve("known") { _ in called.append("known") }.cancel()
            resolver.resolve("192.0.2.1") { _ in called.append("literal") }.cancel()
        }
        #expect(await asked.next() == "held.example")
        #expect(bench.resolver.run { $0?.load.inFlight } == 1)
        _ = bench.resolver.run { _ in
            holder.queries.first?.cancel()
            holder.queries.first?.cancel()
        }
        #expect(bench.resolver.run { $0?.load.inFlight } == 0)
        #expect(await bench.resolve("x.example").outcome == .noSuchName)
        #expect(called.all.isEmpty)
    }

    /// Touched on the loop only.
    private final class Queries: @unchecked Sendable {
        var queries: [ResolverQuery] = []
    }

    @Test("a cancelled name beside a live one does not disturb it, nor one cancelled while it waits")
    func cancelBesideOthers() async throws {
        let held = Mutex<[(Question, FakeNameServer.Reply)]>([])
        let asked = EventPipe<String>()
        let server = try FakeNameServer { question, reply in
            held.withLock { $0.append((question, reply)) }
            if question.type == 28 { asked.send(question.name) }
        }
        let bench = try ResolverBench(port: server.port, timeout: 60_000, tries: 1)
        let answers = EventPipe<String>()
        let holder = Queries()
        bench.resolver.execute { resolver in
            guard let resolver else { return }
            for number in 0..<66 {
                holder.queries.append(resolver.resolve("n\(number).example") { _ in answers.send("n\(number)") })
            }
            for number in [0, 1, 64] { holder.queries[number].cancel() }
        }
        for _ in 0..<64 { _ = await asked.next() }
        for (question, reply) in held.withLock({ $0 }) { reply([DNSMessage.answer(question, code: 3)]) }
        #expect(await asked.next() == "n65.example")
        for (question, reply) in held.withLock({ $0.suffix(2) }) { reply([DNSMessage.answer(question, code: 3)]) }
        var names: Set<String> = []
        for _ in 0..<63 { names.insert(await answers.next() ?? "") }
        #expect(names == Set((2..<66).filter { $0 != 64 }.map { "n\($0)" }))
    }

    @Test("reload sends pending queries to the new servers, waiting ones included, and reads the hosts file again")
    func reload() async throws {
        let asked = EventPipe<String>()
        let silent = try FakeNameServer { question, _ in asked.send(question.name) }
        let server = try FakeNameServer.answering(host: 2, port: silent.port) {
            [DNSMessage.answer($0, $0.type == 1 ? [.a($0.name, [192, 0, 2, 2])] : [])]
        }
        let bench = try ResolverBench(port: server.port, timeout: 60_000, tries: 1)
        let answers = EventPipe<ResolverAnswer>()
        bench.resolver.execute { resolver in
            for number in 0..<100 { resolver?.resolve("n\(number).example") { answers.send($0) } }
        }
        _ = await asked.next()
        try bench.folder.write("nameserver 127.0.0.2\nsearch .\n", to: "resolv.conf")
        try bench.folder.write("192.0.2.99 n99.example\n", to: "hosts")
        bench.resolver.execute { resolver in
            #expect(resolver?.reload() == nil)
            #expect(resolver?.servers.map(\.description) == ["127.0.0.2"])
        }
        var outcomes: [ResolverAnswer.Source: Int] = [:]
        for _ in 0..<100 { outcomes[await answers.next()?.source ?? .literal, default: 0] += 1 }
        #expect(outcomes == [.servers: 99, .hosts: 1])
        #expect(await bench.addresses("n99.example") == [[192, 0, 2, 99]])
    }

    @Test("reload replaces an answer that was found and not delivered yet")
    func reloadBeforeDelivery() async throws {
        let bench = try ResolverBench(port: 9, hosts: "192.0.2.1 known\n")
        let answers = EventPipe<ResolverAnswer>()
        bench.resolver.execute { [folder = bench.folder] resolver in
            resolver?.resolve("known") { answers.send($0) }
            _ = try? folder.write("192.0.2.2 known\n", to: "hosts")
            resolver?.reload()
            answers.send(ResolverAnswer(outcome: .noData, source: .literal))
        }
        #expect(await answers.next()?.outcome == .noData)
        guard case .addresses(let found) = await answers.next()?.outcome else {
            Issue.record("no address")
            return
        }
        #expect(found.map(\.bytes) == [[192, 0, 2, 2]])
    }

    @Test("reload, cancel and close from inside a completion")
    func reentrancy() async throws {
        let server = try FakeNameServer.answering { [DNSMessage.answer($0, code: 3)] }
        let bench = try ResolverBench(port: server.port)
        let called = EventPipe<String>()
        bench.resolver.execute { resolver in
            guard let resolver else { return }
            resolver.resolve("a.example") { _ in
                called.send("a")
                resolver.reload()
                let second = resolver.resolve("b.example") { _ in called.send("never") }
                resolver.resolve("c.example") { _ in
                    called.send("c")
                    second.cancel()
                    resolver.resolve("d.example") { _ in called.send("never") }
                    resolver.close()
                    resolver.close()
                    resolver.resolve("e.example") { _ in called.send("never") }
                    resolver.reload()
                    called.send("end")
                }
                second.cancel()
            }
        }
        #expect(await called.next() == "a")
        #expect(await called.next() == "c")
        #expect(await called.next() == "end")
        // Whatever was still to come would come before this.
        _ = bench.loop.executeAndWait {}
        called.send("nothing more")
        #expect(await called.next() == "nothing more")
    }

    @Test("missing files mean the defaults; an unreadable one is reported")
    func problems() async throws {
        let folder = try TemporaryFolder()
        try folder.makeFolder("hosts")
        let loop = try EventLoop(name: "resolver-test")
        let files = ResolverConfigurationFiles(
            resolvConf: folder.path("none"),
            hosts: folder.path("hosts"),
            nameServiceSwitch: folder.path("none")
        )
        let resolver = LoopConfined(loop) { try? Resolver(loop: loop, files: files) }
        #expect(resolver.run { $0?.servers.map(\.description) ?? [] } == ["127.0.0.1"])
        #expect(resolver.run { $0?.problems.map(\.code) ?? [] } == [.unreadable(21)])
        _ = resolver.run { $0?.close() }
        resolver.drop()
        loop.close()
    }

    @Test("close releases the completions")
    func release() async throws {
        let server = try FakeNameServer { _, _ in }
        let bench = try ResolverBench(port: server.port)
        let isGone = bench.resolver.run { resolver -> Bool in
            guard let resolver else { return false }
            let probe = LifetimeProbe()
            resolver.resolve("x.example") { _ in withExtendedLifetime(probe) {} }
            resolver.close()
            return true
        }
        #expect(isGone == true)
        #expect(LifetimeProbe.live.load(ordering: .sequentiallyConsistent) == 0)
    }

    /// Counts its instances.
    private final class LifetimeProbe: Sendable {
        static let live = Atomic<Int>(0)

        init() { Self.live.add(1, ordering: .sequentiallyConsistent) }

        deinit { Self.live.subtract(1, ordering: .sequentiallyConsistent) }
    }
}
