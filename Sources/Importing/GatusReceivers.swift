// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// Makes receivers of Gatus' alert providers, each for the endpoints that have an alert of its type.
struct GatusReceivers {
    /// An alert of an endpoint.
    struct Alert {
        /// The provider's name.
        let type: String
        /// What of it reachd does otherwise; noted once for all.
        var differences: Set<Difference> = []
    }

    /// What reachd does otherwise than an alert says.
    enum Difference: CaseIterable {
        case description
        case reminder
        case onlyTriggered
        case override

        fileprivate func words(_ count: Int) -> String {
            let alerts = count == 1 ? "1 alert" : "\(count) alerts"
            return switch self {
            case .description: "the description of \(alerts) is not carried over; messages say what is wrong"
            case .reminder: "minimum-reminder-interval of \(alerts) is not carried over"
            case .onlyTriggered: "the end of a problem is sent, too, also of \(alerts) without send-on-resolved"
            case .override: "provider-override of \(alerts) is not carried over"
            }
        }
    }

    private var endpoints = ReceiverAudience()
    private var users: [String: [ReceiverAudience.Member]] = [:]
    private var differences: [String: [Difference: Int]] = [:]

    /// Takes an imported endpoint with its enabled alerts.
    mutating func take(_ id: String, group: String?, _ alerts: [Alert]) {
        let endpoint = endpoints.add(id, group: group)
        for type in Set(alerts.map(\.type)) { users[type, default: []].append(endpoint) }
        for alert in alerts {
            for difference in alert.differences { differences[alert.type, default: [:]][difference, default: 0] += 1 }
        }
    }

    /// Adds the receivers.
    ///
    /// - Parameter node: `alerting` of the file; nil without it.
    mutating func finish(_ node: YAMLNode?, at root: YAMLNode, _ draft: inout ImportDraft) {
        var providers = ForeignMapping(node)
        var counts: [Difference: Int] = [:]
        for (type, users) in users.sorted(by: { $0.key < $1.key }) {
            let count = users.count == 1 ? "1 endpoint has" : "\(users.count) endpoints have"
            guard let place = providers?.take(type), let provider = ForeignMapping(place) else {
                draft.lose(
                    .receiver,
                    node ?? root,
                    "\(count) alerts of the type \(type), for which the file has no provider"
                )
                continue
            }
            receivers(type, provider, users, at: place, count, &draft)
            counts.merge(differences[type] ?? [:], uniquingKeysWith: +)
        }
        providers?.noteRest(of: "alerting, which no enabled alert uses", losing: nil, &draft)
        for difference in Difference.allCases {
            if let count = counts[difference] { draft.note(node ?? root, "\(same: difference.words(count))") }
        }
    }

    private func receivers(
        _ type: String,
        _ provider: ForeignMapping,
        _ users: [ReceiverAudience.Member],
        at place: YAMLNode,
        _ count: String,
        _ draft: inout ImportDraft
    ) {
        var provider = provider
        _ = provider.take("default-alert")
        var rest = users
        for node in provider.list("overrides") {
            guard var own = ForeignMapping(node), let group = own.text("group") else { continue }
            let chosen = rest.filter { $0.group == group }
            rest.removeAll { $0.group == group }
            guard !chosen.isEmpty else { continue }
            own.complete(by: provider)
            receiver(type, own, name: "\(type)-\(group)", chosen, at: node, count, &draft)
        }
        if !rest.isEmpty { receiver(type, provider, name: type, rest, at: place, count, &draft) }
    }

    private func receiver(
        _ type: String,
        _ provider: ForeignMapping,
        name: String,
        _ users: [ReceiverAudience.Member],
        at place: YAMLNode,
        _ count: String,
        _ draft: inout ImportDraft
    ) {
        var provider = provider
        var variables = GatusVariables()
        let name = draft.unique(name)
        let title: NoteText = "alerting.\(same: type)"
        let made = GatusProvider(type, &provider, name: name, &variables)
        guard let channel = made.channel else {
            return draft.lose(
                .receiver,
                place,
                "\(title) is not carried over: reachd has no such service; \(count) such alerts"
            )
        }
        var pairs: [(String, YAMLText)] = [("name", .text(name)), (channel.name, .mapping(channel.keys))]
        if let filter = endpoints.filter(users) { pairs.append(("filter", .mapping([filter]))) }
        provider.noteRest(of: title, &draft)
        for loss in made.losses { draft.note(place, "\(title): \(same: loss)") }
        let subject = NoteSubject(term: "the receiver", name: name)
        if draft.add(.mapping(pairs), to: "notify", name: subject, variables: variables, at: place) {
            for secret in made.secrets {
                draft.note(place, "put the value of \(same: secret.key) in the file \(same: secret.file)")
            }
        }
    }
}
