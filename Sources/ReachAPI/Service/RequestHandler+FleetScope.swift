// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import HTTPServer
import History
import JSON
import Monitoring

/// Answers in the fleet's scope: from the fleet's database, whichever node is asked.
extension RequestHandler {
    /// The answer of a route that has a fleet's scope; nil for the others, whose answers are this node's own.
    func fleetAnswer(
        _ match: Router.Match,
        _ request: HTTPRequest,
        _ reader: inout QueryReader,
        _ fleet: FleetView,
        isHead: Bool
    ) -> HTTPResponse? {
        switch match.route {
        case .status: fleetStatus(request, &reader, fleet)
        case .targets: fleetTargets(request, &reader, fleet)
        case .target: fleetTarget(match.id ?? "", request, fleet, isHealth: false)
        case .health: fleetTarget(match.id ?? "", request, fleet, isHealth: true)
        case .history: fleetTransitions(match.id ?? "", request, &reader, fleet)
        case .uptime: fleetUptime(match.id ?? "", request, fleet)
        case .timeline: fleetTimeline(match.id ?? "", request, &reader, fleet)
        case .incidents: fleetIncidents(request, &reader, fleet)
        case .incident: fleetIncident(match.id ?? "", request, &reader, fleet)
        case .badge: fleetBadge(match.id ?? "", request, &reader, fleet)
        case .events: fleetEvents(request, &reader, fleet, isHead: isHead)
        default: nil
        }
    }

    // MARK: Targets

    private func fleetTargets(
        _ request: HTTPRequest,
        _ reader: inout QueryReader,
        _ fleet: FleetView
    ) -> HTTPResponse {
        let query = TargetQuery(&reader, run: TargetCursor.fleetRun)
        if !query.filter.statuses.isEmpty { reader.fault("status", Self.nodeOnly) }
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        // Votes change, and stop to count, without an event.
        let hasVotes = [TargetField.votes, .quorum, .pending].contains(where: query.fields.contains)
        return ask(fleet, request) { answer in
            let list: @Sendable () -> Void = { [clock] in
                fleet.reader.targets(
                    FleetTargetFilter(query.filter),
                    after: query.after,
                    limit: query.limit,
                    isCounted: true
                ) { result in
                    answer(
                        result.map { page in
                            var writer = JSONWriter(reserving: page.targets.count * 512)
                            var validator = Self.validator(page.version)
                            writer.object {
                                $0.member("scope", ReportScope.fleet.rawValue)
                                $0.fleetListMembers(page, total: page.total ?? 0, fields: query.fields)
                                if hasVotes { validator = Self.validator(page.version, $0.bytes) }
                                $0.member("generated_at", clock.now())
                            }
                            return PreparedAnswer(writer.bytes, validator: validator).response(to: request)
                        }
                    )
                }
            }
            guard request.header("If-None-Match") != nil, !hasVotes else { return list() }
            // The list is only read for clients that do not have it.
            fleet.reader.ask(FleetVersion.question) { result in
                switch result {
                case .failure(let fault): answer(.failure(fault))
                case .success(let version):
                    let known = Self.validator(version)
                    if PreparedAnswer.isKnown(known, to: request) {
                        answer(.success(PreparedAnswer.notModified(known)))
                    } else {
                        list()
                    }
                }
            }
        }
    }

    private func fleetTarget(
        _ raw: String,
        _ request: HTTPRequest,
        _ fleet: FleetView,
        isHealth: Bool
    ) -> HTTPResponse {
        read(raw, request, fleet) { id, answer in
            fleet.reader.target(id) { result in
                answer(
                    result.map { target in
                        guard let target else { return Problem.unknownTarget(id).response }
                        var writer = JSONWriter()
                        writer.fleetTarget(target)
                        let status = isHealth && !target.state.isHealthy ? 503 : 200
                        let validator = Self.validator(target.revision, writer.bytes)
                        let body = NextStep.advised(writer.bytes, target.state)
                        return PreparedAnswer(body, validator: validator).response(
                            to: request,
                            status: status
                        )
                    }
                )
            }
        }
    }

    // MARK: History

