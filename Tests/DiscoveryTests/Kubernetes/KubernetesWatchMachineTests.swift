// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Testing

@testable import Discovery

@Suite("Kubernetes: the order of lists and watches")
struct KubernetesWatchMachineTests {
    private typealias Objects = RecordedObjects
    private static let second: UInt64 = 1_000_000_000

    private static let reader = KubernetesObjectReader(resource: .ingress, labels: [])

    private func machine(
        _ resource: KubernetesResource = .ingress,
        adjust: (inout KubernetesWatchMachine.Limits) -> Void = { _ in }
    ) -> Machine {
        var limits = KubernetesWatchMachine.Limits()
        adjust(&limits)
        let targets = KubernetesTargets(of: resource, KubernetesSettings())
        return Machine(KubernetesWatchMachine(resource, in: nil, targets, limits: limits))
    }

    private func page(_ names: [String], version: String = "10", next: String? = nil) throws -> KubernetesListPage {
        let text = Objects.list(names.map { Objects.ingress($0) }, version: version, next: next)
        return try KubernetesListPage(Array(text.utf8), Self.reader)
    }

    private func event(_ text: String) throws -> KubernetesWatchEvent {
        try KubernetesWatchEvent(Array(text.dropLast().utf8), Self.reader)
    }

    private func names(_ machine: Machine) -> [String] {
        machine.current.findings.keys.map(\.name).sorted()
    }

    private static let refused = KubernetesFault.connection(SourceError(.unreachable, "refused"))
    private static let gone = KubernetesFault.status(KubernetesStatus(status: 410, body: []))

