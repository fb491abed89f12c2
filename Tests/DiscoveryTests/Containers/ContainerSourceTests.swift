// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import LinuxIO
import Synchronization
import TestSupport
import Testing

@testable import Discovery

@Suite("Container engines as sources", .timeLimit(.minutes(15)))
struct ContainerSourceTests {
    /// A source of a recorded engine, and its reports.
    private func with(
        _ change: (inout ContainerSettings) -> Void = { _ in },
        _ body: (RecordedEngine, Recorder<SourceReport>, GatedPauses) async throws -> Void
    ) async throws {
        let engine = try RecordedEngine()
        defer { engine.close() }
        var settings = ContainerSettings(sockets: [], isInContainer: false)
        settings.endpoint = HTTPEndpoint(unixSocket: engine.socket)
        change(&settings)
        let reports = Recorder<SourceReport>()
        let pauses = GatedPauses()
        let source = ContainerSource(settings, pauses: pauses, now: { 1_700_000_000_500_000_000 })
        source.start { reports.record($0) }
        defer { source.stop() }
        try await body(engine, reports, pauses)
    }

    private static let stream =
        "/events?filters=%7B%22type%22%3A%5B%22container%22%2C%22network%22%5D%7D&since=1700000000"

    @Test("Containers are listed, and listed again after an event; nothing happens meanwhile")
    func events() async throws {
        try await with { engine, reports, _ in
            let first = try await reports.next()
            #expect(first.items?.count == 3 && first.error == nil)
            try await engine.requests.next { $0.hasPrefix("/events") }
            #expect(engine.requests.events == ["/containers/json?all=true", Self.stream])
            engine.list = RecordedContainers.podman
            engine.emit(RecordedContainers.event("exec_start"))
            engine.emit(RecordedContainers.event("start"))
            let second = try await reports.next(after: 1)
            #expect(second.items?.map(\.id) == ["container:web"])
            try await engine.requests.next(after: 3) { $0.hasPrefix("/events") }
            #expect(engine.requests.count == 4)
            // An unchanged list keeps the targets.
            engine.emit(RecordedContainers.event("die"))
            let third = try await reports.next(after: 2)
            #expect(third.items == nil && third.error == nil)
        }
    }

    @Test("A stream that ends: the containers are listed again, since events may be lost")
    func broken() async throws {
        try await with { engine, reports, pauses in
            try await engine.requests.next { $0.hasPrefix("/events") }
            engine.list = "[]"
            engine.endStreams()
            pauses.retry()
            let report = try await reports.next(after: 1)
            #expect(report.items?.isEmpty == true)
        }
    }

    @Test("Errors keep what was found, and the list is requested again")
    func errors() async throws {
        try await with { engine, reports, pauses in
            try await engine.requests.next { $0.hasPrefix("/events") }
            engine.respond(list: 500)
            engine.emit(RecordedContainers.event("start"))
            let failed = try await reports.next(after: 1) { $0.error != nil }
            #expect(failed.error?.code == .status && failed.items == nil)
            engine.list = "nonsense"
            engine.respond()
            pauses.retry()
            let garbled = try await reports.next { $0.error?.code == .malformed }
            #expect(garbled.items == nil)
            engine.list = "[]"
            pauses.retry()
            try await reports.next { $0.items?.isEmpty == true }
        }
    }

    @Test("A proxy that refuses events: an error, and the lists still count")
    func refusedEvents() async throws {
        try await with { engine, reports, pauses in
            engine.respond(events: 403)
            try await engine.requests.next { $0.hasPrefix("/events") }
            engine.endStreams()
            pauses.retry()
            try await reports.next { $0.error?.code == .denied }
            engine.list = "[]"
            pauses.retry()
            try await reports.next { $0.items?.isEmpty == true }
        }
    }

    @Test("Without a socket: an error that names the places")
    func missing() async throws {
        try await with({ settings in
            settings.endpoint = nil
            settings.sockets = ["/nonexistent/a.sock", "/nonexistent/b.sock"]
        }) { _, reports, _ in
            let error = try await reports.next().error
            #expect(error?.code == .unreachable)
            #expect(
                error?.words == "there is no socket of a container engine: /nonexistent/a.sock, /nonexistent/b.sock"
            )
        }
    }
}

/// Pauses after failures last until the test ends them; others take no time.
private final class GatedPauses: SourcePauses {
    private let gate = Semaphore()

    /// Ends one pause after a failure.
    func retry() { gate.post() }

    func wait(_ length: Duration) {
        // A failure's pause is at least half a second long, the one after an event shorter.
        if length >= .milliseconds(500) { gate.wait() }
    }

    func end() { gate.post() }
}
