// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import JSON
package import NetworkPaths

/// A target's body: the same bytes in `/targets/{id}`, in a list and in events, but for what only the full detail has.
extension JSONWriter {
    /// - Parameters:
    ///   - detail: with `.full` also the basis of the decision and what Apple's interfaces say, which a list has on request.
    ///   - nextProbe: when its next probe is due, which no event and no list shows.
    ///   - traffic: this machine's connections to it; the same.
    package mutating func target(
        _ record: StatusRecord,
        fields: FieldSelection = .all,
        detail: ResultDetail,
        nextProbe: Timestamp? = nil,
        traffic: TargetTraffic? = nil
    ) {
        object { writer in
            let settings = record.target?.settings
            if let settings { writer.names(settings, fields: fields) }
            if fields.contains(.state) { writer.member("state", record.state.rawValue) }
            if fields.contains(.since) { writer.member("since", record.since) }
            if let reason = record.reason {
                if fields.contains(.reason) { writer.member("reason") { $0.reasonMembers(reason) } }
                if fields.contains(.cause), let cause = reason.cause { writer.member("cause", cause.rawValue) }
            }
            if let evaluation = record.evaluation { writer.evaluation(evaluation, fields: fields, detail: detail) }
            if let settings { writer.details(settings, fields: fields) }
            if let report = record.evaluation?.lastReport, fields.contains(.lastResult) {
                writer.member("last_result") { $0.resultMembers(report, detail: detail) }
            }
            writer.pathAndResolution(record.shownPath, supportsDNS: record.supportsDNS, fields: fields)
            if fields.contains(.sequence) { writer.member("sequence", record.sequence) }
            if detail == .full || fields.names(.systemConfiguration) {
                writer.member("system_configuration") { $0.systemConfigurationMembers(record.shownPath) }
            }
            if let nextProbe { writer.member("next_probe_at", nextProbe) }
            if let traffic { writer.member("traffic") { $0.trafficMembers(traffic) } }
        }
    }

    package mutating func declaration(_ settings: TargetSettings, fields: FieldSelection) {
        names(settings, fields: fields)
        details(settings, fields: fields)
    }

    package mutating func names(_ settings: TargetSettings, fields: FieldSelection) {
        member("id", settings.id)
        if fields.contains(.name) { member("name", settings.name ?? settings.id) }
    }

    /// The declaration without the names.
    package mutating func details(_ settings: TargetSettings, fields: FieldSelection) {
        if fields.contains(.kind) { member("kind", TargetKind(settings.request.target).rawValue) }
        if settings.hidesAddress {
            if fields.contains(.hideAddress) { member("hide_address", true) }
        } else {
            place(settings, fields: fields)
        }
        if let mark = settings.request.mark, fields.contains(.mark) { member("mark", mark) }
        if case .name = settings.request.target, fields.contains(.nameEvaluation) {
            member("name_judgement", settings.request.nameEvaluation.rawValue)
        }
        if !settings.hidesAddress, let port = settings.port, fields.contains(.port) { member("port", port) }
        if let group = settings.group, fields.contains(.group) { member("group", group) }
        if fields.contains(.tags) {
            member("tags") { writer in
                // Sorted, so that equal targets are equal bytes.
                for (name, value) in settings.tags.sorted(by: { $0.key < $1.key }) { writer.member(named: name, value) }
            }
        }
        if fields.contains(.dependsOn), !settings.dependsOn.isEmpty {
            key("depends_on")
            array(settings.dependsOn) { $0.string($1) }
        }
        if fields.contains(.probe), let probe = settings.probe {
            member("probe") { $0.probeMembers(probe, hidesAddress: settings.hidesAddress) }
        }
        if fields.contains(.origin) { member("origin", settings.origin.rawValue) }
        if let source = settings.source, fields.contains(.source) { member("source", source) }
        if settings.origin == .api, fields.contains(.persisted) { member("persisted", settings.isPersistent) }
    }

    private mutating func place(_ settings: TargetSettings, fields: FieldSelection) {
        switch settings.request.target {
        case .name(let host):
            if fields.contains(.host) { member("host", host) }
        case .address(let address, let interface):
            if fields.contains(.address) { member("address", address.description) }
            if let interface, fields.contains(.boundInterface) { member("bound_interface", interface) }
        case .pair(let local, let remote):
            if let remote, fields.contains(.address) { member("address", remote.description) }
            if let local, fields.contains(.localAddress) { member("local_address", local.description) }
        case .defaultPath(let family, let interface):
            if let interface, fields.contains(.boundInterface) { member("bound_interface", interface) }
            if let family, fields.contains(.family) { member("family", family == .ipv4 ? "ipv4" : "ipv6") }
        }
    }
}

/// The members of a target's body, in the order in which they are written; raw values are what `fields` takes.
package enum TargetField: String, Sendable, CaseIterable {
    case id, name, state, since, reason, cause, pending
    case isFlapping = "is_flapping"
    case kind
    case hideAddress = "hide_address"
    case host, address
    case localAddress = "local_address"
    case boundInterface = "bound_interface"
    case family, mark
    case nameEvaluation = "name_judgement"
    case port, group, tags
    case dependsOn = "depends_on"
    case probe, origin, source, persisted
    case lastResult = "last_result"
    case path, resolution, sequence
    case systemConfiguration = "system_configuration"
    /// Of a fleet's targets: which locations watch them, how the votes count, and the votes.
    case watch, quorum, votes
}

/// Which members of a target a client wants; the id is always among them.
package struct FieldSelection: Sendable, Hashable {
    /// Nil: all members.
    private let fields: Set<TargetField>?

    /// All members of the answer.
    package static let all = FieldSelection(fields: nil)

    private init(fields: Set<TargetField>?) {
        self.fields = fields
    }

    package init(_ fields: [TargetField]) {
        self.fields = Set(fields).union([.id])
    }

    package func contains(_ field: TargetField) -> Bool { fields?.contains(field) ?? true }

    /// Whether the client asks for a member that an answer has only on request.
    package func names(_ field: TargetField) -> Bool { fields?.contains(field) ?? false }
}

/// What a target is, in the contract's words.
package enum TargetKind: String, Sendable, CaseIterable {
    case name, address
    case addressPair = "address_pair"
    case defaultPath = "default"

    package init(_ target: PathTarget) {
        self =
            switch target {
            case .name: .name
            case .address: .address
            case .pair: .addressPair
            case .defaultPath: .defaultPath
            }
    }
}