    @Test("failures wait twice as long each, up to a minute, and a list ends the pauses")
    func pauses() throws {
        let machine = machine()
        var waits: [UInt64] = []
        var now: UInt64 = 0
        for number in 0..<9 {
            let changed = machine.fail(Self.refused, now: now, jitter: 1)
            #expect(changed == (number == 0))
            guard case .wait(let time) = machine.step(now: now) else { break }
            waits.append(time / Self.second)
            now += time
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        #expect(!machine.isSettled && machine.problem?.code == .unreachable)
        #expect(machine.step(now: now) == .list(limit: 500, continuation: ""))
        #expect(machine.take(try page(["a"]), now: now, jitter: 0))
        #expect(machine.isSettled && machine.problem == nil)
        #expect(machine.step(now: now) == .watch(version: "10"))
        _ = machine.fail(Self.refused, now: now, jitter: 0)
        #expect(machine.step(now: now) == .wait(Self.second / 2))
    }

    @Test("a watch that breaks resumes; after three breaks without an event a list begins")
    func breaks() throws {
        let machine = machine()
        _ = machine.take(try page(["a"]), now: 0, jitter: 0)
        #expect(try machine.take(event(Objects.bookmark("11"))) == false)
        #expect(!machine.fail(Self.refused, now: 0, jitter: 0))
        #expect(machine.step(now: 100 * Self.second) == .watch(version: "11"))
        #expect(machine.fail(Self.refused, now: 0, jitter: 0))
        #expect(machine.step(now: 100 * Self.second) == .watch(version: "11"))
        _ = machine.fail(Self.refused, now: 0, jitter: 0)
        #expect(machine.step(now: 100 * Self.second) == .list(limit: 500, continuation: ""))
        #expect(names(machine) == ["a"])
        // An event shows that the watch works again.
        _ = machine.take(try page(["a"]), now: 0, jitter: 0)
        #expect(machine.problem == nil)
    }

    @Test("a rejected token is told when it is rejected twice")
    func rejectedToken() throws {
        let machine = machine()
        let rejected = KubernetesFault.status(KubernetesStatus(status: 401, body: []))
        #expect(!machine.fail(rejected, now: 0, jitter: 0))
        #expect(machine.fail(rejected, now: 0, jitter: 0))
        #expect(machine.problem?.code == .denied && !machine.isSettled)
        #expect(machine.take(try page(["a"]), now: 0, jitter: 0))
        #expect(machine.problem == nil)
    }

    @Test("410 after events lists at once; 410 again and again waits")
    func gone() throws {
        let machine = machine()
        _ = machine.take(try page(["a"]), now: 0, jitter: 0)
        _ = try machine.take(event(Objects.event("ADDED", Objects.ingress("b", version: "12"))))
        #expect(!machine.fail(Self.gone, now: 0, jitter: 0))
        #expect(machine.step(now: 0) == .list(limit: 500, continuation: ""))
        #expect(names(machine) == ["a", "b"])
        _ = machine.take(try page(["a"]), now: 0, jitter: 0)
        #expect(names(machine) == ["a"])
        _ = machine.fail(Self.gone, now: 0, jitter: 0)
        #expect(machine.step(now: 0) == .wait(Self.second / 2))
        #expect(machine.problem == nil)
    }

    @Test("a watch that the server ends at once is a failure, one that lasted is not")
    func shortWatches() throws {
        let machine = machine()
        _ = machine.take(try page([]), now: 0, jitter: 0)
        machine.endWatch(after: 300 * Self.second, now: 300 * Self.second, jitter: 0)
        #expect(machine.step(now: 300 * Self.second) == .watch(version: "10"))
        machine.endWatch(after: 1, now: 300 * Self.second, jitter: 0)
        #expect(machine.step(now: 300 * Self.second) == .wait(Self.second / 2))
    }

    @Test("everything is listed again now and then, and what is gone by then is removed")
    func resync() throws {
        let machine = machine { $0.resync = 1_000 * Self.second }
        #expect(machine.take(try page(["a", "b"]), now: 0, jitter: 0))
        #expect(machine.step(now: 999 * Self.second) == .watch(version: "10"))
        #expect(machine.step(now: 1_000 * Self.second) == .list(limit: 500, continuation: ""))
        #expect(!machine.take(try page(["a"], next: "x"), now: 1_000 * Self.second, jitter: 0))
        #expect(names(machine) == ["a", "b"])
        #expect(machine.step(now: 1_000 * Self.second) == .list(limit: 500, continuation: "x"))
        #expect(machine.take(try page(["c"], version: "20"), now: 1_001 * Self.second, jitter: 0))
        #expect(names(machine) == ["a", "c"])
        // The same once more is no change.
        _ = machine.step(now: 2_001 * Self.second)
        #expect(!machine.take(try page(["c", "a"], version: "30"), now: 2_001 * Self.second, jitter: 0))
    }

    @Test("a page that is too large is requested in smaller parts")
    func largePages() throws {
        let machine = machine()
        _ = machine.take(try page(["a"], next: "x"), now: 0, jitter: 0)
        for limit in [125, 31, 7, 1] {
            #expect(!machine.fail(.tooLarge, now: 0, jitter: 0))
            #expect(machine.step(now: 0) == .list(limit: limit, continuation: "x"))
        }
        #expect(machine.fail(.tooLarge, now: 0, jitter: 0))
        #expect(machine.isSettled && !machine.isComplete)
        _ = machine.step(now: Self.second)
        _ = machine.take(try page(["b"]), now: 0, jitter: 0)
        #expect(names(machine) == ["b"])
    }

    @Test("a list without an end is a fault")
    func endlessList() throws {
        let machine = machine { $0.pages = 3 }
        for _ in 0..<2 { #expect(!machine.take(try page(["a"], next: "x"), now: 0, jitter: 0)) }
        #expect(machine.take(try page(["a"], next: "x"), now: 0, jitter: 0))
        #expect(machine.problem?.code == .tooLarge && machine.isSettled)
        #expect(machine.step(now: Self.second) == .list(limit: 500, continuation: ""))
    }

    @Test("only an optional resource may be absent")
    func absence() throws {
        let missing = KubernetesFault.status(KubernetesStatus(status: 404, body: Array("404 page not found".utf8)))
        let routes = machine(.httpRoute)
        #expect(routes.fail(missing, now: 0, jitter: 0))
        #expect(routes.isAbsent && routes.isSettled && routes.problem == nil)
        #expect(routes.step(now: 0) == .wait(300 * Self.second))
        #expect(!routes.fail(missing, now: 300 * Self.second, jitter: 0))
        let ingresses = machine()
        #expect(ingresses.fail(missing, now: 0, jitter: 0))
        #expect(!ingresses.isAbsent && ingresses.problem?.code == .status)
    }

    @Test("objects are bounded in number and bytes, and what is known stays")
    func bounds() throws {
        let machine = machine { $0.objects = 2 }
        _ = machine.take(try page(["a", "b", "c"]), now: 0, jitter: 0)
        #expect(names(machine) == ["a", "b"] && machine.current.isCut)
        _ = try machine.take(event(Objects.event("DELETED", Objects.ingress("a", version: "11"))))
        _ = try machine.take(event(Objects.event("ADDED", Objects.ingress("d", version: "12"))))
        #expect(names(machine) == ["b", "d"])
        let small = self.machine { $0.bytes = 2_000 }
        _ = small.take(try page(["a", "b", "c", "d"]), now: 0, jitter: 0)
        #expect((1...3).contains(small.current.findings.count) && small.current.isCut)
    }

    @Test("events without a version, and lists without one, are faults")
    func versions() throws {
        let machine = machine()
        #expect(machine.take(try page([], version: ""), now: 0, jitter: 0))
        #expect(machine.problem?.code == .malformed)
        _ = machine.take(try page([]), now: 0, jitter: 0)
        let event = try event(Objects.event("ADDED", Objects.ingress("a", version: "")))
        #expect(throws: KubernetesFault.malformed("an event has no resourceVersion")) { try machine.take(event) }
    }
}

/// A machine that expectations may change.
@dynamicMemberLookup
private final class Machine {
    private var machine: KubernetesWatchMachine

    init(_ machine: KubernetesWatchMachine) { self.machine = machine }

    subscript<Value>(dynamicMember path: KeyPath<KubernetesWatchMachine, Value>) -> Value { machine[keyPath: path] }

    func step(now: UInt64) -> KubernetesWatchMachine.Step { machine.step(now: now) }

    func take(_ page: KubernetesListPage, now: UInt64, jitter: Double) -> Bool {
        machine.take(page, now: now, jitter: jitter)
    }

    func take(_ event: KubernetesWatchEvent) throws -> Bool { try machine.take(event) }

    func endWatch(after duration: UInt64, now: UInt64, jitter: Double) {
        machine.endWatch(after: duration, now: now, jitter: jitter)
    }

    func fail(_ fault: KubernetesFault, now: UInt64, jitter: Double) -> Bool {
        machine.fail(fault, now: now, jitter: jitter)
    }
}
