// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// The alerts of Gatus' endpoints: the receivers are not imported, the thresholds are.
struct GatusAlerts {
    /// `alerting` of the file.
    private let providers: ForeignMapping?

    init(_ providers: ForeignMapping?) { self.providers = providers }

    private struct Thresholds: Equatable {
        var isEnabled: Bool?
        var failure: Int
        var success: Int

        init(_ alert: ForeignMapping?, _ title: String, _ draft: inout ImportDraft) {
            var alert = alert
            isEnabled = alert?.boolean("enabled")
            failure = Self.count(alert?.take("failure-threshold"), title, &draft)
            success = Self.count(alert?.take("success-threshold"), title, &draft)
        }

        /// For Gatus an absent value and zero are the same.
        private static func count(_ node: YAMLNode?, _ title: String, _ draft: inout ImportDraft) -> Int {
            guard let node, let text = node.text else { return 0 }
            if let count = Int(text) { return count }
            draft.note(node, "\(title): the threshold \(text.quoted) is not a number and is not carried over")
            return 0
        }

        /// An alert inherits from the default alert, and that from Gatus' defaults.
        mutating func complete(by standard: Thresholds) {
            isEnabled = isEnabled ?? standard.isEnabled ?? true
            if failure == 0 { failure = standard.failure }
            if success == 0 { success = standard.success }
            if failure <= 0 { failure = 3 }
            if success <= 0 { success = 2 }
        }
    }

    /// Takes an endpoint's alerts. In Gatus an endpoint without alerts is red at its first failure and green at its
    /// first success.
    func take(_ endpoint: inout ForeignMapping, _ probe: inout ImportedProbe, _ draft: inout ImportDraft) {
        guard let node = endpoint.take("alerts"), case .sequence(let items) = node.content else {
            if probe.type != "push" { probe.keys.append(("fall", .word("1"))) }
            return
        }
        var enabled: [Thresholds] = []
        for item in items {
            guard var alert = ForeignMapping(item) else { continue }
            let type = alert.text("type") ?? ""
            var own = Thresholds(alert, probe.title, &draft)
            var providers = self.providers
            var provider = providers?.mapping(type)
            own.complete(by: Thresholds(provider?.mapping("default-alert"), probe.title, &draft))
            if own.isEnabled == true { enabled.append(own) }
        }
        let chosen = enabled.min { ($0.failure, $0.success) < ($1.failure, $1.success) }
        guard let chosen else {
            if probe.type != "push" { probe.keys.append(("fall", .word("1"))) }
            return draft.note(node, "\(probe.title): alerts are not carried over; none of them is enabled")
        }
        // Gatus counts intervals without a call; in reachd a call has its grace, and the first missed one decides.
        guard probe.type != "push" else {
            return draft.note(
                node,
                "\(probe.title): alerts and their thresholds are not carried over: a push target is down when a heartbeat is "
                    + "late by more than grace"
            )
        }
        probe.keys.append(("fall", .word("\(chosen.failure)")))
        probe.keys.append(("rise", .word("\(chosen.success)")))
        draft.note(
            node,
            "\(probe.title): alerts are not carried over, only their thresholds; see notify, /events and "
                + "config/prometheus-rules.yaml"
        )
        if enabled.contains(where: { $0 != chosen }) {
            draft.note(
                node,
                "\(probe.title): its alerts have different thresholds, but a target has one fall and one rise: the "
                    + "lowest failure-threshold is used, fall \(chosen.failure) and rise \(chosen.success)"
            )
        }
    }
}
