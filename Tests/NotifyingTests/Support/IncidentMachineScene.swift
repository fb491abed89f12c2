// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

@testable import Notifying

/// One receiver that is notified of incidents, in virtual time.
struct IncidentMachineScene {
    let incidents = ImitatedIncidents()
    private var machine: IncidentMachine
    private let settings: ReceiverSettings
    private var position = 0
    /// Milliseconds since 1970: 2026-11-18 at 11:46:40 UTC at first.
    private(set) var wall: Int64 = 1_795_002_400_000
    private var now: UInt64 = 1_000_000_000
    /// Whether the receiver refuses messages, as with the status 400.
    var isRefusing = false
    /// All messages, in order; one that is tried again counts again.
    private(set) var sent: [MessageReading] = []

    init(_ settings: ReceiverSettings, targets: Int = 3, group: String = "g") {
        self.settings = settings
        for number in 0..<targets { incidents.declare("t\(number)", group: group) }
        machine = IncidentMachine(settings, place: ReceiverOffset(floor: 0), incidents: incidents.forReceivers)
    }

    /// Why the messages were sent.
    var phases: [String] { sent.compactMap { $0.text("$.incident.phase") } }

    /// Where a restart would go on.
    var place: ReceiverOffset { machine.place }

    /// The only incident.
    var incident: String { incidents.forReceivers.list(since: Timestamp(milliseconds: 0)).first?.id ?? "" }

    mutating func fail(
        _ targets: Int...,
        cause: IncidentCause = IncidentCause(.silence, "198.51.100.1"),
        state: TargetState = .down
    ) {
        let distance: FaultDistance = cause.place == .target ? .target : cause.place == .path ? .route : .path
        incidents.happen(targets.map { "t\($0)" }, .failing(cause, distance, state), at: wall)
        turn()
    }

    /// The link is cut, for all targets.
    mutating func cut(_ targets: Range<Int>) {
        let names = targets.map { "t\($0)" }
        incidents.happen(names, .failing(IncidentCause(.link, "eth0"), .path, .unreachable), at: wall)
        turn()
    }

    mutating func recover(_ targets: Range<Int>) {
        incidents.happen(targets.map { "t\($0)" }, .up, at: wall)
        turn()
    }

    /// Their failures wait for the next results.
    mutating func doubt(_ targets: Range<Int>) {
        incidents.happen(targets.map { "t\($0)" }, .unjudged, at: wall)
        turn()
    }

    mutating func update(_ target: Int, group: String) {
        incidents.update("t\(target)", group: group, at: wall)
        turn()
    }

    mutating func certificate(_ previous: String, _ current: String, issuer: Bool = false) {
        incidents.certificate("t0", previous, current, issuer: issuer, at: wall)
        turn()
    }

    mutating func edit(_ body: (inout IncidentEdit) -> Void) {
        var edit = IncidentEdit()
        body(&edit)
        incidents.edit(incident, edit, at: wall)
        turn()
    }

    /// Lets time pass, and has the machine act when it wants to.
    mutating func pass(_ seconds: Int64) {
        let end = wall + seconds * 1_000
        while let deadline = machine.deadline(isCaughtUp: true) {
            let wait = Int64((max(deadline, now) - now + 999_999) / 1_000_000)
            guard wall + wait <= end else { break }
            advance(max(wait, 1))
            turn()
        }
        advance(max(0, end - wall))
        turn()
    }

    /// Ends reachd, and starts it again with what was stored.
    mutating func restart(_ settings: ReceiverSettings? = nil) {
        let place = ReceiverOffset(machine.place.description) ?? ReceiverOffset(floor: 0)
        incidents.restart()
        machine = IncidentMachine(settings ?? self.settings, place: place, incidents: incidents.forReceivers)
        position = Int(place.mark.floor)
        turn()
    }

    private mutating func advance(_ milliseconds: Int64) {
        wall += milliseconds
        now += UInt64(milliseconds) * 1_000_000
    }

    private mutating func turn() {
        let log = incidents.log
        machine.take(Array(log[position...]), now: now)
        position = log.count
        let moment = Timestamp(milliseconds: wall)
        machine.advance(now: now, at: moment, isCaughtUp: true)
        while let delivery = machine.next(now: now, at: moment) {
            sent.append(MessageReading(body: String(decoding: delivery.body, as: UTF8.self)))
            let refusal = DeliveryFailure(code: "http_400", detail: "")
            _ = machine.finish(delivery.token, isRefusing ? .refused(refusal) : .accepted(status: 200), now: now)
        }
    }
}
