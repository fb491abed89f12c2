// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import Configuration
import Glibc
import JSON
import LinuxIO
import Monitoring
import Synchronization

/// Keeps a ``TopModel`` up to date from a service's events, on a thread of its own, over broken connections.
final class TopFeed: Sendable {
    /// The most pages of 1,000 targets to read.
    private static let pages = 100
    /// Targets whose latencies of the last hour are read at the start, and how long that may take.
    private static let recalled = 60
    private static let recallLimit: UInt64 = 1_500_000_000
    /// The longest silence: the service sends a keep-alive every 15 seconds unless configured otherwise.
    private static let silence: Duration = .seconds(60)
    /// The pauses before attempts to follow the service again, in milliseconds; the first after events, others after failures.
    private static let pauses: [Int32] = [200, 500, 1_000, 2_000, 5_000]

    private let state: Mutex<TopModel>
    /// Is signalled for each change.
    private let wake: OwnedDescriptor
    private let askers: [BlockingHTTPClient]
    /// The query that chooses the scope, `?scope=…` or "".
    private let scope: String

    /// - Parameters:
    ///   - askers: Where the service may be.
    ///   - start: What is known at the start, and the event that follows it.
    ///   - wake: An event counter that is signalled for each change.
    init(_ askers: [BlockingHTTPClient], scope: String, start: Snapshot, wake: OwnedDescriptor) throws(SystemError) {
        self.askers = askers
        self.scope = scope
        self.wake = wake
        state = Mutex(start.model)
        let position = start.position
        try Thread(name: "top") { [self] in follow(from: position) }.detach()
    }

    /// What is known now.
    var model: TopModel { state.withLock { $0 } }

    private func change(_ body: (inout TopModel) -> Void) {
        state.withLock { body(&$0) }
        wake.signal()
    }

    // MARK: Reading lists

    /// What a service's lists say.
    struct Snapshot: Sendable {
        var model: TopModel
        /// The id of the newest event that they include.
        var position: String
    }

    /// Reads the lists of a service.
    ///
    /// - Parameter old: What was known before: its latencies stay.
    static func load(
        _ client: ServiceClient,
        scope: String,
        after old: TopModel? = nil
    ) throws(ServiceFault) -> Snapshot {
        // The position first: events that are in the lists, too, change nothing.
        let status = try document(client, "/status" + scope)
        var model = TopModel(place: client.place)
        model.setNetwork(status["network"])
        let incidents = try? document(
            client,
            "/incidents?state=open&limit=1000" + scope.replacing("?", with: "&")
        )
        for incident in incidents?["incidents"]?.elements ?? [] { model.setIncident(incident) }
        var cursor: String?
        for _ in 0..<pages {
            var query = URLQuery()
            query.add("limit", "1000")
            query.add("fields", TargetRows.fields)
            if let cursor { query.add("cursor", cursor) }
            let page = try document(client, "/targets" + query.text + scope.replacing("?", with: "&"))
            for target in page["targets"]?.elements ?? [] { model.set(target) }
            let next = page["next"]?.text
            guard let next, next != cursor, page["targets"]?.elements?.isEmpty == false else { break }
            cursor = next
        }
        recall(client, scope, &model, old)
        let position = "\(status["epoch"]?.text ?? "")-\(status["sequence"]?.integer ?? 0)"
        return Snapshot(model: model, position: position)
    }

    /// Fills in the latencies of the last hour, of what is seen first.
    private static func recall(_ client: ServiceClient, _ scope: String, _ model: inout TopModel, _ old: TopModel?) {
        for (id, target) in old?.targets ?? [:] { model.setRecent(target.recent, of: id) }
        guard old == nil else { return }
        let start = SystemMonotonicClock().now()
        for target in TopView().targets(model).prefix(recalled) where !target.recent.isEmpty {
            guard SystemMonotonicClock().now() - start < recallLimit else { return }
            let path = "/targets/\(URLText.escaped(target.id))/timeline?window=1h" + scope.replacing("?", with: "&")
            guard let timeline = try? document(client, path) else { return }
            let slices = timeline["windows", "1h", "slices"]?.elements ?? []
            let values = slices.filter { ($0["probes"]?.integer ?? 0) > 0 }.map { $0["p50_seconds"]?.number }
            model.setRecent(values, of: target.id)
        }
    }

    private static func document(_ client: ServiceClient, _ path: String) throws(ServiceFault) -> JSONValue {
        let answer = try client.ask(path, accepting: [200])
        do throws(JSONError) {
            return try JSONValue(reading: answer.body)
        } catch {
            throw ServiceFault("\(client.place) does not answer like reachd; check --url", .protocolFault)
        }
    }

    // MARK: Following events

    private func follow(from start: String) {
        var position: String? = start
        var failures = 0
        while true {
            if followOnce(from: position) { failures = 0 }
            position = nil
            // Lists of many targets are long: they are not read again and again.
            _ = poll(nil, 0, Self.pauses[min(failures, Self.pauses.count - 1)])
            failures += 1
        }
    }

    /// Reads the lists unless a position is known, and then follows the events until the stream ends.
    ///
    /// Not inlined: within the endless loop, Swift 6.3 moves its code out of the loop for hours in a release build.
    ///
    /// - Returns: Whether events came.
    @inline(never)
    private func followOnce(from known: String?) -> Bool {
        let client = ServiceClient(askers)
        guard let position = known ?? reload(client) else { return false }
        let (reason, hasEvents) = stream(client, after: position)
        if let reason { lose(reason) }
        return hasEvents
    }

    /// Reads the lists again.
    ///
    /// - Returns: The event that they include, or nil if they cannot be read.
    private func reload(_ client: ServiceClient) -> String? {
        do throws(ServiceFault) {
            let snapshot = try Self.load(client, scope: scope, after: model)
            change { model in
                // Lists that can be read are no stream.
                let lost = model.lost
                model = snapshot.model
                model.lost = lost
            }
            return snapshot.position
        } catch {
            lose(error.words)
            return nil
        }
    }

    private func lose(_ reason: String) {
        change { model in
            let words = TerminalText.safe(reason, limit: 256)
            model.lost = (model.lost?.since ?? SystemWallClock().now(), words)
        }
    }

    /// Follows the events after one.
    ///
    /// - Returns: Why it ended, nil when only the lists must be read again; and whether events came.
    private func stream(_ client: ServiceClient, after id: String) -> (reason: String?, hasEvents: Bool) {
        var query = URLQuery()
        query.add("event", each: ["state", "reachability", "target", "incident", "result"])
        query.add("distinct", "true")
        var reader = EventStreamReader(lastID: id)
        var mustReload = false
        var hasEvents = false
        let isSafe = id.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
        do throws(HTTPClientError) {
            let answer = try client.stream(
                "/events" + query.text + scope.replacing("?", with: "&"),
                headers: isSafe ? ["Last-Event-ID: \(id)"] : [],
                silence: Self.silence
            ) { [self] piece in
                let events = reader.read(piece)
                guard !events.isEmpty else { return !reader.isTooLarge }
                hasEvents = true
                change { model in
                    model.lost = nil
                    for event in events {
                        guard let data = try? JSONValue(reading: event.data) else { continue }
                        if model.take(event.type, data) { mustReload = true }
                    }
                }
                return !mustReload && !reader.isTooLarge
            }
            if mustReload { return (nil, hasEvents) }
            return (answer.status == 200 ? "the stream ended" : "HTTP \(answer.status)", hasEvents)
        } catch {
            return (error.detail, hasEvents)
        }
    }
}