    private func fleetTransitions(
        _ raw: String,
        _ request: HTTPRequest,
        _ reader: inout QueryReader,
        _ fleet: FleetView
    ) -> HTTPResponse {
        let query = transitionQuery(&reader)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        return read(raw, request, fleet) { id, answer in
            let question = FleetHistory.question(
                of: id,
                before: query.cursor?.sequence ?? .max,
                from: query.from,
                to: query.to,
                limit: query.limit
            )
            fleet.reader.ask(question) { result in
                answer(
                    result.map { history in
                        guard let history else { return Problem.unknownTarget(id).response }
                        if let cursor = query.cursor, cursor.log != history.epoch { return Self.foreignCursorAnswer }
                        let next = history.next.map { TransitionCursor(log: history.epoch, sequence: $0) }
                        var writer = JSONWriter(reserving: history.events.count * 192)
                        writer.transitionList(TransitionPage(events: history.events, next: next), of: id)
                        return PreparedAnswer(constant: writer.bytes).response(to: request)
                    }
                )
            }
        }
    }

    private func fleetUptime(_ raw: String, _ request: HTTPRequest, _ fleet: FleetView) -> HTTPResponse {
        let now = clock.now()
        let windows = UptimeWindow.reported
        let ranges = windows.map { $0.range(until: now) }
        return buckets(raw, request, fleet, in: ranges) { id, buckets in
            let buckets = zip(windows, zip(ranges, buckets)).map { window, found in
                (window, Self.window(found.0, found.1))
            }
            var writer = JSONWriter(reserving: 1_024)
            writer.uptime(buckets, of: id)
            return PreparedAnswer(constant: writer.bytes).response(to: request)
        }
    }

    private func fleetTimeline(
        _ raw: String,
        _ request: HTTPRequest,
        _ reader: inout QueryReader,
        _ fleet: FleetView
    ) -> HTTPResponse {
        let asked = reader.cases("window", as: UptimeWindow.self)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        let now = clock.now()
        let windows = (asked.isEmpty ? [.day] : asked).map { ($0, $0.slices(until: now)) }
        return buckets(raw, request, fleet, in: windows.flatMap(\.1)) { id, buckets in
            var rest = buckets[...]
            let lines = windows.map { window, ranges in
                defer { rest = rest.dropFirst(ranges.count) }
                return Timeline(window: window, ranges: ranges, slices: Array(rest.prefix(ranges.count)))
            }
            var writer = JSONWriter(reserving: 8_192)
            writer.timelines(lines, of: id, now: now)
            return PreparedAnswer(constant: writer.bytes).response(to: request)
        }
    }

    private func fleetBadge(
        _ raw: String,
        _ request: HTTPRequest,
        _ reader: inout QueryReader,
        _ fleet: FleetView
    ) -> HTTPResponse {
        let query = BadgeQuery(&reader)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        let now = clock.now()
        return read(raw, request, fleet) { id, answer in
            fleet.reader.target(id) { result in
                guard case .success(let target?) = result else {
                    return answer(result.map { _ in Problem.unknownTarget(id).response })
                }
                let label = query.label ?? target.settings?.name ?? id
                guard query.kind == .uptime else {
                    return answer(.success(Self.answer(Badge(label: label, state: target.state), to: request)))
                }
                let range = query.window.range(until: now)
                fleet.reader.ask(FleetStateTimes.question(of: id, in: [range])) { result in
                    answer(
                        result.map { found in
                            let window = Self.window(range, RollupBucket(milliseconds: found?.times.first ?? [:]))
                            return Self.answer(Badge(label: label, uptime: window.uptimeRatio), to: request)
                        }
                    )
                }
            }
        }
    }

    private static func window(_ range: Range<Int64>, _ bucket: RollupBucket) -> HistoryWindow {
        HistoryWindow(
            from: Timestamp(milliseconds: range.lowerBound),
            to: Timestamp(milliseconds: range.upperBound),
            bucket: bucket
        )
    }

