// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import History
import JSON
import Monitoring
import Synchronization

/// The history of targets. It is on a disk, so responses are asynchronous.
extension RequestHandler {
    /// The maximum number of pending reads; more are refused.
    static let maximumPendingReads = 64
    /// The maximum number of transitions on a page.
    static let maximumTransitions = 1_000

    func transitions(_ raw: String, _ request: HTTPRequest, _ reader: inout QueryReader) -> HTTPResponse {
        let wanted = transitionQuery(&reader)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        return read(raw, request) { record, past throws(HistoryError) in
            let id = record.target?.settings.id ?? ""
            guard let page = try past.transitions(of: id, wanted) else {
                return Self.foreignCursorAnswer
            }
            var writer = JSONWriter(reserving: page.events.count * 192)
            writer.transitionList(page, of: id)
            return PreparedAnswer(constant: writer.bytes).response(to: request)
        }
    }

    func uptime(_ raw: String, _ request: HTTPRequest) -> HTTPResponse {
        let now = clock.now()
        return read(raw, request) { record, past throws(HistoryError) in
            let names = UptimeWindow.reported
            let windows = try Self.windows(names, of: record, past, now)
            var writer = JSONWriter(reserving: 2_048)
            writer.uptime(Array(zip(names, windows)), of: record.target?.settings.id ?? "")
            return PreparedAnswer(constant: writer.bytes).response(to: request)
        }
    }

    func timeline(_ raw: String, _ request: HTTPRequest, _ reader: inout QueryReader) -> HTTPResponse {
        let asked = reader.cases("window", as: UptimeWindow.self)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        let windows = asked.isEmpty ? [.day] : asked
        let now = clock.now()
        return read(raw, request) { record, past throws(HistoryError) in
            guard let target = record.target else { return Problem.unknownTarget(raw).response }
            var lines: [Timeline] = []
            for window in windows {
                let ranges = window.slices(until: now)
                let id = target.settings.id
                let slices = try past.parts(of: target.ordinal, target: id, ranges: ranges, now: now)
                lines.append(Timeline(window: window, ranges: ranges, slices: slices))
            }
            var writer = JSONWriter(reserving: 8_192)
            writer.timelines(lines, of: target.settings.id, now: now)
            return PreparedAnswer(constant: writer.bytes).response(to: request)
        }
    }

    func badge(_ raw: String, _ request: HTTPRequest, _ reader: inout QueryReader) -> HTTPResponse {
        let query = BadgeQuery(&reader)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        guard query.kind == .uptime else {
            guard let id = PercentDecoding.decode(raw[...].utf8, plusIsSpace: false) else {
                return Problem(kind: .badEncoding).response
            }
            guard let record = registry.target(id) else { return Problem.unknownTarget(id).response }
            return Self.answer(Badge(label: Self.label(query, record), state: record.state), to: request)
        }
        let now = clock.now()
        return read(raw, request) { record, past throws(HistoryError) in
            let window = try Self.windows([query.window], of: record, past, now).first
            return Self.answer(
                Badge(label: Self.label(query, record), uptime: window.flatMap(\.uptimeRatio)),
                to: request
            )
        }
    }

    // MARK: Parts

    /// The query of `/targets/{id}/history`.
    func transitionQuery(_ reader: inout QueryReader) -> TransitionQuery {
        var query = TransitionQuery()
        query.from = reader.moment("from")
        query.to = reader.moment("to")
        query.limit = reader.integer("limit", in: 1...Self.maximumTransitions, default: query.limit)
        if let text = reader.one("cursor") {
            query.cursor = TransitionCursor(parsing: text)
            if query.cursor == nil { reader.fault("cursor", Self.foreignCursor) }
        }
        return query
    }

    /// The answer to a cursor of another log.
    static var foreignCursorAnswer: HTTPResponse {
        Problem.invalid([ProblemFault(parameter: "cursor", detail: foreignCursor)])
    }

    private static let foreignCursor = "It is not a cursor of this log; start again without it."

    private static func windows(
        _ names: [UptimeWindow],
        of record: StatusRecord,
        _ past: any HistoryReading,
        _ now: Timestamp
    ) throws(HistoryError) -> [HistoryWindow] {
        guard let target = record.target else { return [] }
        return try past.windows(
            of: target.ordinal,
            target: target.settings.id,
            lengths: names.map(\.length),
            now: now
        )
    }

    private static func label(_ query: BadgeQuery, _ record: StatusRecord) -> String {
        query.label ?? record.target.map { $0.settings.name ?? $0.settings.id } ?? ""
    }

    static func answer(_ badge: Badge, to request: HTTPRequest) -> HTTPResponse {
        PreparedAnswer(constant: badge.svg, type: "image/svg+xml").response(to: request)
    }

    // MARK: Later

    /// Responds when the history was read; immediately if there is no history.
    private func read(
        _ raw: String,
        _ request: HTTPRequest,
        _ body: @escaping @Sendable (StatusRecord, any HistoryReading) throws(HistoryError) -> HTTPResponse
    ) -> HTTPResponse {
        guard let id = PercentDecoding.decode(raw[...].utf8, plusIsSpace: false) else {
            return Problem(kind: .badEncoding).response
        }
        guard let record = registry.target(id) else { return Problem.unknownTarget(id).response }
        guard let past else {
            let detail = "This reachd keeps no history: history.enabled is false, or the file is not available."
            return Problem(kind: .noHistory, detail: detail).response
        }
        guard pendingReads.add(1, ordering: .relaxed).newValue <= Self.maximumPendingReads else {
            pendingReads.subtract(1, ordering: .relaxed)
            let detail = "\(Self.maximumPendingReads) requests are already waiting for the history."
            return Problem(kind: .overloaded, detail: detail, headers: Self.soon).response
        }
        let read = wiring.read
        return respond(to: request) { [weak self] answer in
            read {
                let response = Self.outcome { () throws(HistoryError) in try body(record, past) }
                self?.pendingReads.subtract(1, ordering: .relaxed)
                answer(response)
            }
        }
    }

    private static func outcome(_ body: () throws(HistoryError) -> HTTPResponse) -> HTTPResponse {
        do throws(HistoryError) {
            return try body()
        } catch {
            // Does not reveal file names.
            return Problem(kind: .historyUnavailable, detail: error.code.summary, headers: soon).response
        }
    }
}
