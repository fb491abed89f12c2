// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// What a template may name between `{{` and `}}`.
enum TemplateField: Sendable, Hashable {
    case id
    case type
    case status
    case severity
    case text
    case at
    case target
    case targetName
    case group
    case tag(String)
    case tags
    case from
    case to
    case reasonCode
    case reasonDetail
    case offender
    case lastHop
    case nextHop
    case cause
    case count
    case seenFrom
    case targets
    case duration
    case link
    case incidentID
    case incidentKey
    case incidentTitle
    case incidentPhase
    case incidentSince
    case incidentTotal
    case incidentFailing
    case message
    /// Two braces that open, as text.
    case braces

    /// A field's value.
    enum Value {
        case text(String)
        case number(String)
        /// A whole JSON value.
        case json([UInt8])
        case nothing
    }

    static let words: [String: TemplateField] = [
        "id": .id, "type": .type, "status": .status, "severity": .severity, "text": .text, "at": .at,
        "target.id": .target, "target.name": .targetName, "target.group": .group, "target.tags": .tags, "from": .from,
        "to": .to,
        "reason.code": .reasonCode, "reason.detail": .reasonDetail,
        "reason.offender.address": .offender, "reason.trace.last_hop.address": .lastHop,
        "reason.trace.next_hop.address": .nextHop, "cause": .cause, "count": .count,
        "seen_from": .seenFrom, "targets": .targets, "message": .message,
        "duration": .duration, "link": .link, "incident.id": .incidentID, "incident.key": .incidentKey,
        "incident.title": .incidentTitle, "incident.phase": .incidentPhase, "incident.since": .incidentSince,
        "incident.total": .incidentTotal, "incident.failing": .incidentFailing, "open": .braces,
    ]

    /// The words that the field can have, if they are fixed: these can be replaced by others.
    var fixedWords: [String]? {
        switch self {
        case .type: Message.Kind.allCases.map(\.rawValue)
        case .status: Message.Status.allCases.map(\.rawValue)
        case .severity: Severity.allCases.map(\.rawValue)
        case .from, .to: TargetState.allCases.map(\.rawValue)
        case .cause: StateCause.allCases.map(\.rawValue)
        case .incidentPhase: MessageIncident.Phase.allCases.map(\.rawValue)
        default: nil
        }
    }

    init(_ name: String) throws(TemplateError) {
        if let field = Self.words[name] {
            self = field
        } else if name.hasPrefix("target.tags."), name.utf8.count > 12 {
            self = .tag(String(name.dropFirst(12)))
        } else {
            let names = Self.words.keys.sorted().joined(separator: ", ")
            let shown = name.utf8.count <= 64 && name.utf8.allSatisfy { (0x20..<0x7F).contains($0) } ? " \(name)" : ""
            throw TemplateError("there is no field\(shown)", hint: "fields are \(names) and target.tags.NAME")
        }
    }

    /// - Parameter externalURL: the URL of reachd's page; nil for no link.
    func value(of message: Message, externalURL: String?) -> Value {
        switch self {
        case .id: .text(message.id)
        case .type: .text(message.kind.rawValue)
        case .status: .text(message.status.rawValue)
        case .severity: .text(message.severity.rawValue)
        case .text: .text(message.text)
        case .at: .text(message.at.description)
        case .target: Self.optional(message.target?.target)
        case .targetName: Self.optional(message.target?.label)
        case .group: Self.optional(message.target?.group)
        case .tag(let name): Self.optional(message.target?.tags[name])
        case .tags: .json(Self.json { $0.object(texts: message.target?.tags ?? [:]) })
        case .from: Self.optional(message.target?.from.rawValue)
        case .to: Self.optional(message.target?.to.rawValue)
        case .reasonCode: Self.optional(message.target?.reason)
        case .reasonDetail: Self.optional(message.target?.detail)
        case .offender: Self.optional(message.target?.evidence?.offenderAddress)
        case .lastHop: Self.optional(message.target?.evidence?.lastHop)
        case .nextHop: Self.optional(message.target?.evidence?.nextHop)
        case .cause: Self.optional(message.causes.count == 1 ? message.causes.first?.key.rawValue : nil)
        case .count: .number("\(message.count)")
        case .seenFrom: Self.optional(message.seenFrom)
        case .targets: .json(Self.json { MessageBody.targets(of: message, to: &$0) })
        case .duration: Self.optional(message.incident?.duration(at: message.at))
        case .link: Self.optional(MessageCard(message, externalURL: externalURL).link)
        case .incidentID: Self.optional(message.incident?.id)
        case .incidentKey: Self.optional(message.incident?.key)
        case .incidentTitle: Self.optional(message.incident?.title)
        case .incidentPhase: Self.optional(message.incident?.phase.rawValue)
        case .incidentSince: Self.optional(message.incident?.openedAt.description)
        case .incidentTotal: Self.optional(number: message.incident?.total)
        case .incidentFailing: Self.optional(number: message.incident?.failing)
        case .message: .json(MessageBody.render(message))
        case .braces: .text("{{")
        }
    }

    private static func optional(_ text: String?) -> Value { text.map(Value.text) ?? .nothing }

    private static func optional(number: Int?) -> Value { number.map { Value.number("\($0)") } ?? .nothing }

    private static func json(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        body(&json)
        return json.bytes
    }
}