    /// Responds with the times of a target's verdicts in ranges, and with what the nodes stored of its probes.
    private func buckets(
        _ raw: String,
        _ request: HTTPRequest,
        _ fleet: FleetView,
        in ranges: [Range<Int64>],
        _ body: @escaping @Sendable (_ id: String, _ buckets: [RollupBucket]) -> HTTPResponse
    ) -> HTTPResponse {
        read(raw, request, fleet) { id, answer in
            fleet.reader.ask(FleetStateTimes.question(of: id, in: ranges)) { result in
                guard case .success(let found?) = result else {
                    return answer(result.map { _ in Problem.unknownTarget(id).response })
                }
                fleet.reader.ask(TargetRollups.question(of: id, in: ranges)) { result in
                    answer(
                        result.map { rollups in
                            let sums = FleetProbeSums(rollups)
                            fleet.countSkippedRollups(sums.skipped)
                            let buckets = zip(ranges, found.times).map { range, times in
                                var bucket = RollupBucket(milliseconds: times)
                                sums.add(to: &bucket, in: range)
                                return bucket
                            }
                            return body(id, buckets)
                        }
                    )
                }
            }
        }
    }

    // MARK: Events

    private func fleetEvents(
        _ request: HTTPRequest,
        _ reader: inout QueryReader,
        _ fleet: FleetView,
        isHead: Bool
    ) -> HTTPResponse {
        let keys = reader.cases("key", as: ObservedKey.self)
        if keys.contains(where: { $0 != .state }) {
            reader.fault("key", "`state` is the only key of a fleet's targets.")
        }
        if reader.isGiven("include") { reader.fault("include", Self.nodeOnly) }
        if reader.all("event").contains(where: Self.nodeEvents.contains) { reader.fault("event", Self.nodeOnly) }
        if !isHead, let fault = fleet.reader.fault {
            // Nothing else may ask, and the client's next attempt must learn of the database's return.
            fleet.reader.ask(FleetVersion.question) { _ in }
            return Problem.unavailable(fault).response
        }
        return events(request, &reader, from: fleet.feed, isHead: isHead)
    }

    // MARK: Parts

    /// An answer of the database, or why there is none.
    typealias FleetAnswer = @Sendable (Result<HTTPResponse, FleetFault>) -> Void

    /// The values of `event` that are not of the log.
    private static let nodeEvents: Set<String> = ["result", "activity"]

    private static let nodeOnly = "Nodes know that, and the fleet does not: use `scope=node`."

    private static func validator(_ version: FleetVersion) -> String { "W/\"\(version.text)\"" }

    private static func validator(_ version: FleetVersion, _ bytes: [UInt8]) -> String {
        validator(FleetRevision(epoch: version.epoch, version: version.declared, newest: version.declared), bytes)
    }

    /// Responds when the database answered.
    func ask(
        _ fleet: FleetView,
        _ request: HTTPRequest,
        _ body: (@escaping FleetAnswer) -> Void
    ) -> HTTPResponse {
        guard fleet.begin() else {
            let detail = "\(FleetView.maximumPending) requests are already waiting for the fleet's database."
            return Problem(kind: .overloaded, detail: detail, headers: Self.soon).response
        }
        return respond(to: request) { answer in
            body { result in
                fleet.end()
                switch result {
                case .success(let response): answer(response)
                case .failure(let fault): answer(Problem.unavailable(fault).response)
                }
            }
        }
    }

    /// Responds about what an id in the path names, when the database answered.
    ///
    /// - Parameter refusal: why an id can be nothing's: the database is not asked, and its texts cannot contain a NUL.
    func read(
        _ raw: String,
        _ request: HTTPRequest,
        _ fleet: FleetView,
        refusal: (_ id: String) -> Problem? = { TargetID.isValid($0) ? nil : .unknownTarget($0) },
        _ body: (_ id: String, @escaping FleetAnswer) -> Void
    ) -> HTTPResponse {
        guard let id = PercentDecoding.decode(raw[...].utf8, plusIsSpace: false) else {
            return Problem(kind: .badEncoding).response
        }
        return refusal(id)?.response ?? ask(fleet, request) { body(id, $0) }
    }
}

extension Problem {
    /// 503 while the fleet's database cannot be read.
    static func unavailable(_ fault: FleetFault) -> Problem {
        Problem(
            kind: .fleetUnavailable,
            detail: "\(fault.code): \(fault.message). scope=node answers without the database.",
            headers: RequestHandler.soon
        )
    }
}
