// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import History
import LinuxIO
import MonitoringTestSupport
import NetworkPaths
import Probing
import Synchronization
import TestSupport
import Testing

import struct HTTPServer.HTTPHeader

@testable import Configuration
@testable import Monitoring
@testable import ReachAPI
@testable import Targets

/// When probes begin, each a second after the one before, in nanoseconds.
private final class ProbeMoments: Sendable {
    private let last = Mutex<UInt64>(0)

    func next() -> UInt64 {
        last.withLock { last in
            last += 1_000_000_000
            return last
        }
    }
}

/// A service without a server: a registry over a fake engine, and the routes.
struct Fixture {
    static let started = Timestamp(milliseconds: 1_795_000_000_000)

    let clock = FakeClock()
    let source = FakeSource()
    let uptime = FakeUptime()
    let probes = FakeProbes()
    private let moments = ProbeMoments()
    let registry: Registry
    let book: TargetStore
    let notes = FakeLog()
    let handler: RequestHandler

    init(
        capacity: Int = 65_536,
        settings: APISettings = APISettings(),
        hasProbes: Bool = false,
        stateFile: StateFile? = nil,
        table: DeclarationFile? = nil,
        history: (any HistoryReporting)? = nil,
        wiring: RequestHandler.ServiceDependencies = RequestHandler.ServiceDependencies()
    ) {
        var log = EventLogSettings()
        log.capacity = capacity
        registry = Registry(log: log, clock: clock, timers: ManualClock(), epoch: "abcd")
        registry.connect(to: source)
        let uptime = uptime
        let notes = notes
        let keeping =
            table.map(TargetStore.Keeping.table) ?? stateFile.map(TargetStore.Keeping.file)
            ?? .memory(reason: "no state file is configured")
        book = TargetStore(registry: registry, keeping: keeping) { notes.append($0) }
        handler = RequestHandler(
            registry: registry,
            service: ServiceInformation(version: "0.1.0", startedAt: Self.started, build: ["swift": "6.3"]),
            settings: settings,
            probes: hasProbes ? probes : nil,
            editing: book,
            history: history,
            wiring: wiring,
            clock: clock,
            monotonicTime: { uptime.nanoseconds }
        )
    }

    // MARK: What happens

    func emit(
        _ id: String,
        _ path: NetworkPath,
        _ trigger: ChangeTrigger = ChangeTrigger(.route, interface: "eth0")
    ) {
        guard let record = registry.target(id), let request = record.target?.settings.request else {
            Issue.record("There is no target \(id)")
            return
        }
        emit(request, path, previous: record.path, trigger)
    }

    /// A probe of a target ended.
    @discardableResult
    func record(
        _ id: String,
        _ result: ProbeResult,
        lag: Duration = .zero,
        gateway: GatewayAnswer = .unknown
    ) -> ProbeReport? {
        guard let target = registry.target(id)?.target else {
            Issue.record("There is no target \(id)")
            return nil
        }
        // A second after the one before.
        let moment = moments.next()
        let context = Registry.ProbeContext(lag: lag, gateway: gateway, began: moment, ended: moment)
        return registry.record(result, of: target, circumstances: context)?.report
    }

    func tellNetwork(_ path: NetworkPath, _ trigger: ChangeTrigger = ChangeTrigger(.link, interface: "eth0")) {
        emit(PathRequest(.defaultPath()), path, previous: registry.overview.network.path, trigger)
    }

    private func emit(
        _ request: PathRequest,
        _ path: NetworkPath,
        previous: NetworkPath?,
        _ trigger: ChangeTrigger
    ) {
        guard let id = source.id(request) else {
            Issue.record("Nobody asked for \(request)")
            return
        }
        registry.pathsDidChange([PathUpdate(id: id, path: path, previous: previous, trigger: trigger)])
    }

    // MARK: What is asked

    func respond(
        _ target: String,
        method: String = "GET",
        headers: [HTTPHeader] = [],
        body: [UInt8] = [],
        peer: String = "127.0.0.1:4711"
    ) -> HTTPResponse {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return handler.respond(
            to: HTTPRequest(
                method: method,
                path: String(parts[0]),
                query: parts.count == 2 ? String(parts[1]) : nil,
                headers: headers,
                body: body,
                peer: peer
            )
        )
    }

    func json(_ target: String, headers: [HTTPHeader] = []) throws -> JSONValue {
        try JSONValue(parsing: respond(target, headers: headers).bytes)
    }

    func post(_ target: String, headers: [HTTPHeader] = [], peer: String = "127.0.0.1:4711") -> HTTPResponse {
        respond(target, method: "POST", headers: headers, peer: peer)
    }

    func stream(_ query: String = "", headers: [HTTPHeader] = []) throws -> any StreamSource {
        let response = respond("/events" + query, headers: headers)
        guard case .stream(let source) = response.body else {
            throw NoStream(status: response.status)
        }
        return source
    }

    struct NoStream: Error {
        let status: Int
    }

    func id(_ sequence: UInt64) -> String { "abcd-\(sequence)" }
}

final class FakeLog: Sendable {
    private let notes = Mutex<[LogMessage]>([])

    var all: [LogMessage] { notes.withLock { $0 } }

    func append(_ note: LogMessage) { notes.withLock { $0.append(note) } }
}

final class FakeUptime: Sendable {
    private let value = Mutex<UInt64>(0)

    var nanoseconds: UInt64 {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

extension HTTPResponse {
    var bytes: [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .prepared(let body): body.bytes
        case .empty, .stream, .deferred: []
        }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The response that came later, once it is there; nil before, and for one that came at once.
    var late: HTTPResponse? {
        guard case .deferred(let deferred) = body, var response = deferred.take() else { return nil }
        response.headers += headers
        return response
    }
}

extension StreamSource {
    /// Everything that the stream has to say now.
    func drain() throws -> [ServerSentEvent] {
        var bytes: [UInt8] = []
        while case .bytes(let piece) = next() { bytes += piece }
        return try ServerSentEvent.parse(bytes)
    }
}
