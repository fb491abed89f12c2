// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// What a reason names besides its code and sentence: the host that reported the fault, and where a trace of the path ended.
struct FaultEvidence: Sendable, Hashable {
    /// `offender` of the reason, as the event has it.
    let offender: [UInt8]?
    /// `trace` of the reason, as the event has it.
    let trace: [UInt8]?

    /// The size of each part above which it is left out; events of reachd have less.
    static let sizeLimit = 1_024

    /// Reads a reason; nil when it has neither.
    ///
    /// - Parameter reason: The JSON object; anything else has no evidence.
    init?(reason: [UInt8]) {
        guard let members = try? JSONReader.members(of: reason) else { return nil }
        func part(_ name: String) -> [UInt8]? {
            guard let part = members[name], part.count <= Self.sizeLimit, part.first == UInt8(ascii: "{") else {
                return nil
            }
            return Array(part)
        }
        offender = part("offender")
        trace = part("trace")
        if offender == nil, trace == nil { return nil }
    }

    /// Reads the reason of a record.
    init?(_ reason: StateReason) {
        var writer = JSONWriter()
        writer.object { $0.reasonMembers(reason) }
        self.init(reason: writer.bytes)
    }

    /// The address of the host that reported the fault.
    var offenderAddress: String? { Self.address(in: offender) }

    /// The address of the last hop that answered.
    var lastHop: String? { Self.address(in: Self.member("last_hop", of: trace)) }

    /// The address of the hop that followed it before.
    var nextHop: String? { Self.address(in: Self.member("next_hop", of: trace)) }

    private static func member(_ name: String, of object: [UInt8]?) -> [UInt8]? {
        object.flatMap { try? JSONReader.members(of: $0) }?[name].map { Array($0) }
    }

    private static func address(in object: [UInt8]?) -> String? {
        member("address", of: object).flatMap { try? JSONReader.text(of: $0[...]) }
    }
}

extension JSONWriter {
    /// The members of a reason's evidence.
    mutating func members(of evidence: FaultEvidence) {
        if let offender = evidence.offender {
            key("offender")
            value(rendered: offender)
        }
        if let trace = evidence.trace {
            key("trace")
            value(rendered: trace)
        }
    }
}
