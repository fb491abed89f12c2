// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// A message as people read it in a chat: a title, a sentence, a few facts and a link.
struct MessageCard: Sendable {
    /// How it looks: a colour for services that have some, and a mark for those that only have text.
    enum Look: Sendable, Hashable, CaseIterable {
        case critical
        case warning
        case resolved
        case info

        /// A coloured circle.
        var mark: String {
            switch self {
            case .critical: "🔴"
            case .warning: "🟠"
            case .resolved: "🟢"
            case .info: "🔵"
            }
        }

        /// Red, green and blue.
        var color: UInt32 {
            switch self {
            case .critical: 0xD1_24_2F
            case .warning: 0xE1_6F_24
            case .resolved: 0x1F_88_3D
            case .info: 0x09_69_DA
            }
        }

        /// As in HTML: `#d1242f`.
        var hexadecimalColor: String {
            "#" + PrintableBytes.hexadecimal([16, 8, 0].map { UInt8(truncatingIfNeeded: color >> $0) })
        }
    }

    /// How it looks.
    let look: Look
    /// One line.
    let title: String
    /// What is wrong, or was; nil when the title says it all.
    let sentence: String?
    /// More, as pairs of a word and a text.
    let facts: [(name: String, text: String)]
    /// The incident on reachd's page, or the target without an incident; nil without a page.
    let link: String?
    /// The id, the same in each try.
    let id: String
    let at: Timestamp
    /// The message, for services that have fields for its parts.
    let message: Message

    /// Targets that a message names at most.
    private static let listLimit = 10
    /// The length of a link in bytes above which it is left out: services refuse long ones.
    private static let linkLimit = 2_000

    /// - Parameter externalURL: the URL of reachd's page; nil for no link.
    init(_ message: Message, externalURL: String? = nil) {
        self.message = message
        look =
            switch (message.incident?.phase, message.status) {
            case (.closed, _), (_, .resolved): .resolved
            case (.acknowledged, _), (_, .info): .info
            case (_, .firing): message.severity == .critical ? .critical : .warning
            }
        title = Self.title(of: message)
        sentence = Self.sentence(of: message)
        facts = Self.facts(of: message)
        link = externalURL.flatMap { Self.link(of: message, at: $0) }
        id = message.id
        at = message.at
    }

    /// The title with its mark.
    var markedTitle: String { "\(look.mark) \(title)" }

    /// Everything but the title, a line each.
    var lines: [String] { [sentence].compactMap(\.self) + facts.map { "\($0.name): \($0.text)" } }

    /// The lines, or the title without any, for services that need a text.
    var text: String { lines.isEmpty ? title : lines.joined(separator: "\n") }

    private static func link(of message: Message, at externalURL: String) -> String? {
        let base = externalURL.hasSuffix("/") ? String(externalURL.dropLast()) : externalURL
        let target = message.kind == .test ? nil : message.target.map { "#\(URLText.escaped($0.target))" }
        let incident = message.incident?.id.map { "?incident=\(URLText.escaped($0))" }
        let link = "\(base)/\(incident ?? target ?? "")"
        return link.utf8.count <= linkLimit ? link : nil
    }

    private static func title(of message: Message) -> String {
        switch message.kind {
        case .state, .outage: message.incident.map { title(of: $0, message) } ?? message.text
        case .certificate: "\(message.changes.first?.label ?? ""): another certificate"
        case .test: "Test of reachd"
        }
    }

    /// The incident's title with what is new.
    private static func title(of incident: MessageIncident, _ message: Message) -> String {
        let duration = incident.duration(at: message.at)
        switch incident.phase {
        case .opened: return incident.title
        case .updated: return "Update: \(incident.title)"
        case .acknowledged: return "Acknowledged: \(incident.title)"
        case .reminder: return "Still open: \(incident.title) (for \(duration))"
        case .closed:
            // What one target was is said; several need not have been the same.
            let state = incident.total == 1 ? message.changes.first?.from : nil
            let words = state.flatMap { $0.isProblem ? "\($0.rawValue) for" : nil } ?? "lasted"
            return "Resolved: \(incident.title) (\(words) \(duration))"
        }
    }

    private static func sentence(of message: Message) -> String? {
        switch message.kind {
        case .test: message.text
        case .certificate: message.target?.detail
        case .state:
            message.target.flatMap { $0.to == .up ? nil : $0.detail ?? $0.reason }
        case .outage: message.status == .firing ? message.changes.first.flatMap { $0.detail ?? $0.reason } : nil
        }
    }

    private static func facts(of message: Message) -> [(name: String, text: String)] {
        var facts: [(name: String, text: String)] = []
        func add(_ name: String, _ text: String?) {
            if let text, !text.isEmpty { facts.append((name, text)) }
        }
        let incident = message.kind == .test ? nil : message.incident
        if let incident, message.kind == .state, incident.total > 1 { add("Target", message.changes.first?.label) }
        if message.kind == .outage {
            let named = message.changes.prefix(listLimit).map(\.label)
            let others = message.count - named.count
            add("Targets", named.joined(separator: ", ") + (others > 0 ? " and \(others) more" : ""))
        }
        if let incident, incident.phase != .opened, incident.phase != .closed, incident.total > 1 {
            add("Failing now", "\(incident.failing) of \(incident.total) targets")
        }
        if message.status == .firing, message.causes.count == 1 { add("Cause", message.causes.first?.key.words) }
        let evidence = message.changes.first?.evidence
        add("Reported by", evidence?.offenderAddress)
        add("Path ends behind", evidence?.lastHop)
        add("Group", message.target?.group)
        add("Seen from", message.seenFrom)
        return facts
    }
}

extension StateCause {
    /// The cause in a few words.
    fileprivate var words: String {
        switch self {
        case .target: "the target itself"
        case .localNetwork: "this machine's network or its uplink"
        case .path: "a router or firewall on the path"
        case .dns: "DNS"
        case .parent: "a target that it depends on"
        case .`self`: "reachd itself"
        }
    }
}
