// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO
internal import Monitoring

/// Since when the database cannot be used, and why. A value.
struct FaultRecord: Sendable {
    /// What cannot be done.
    enum Part: Sendable, Hashable, CaseIterable {
        /// To hold the lease: connect, register, renew.
        case lease
        /// To send reports.
        case reports
    }

    private var outages: [Part: NodeStanding.Outage] = [:]

    /// The outage: since the first fault, with the reason of the more important one.
    var outage: NodeStanding.Outage? {
        guard let first = outages.values.map(\.since).min() else { return nil }
        return (outages[.lease] ?? outages[.reports]).map { NodeStanding.Outage(since: first, fault: $0.fault) }
    }

    /// Takes a fault.
    mutating func note(_ fault: FleetFault, of part: Part, at time: Timestamp) {
        outages[part] = NodeStanding.Outage(since: outages[part]?.since ?? time, fault: fault)
    }

    /// The part works again.
    mutating func clear(_ part: Part) { outages[part] = nil }
}

extension FleetSession {
    func noteFault(_ fault: FleetFault, of part: FaultRecord.Part) {
        let before = faults.outage
        faults.note(fault, of: part, at: parts.wall.now())
        guard before?.fault.code != fault.code else { return }
        log(.warning, "the fleet's database cannot be used: \(fault.message)", ["reason": fault.code])
    }

    func clearFault(of part: FaultRecord.Part) {
        guard let before = faults.outage else { return }
        faults.clear(part)
        guard faults.outage == nil else { return }
        log(.info, "the fleet's database can be used again", ["since": "\(before.since)"])
    }
}
