// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Probing

/// What shows why a target fails.
package enum IncidentEvidence: Sendable, Hashable {
    /// The reason of this node's own verdict. `trigger`: the interface whose change led to it, if one did.
    case local(StateReason, trigger: String? = nil)
    /// What a node of a fleet reported.
    case reported(IncidentFault)

    /// The reason as a stable code.
    var code: String {
        switch self {
        case .local(let reason, _): reason.code.rawValue
        case .reported(let fault): fault.code
        }
    }

    /// The reason in a sentence.
    var detail: String {
        switch self {
        case .local(let reason, _): reason.detail
        case .reported(let fault): fault.detail
        }
    }

    /// The interface at fault, or whose change led to it.
    var interface: String? {
        switch self {
        case .local(let reason, let trigger): reason.interface ?? trigger
        case .reported(let fault): fault.interface
        }
    }

    /// Whether ``interface`` is that of the change which led to it, and the path has none.
    var hasTriggerInterface: Bool {
        if case .local(let reason, .some) = self { reason.interface == nil } else { false }
    }

    /// Where a trace ended: `(hop 2 of 4)` with the number of the target's hop, or without it; empty when it is not known.
    var hopWords: String {
        let (hop, length) = traceEnd
        return hop.map { " (hop \($0)" + (length.map { " of \($0)" } ?? "") + ")" } ?? ""
    }

    /// The number of the hop at fault; nil when it is not known.
    var hop: Int? {
        if let hop = traceEnd.hop { return hop }
        if case .local(let reason, _) = self { return reason.offender?.message.hops }
        return nil
    }

    private var traceEnd: (hop: Int?, length: Int?) {
        switch self {
        case .local(let reason, _): (reason.pathEnd?.lastHop?.hop, reason.pathEnd?.length)
        case .reported(let fault): fault.hops
        }
    }

    /// Writes the members of the reason.
    func writeReason(to writer: inout JSONWriter) {
        switch self {
        case .local(let reason, _): writer.reasonMembers(reason)
        case .reported(let fault): writer.members(rendered: fault.reason)
        }
    }
}

/// Why a target of a fleet fails as one node sees it: what the node reports beside its vote, so that the fleet's incidents have causes,
/// titles and evidence.
package struct IncidentFault: Sendable, Hashable {
    /// The cause that other targets may share.
    package let cause: IncidentCause
    /// How far the probe got.
    package let distance: FaultDistance
    /// Whether the cause is inferred from missing replies.
    package let isInferred: Bool
    /// What people call the target; nil for the id.
    package let name: String?
    /// The reason's code.
    package let code: String
    /// The reason in a sentence.
    package let detail: String
    /// The interface at fault, or whose change led to it.
    package let interface: String?
    /// The members of the target's reason, in JSON without the braces.
    package let reason: [UInt8]

    /// The longest stored form that is read, in bytes; one that is longer is not reported.
    package static let sizeLimit = 8_192

    /// About how many bytes ``stored`` has.
    package var size: Int { reason.count + cause.subject.utf8.count + (name?.utf8.count ?? 0) + 96 }

    /// What a record shows; nil when the target does not fail, or is not judged.
    package init?(_ record: StatusRecord) {
        guard let observation = IncidentObservation(record, at: record.since),
            case .failing(let cause, let distance, _) = observation.condition, let evidence = observation.evidence
        else { return nil }
        var writer = JSONWriter(reserving: 256)
        writer.object { evidence.writeReason(to: &$0) }
        self.init(
            cause: cause,
            distance: distance,
            isInferred: observation.isInferred,
            name: observation.name,
            code: evidence.code,
            detail: evidence.detail,
            interface: evidence.interface,
            reason: Array(writer.bytes.dropFirst().dropLast())
        )
    }

    /// Creates a fault without more evidence than a vote has.
    ///
    /// - Parameters:
    ///   - cause: the cause.
    ///   - distance: how far the probe got.
    ///   - code: the reason's code; nil for none.
    ///   - detail: the reason in a sentence; nil for none.
    package init(_ cause: IncidentCause, _ distance: FaultDistance, code: String?, detail: String?) {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.member("code", code ?? "")
            writer.member("detail", detail ?? "")
        }
        self.init(
            cause: cause,
            distance: distance,
            isInferred: cause.kind.isInferred,
            name: nil,
            code: code ?? "",
            detail: detail ?? "",
            interface: nil,
            reason: Array(writer.bytes.dropFirst().dropLast())
        )
    }

    private init(
        cause: IncidentCause,
        distance: FaultDistance,
        isInferred: Bool,
        name: String?,
        code: String,
        detail: String,
        interface: String?,
        reason: [UInt8]
    ) {
        self.cause = cause
        self.distance = distance
        self.isInferred = isInferred
        self.name = name
        self.code = code
        self.detail = detail
        self.interface = interface
        self.reason = reason
    }

    /// The fault as a fleet has it that learned of it from a node.
    ///
    /// - Parameter node: the node's name.
    package func seen(by node: String) -> IncidentFault {
        IncidentFault(
            cause: cause.seen(by: node),
            distance: distance,
            isInferred: isInferred,
            name: name,
            code: code,
            detail: detail,
            interface: interface,
            reason: reason
        )
    }

    /// The last hop of the trace, and the target's.
    fileprivate var hops: (Int?, Int?) {
        let bytes = Array("{".utf8) + reason + Array("}".utf8)
        let trace = (try? JSONValue(reading: bytes, limits: JSONLimits(values: 256)))?.member("trace")
        let bounds: ClosedRange<Int64> = 1...255
        return (
            trace?.member("last_hop")?.whole("hop", bounds).map { Int($0) },
            trace?.whole("length", bounds).map { Int($0) }
        )
    }

    /// The stored form: a JSON object.
    package var stored: [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            writer.storedMembers(cause)
            writer.member("distance", Int(distance.rawValue))
            if isInferred { writer.member("inferred", true) }
            if let name { writer.member("name", name) }
            if let interface { writer.member("interface", interface) }
            writer.key("reason")
            writer.value(rendered: Array("{".utf8) + reason + Array("}".utf8))
        }
        return writer.bytes
    }

    /// Reads the stored form; nil for anything else.
    package init?(stored bytes: [UInt8]) {
        guard bytes.count <= Self.sizeLimit, bytes.allSatisfy({ $0 >= 0x20 }),
            let members = try? JSONReader.members(of: bytes), let reason = members["reason"].map({ Array($0) }),
            reason.first == UInt8(ascii: "{"), let reasons = try? JSONReader.members(of: reason),
            let code = reasons["code"].flatMap({ try? JSONReader.text(of: $0) }),
            let detail = reasons["detail"].flatMap({ try? JSONReader.text(of: $0) }),
            let value = try? JSONValue(reading: bytes, limits: JSONLimits(values: 256)),
            let cause = IncidentCause(stored: value),
            let distance = value.whole("distance", 0...Int64(UInt8.max)).flatMap({ FaultDistance(rawValue: UInt8($0)) })
        else { return nil }
        self.init(
            cause: IncidentCause(cause.kind, cause.subject),
            distance: distance,
            isInferred: value.isTrue("inferred") || cause.kind.isInferred,
            name: value.text("name"),
            code: code,
            detail: detail,
            interface: value.text("interface"),
            reason: Array(reason.dropFirst().dropLast())
        )
    }
}
