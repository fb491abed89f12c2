// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import LinuxIO
import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Probing
import Synchronization
import TestSupport
import Testing

import struct HTTPServer.HTTPHeader

@testable import History
@testable import ReachAPI

/// A service without a server that keeps what happens in a file.
final class HistoryFixture {
    let fixture: Fixture
    let folder: TemporaryFolder
    let path: String
    let timers = ManualClock()
    let store: any EventStore
    let recorder: RollupRecorder
    let handler: RequestHandler
    private let file: SQLiteEventFile
    private var stored: UInt64 = 0

    init(
        settings: APISettings = APISettings(),
        history: (any HistoryReporting)? = nil,
        wiring: RequestHandler.ServiceDependencies = RequestHandler.ServiceDependencies(),
        capacity: Int = 65_536
    ) throws {
        fixture = Fixture(capacity: capacity)
        folder = try TemporaryFolder()
        path = folder.path(of: "reachd.db")
        file = SQLiteEventFile(path: path)
        store = try file.open(now: fixture.clock.now()).store
        recorder = try RollupRecorder(
            registry: fixture.registry,
            path: path,
            clock: fixture.clock,
            timers: timers,
            log: { _ in }
        )
        recorder.start()
        handler = RequestHandler(
            registry: fixture.registry,
            service: ServiceInformation(version: "0.1.0", startedAt: Fixture.started, build: ["swift": "6.3"]),
            settings: settings,
            history: history,
            past: HistoryReader(path: path, rollups: recorder),
            wiring: wiring,
            clock: fixture.clock
        )
    }

    deinit { recorder.stop() }

    func pass(seconds: Int64) {
        for _ in 0..<seconds / 10 {
            recorder.drain()
            fixture.clock.advance(milliseconds: 10_000)
            timers.advance(by: 10_000_000_000)
            // Somebody looks.
            _ = recorder.unwritten(0, target: "")
        }
    }

    /// Writes the events that are new, as the service's recorder does.
    func keep() throws {
        let events = fixture.registry.recordedEvents(after: stored, limit: 10_000).events
        try store.append(events)
        stored = events.last?.sequence ?? stored
    }

    func respond(_ target: String, method: String = "GET", headers: [HTTPHeader] = []) -> HTTPResponse {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return handler.respond(
            to: HTTPRequest(
                method: method,
                path: String(parts[0]),
                query: parts.count == 2 ? String(parts[1]) : nil,
                headers: headers,
                peer: "127.0.0.1:4711"
            )
        )
    }

    func json(_ target: String) throws -> JSONValue { try JSONValue(parsing: respond(target).bytes) }
}
