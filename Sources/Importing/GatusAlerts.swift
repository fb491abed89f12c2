// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// The alerts of Gatus' endpoints: their thresholds, and the providers that they name.
struct GatusAlerts {
    /// `alerting` of the file.
    private let providers: ForeignMapping?

    init(_ providers: ForeignMapping?) { self.providers = providers }

    private struct Thresholds: Equatable {
        var isEnabled: Bool?
        var failure: Int
        var success: Int

        init(_ alert: ForeignMapping?, _ title: NoteSubject, _ draft: inout ImportDraft) {
            var alert = alert
            isEnabled = alert?.boolean("enabled")
            failure = Self.count(alert?.take("failure-threshold"), title, &draft)
            success = Self.count(alert?.take("success-threshold"), title, &draft)
        }

        /// For Gatus an absent value and zero are the same.
        private static func count(_ node: YAMLNode?, _ title: NoteSubject, _ draft: inout ImportDraft) -> Int {
            guard let node, let text = node.text else { return 0 }
            if let count = Int(text) { return count }
            draft.lose(.setting, node, "\(title): the threshold \(text.quoted) is not a number and is not carried over")
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
    ///
    /// - Returns: The enabled alerts.
    func take(
        _ endpoint: inout ForeignMapping,
        _ probe: inout ImportedProbe,
        _ draft: inout ImportDraft
    ) -> [GatusReceivers.Alert] {
        guard let node = endpoint.take("alerts"), case .sequence(let items) = node.content else {
            if probe.type != "push" { probe.keys.append(("fall", .word("1"))) }
            return []
        }
        var enabled: [Thresholds] = []
        var found: [GatusReceivers.Alert] = []
        for item in items {
            guard var alert = ForeignMapping(item) else { continue }
            let type = alert.text("type") ?? ""
            var own = Thresholds(alert, probe.title, &draft)
            var providers = self.providers
            var provider = providers?.mapping(type)
            let standard = provider?.mapping("default-alert")
            own.complete(by: Thresholds(standard, probe.title, &draft))
            guard own.isEnabled == true else { continue }
            enabled.append(own)
            found.append(GatusReceivers.Alert(type: type, differences: Self.differences(alert, standard)))
        }
        let chosen = enabled.min { ($0.failure, $0.success) < ($1.failure, $1.success) }
        guard let chosen else {
            if probe.type != "push" { probe.keys.append(("fall", .word("1"))) }
            draft.note(node, "\(probe.title): alerts are not carried over; none of them is enabled")
            return []
        }
        // Gatus counts intervals without a call; in reachd a call has its grace, and the first missed one decides.
        guard probe.type != "push" else {
            draft.note(
                node,
                "\(probe.title): the thresholds of alerts are not carried over: a push target is down when a heartbeat is late by "
                    + "more than grace"
            )
            return found
        }
        probe.keys.append(("fall", .word("\(chosen.failure)")))
        probe.keys.append(("rise", .word("\(chosen.success)")))
        if enabled.contains(where: { $0 != chosen }) {
            draft.note(
                node,
                "\(probe.title): its alerts have different thresholds, but a target has one fall and one rise: the "
                    + "lowest failure-threshold is used, fall \(chosen.failure) and rise \(chosen.success)"
            )
        }
        return found
    }

    private static func differences(
        _ alert: ForeignMapping,
        _ standard: ForeignMapping?
    ) -> Set<GatusReceivers.Difference> {
        var (alert, standard) = (alert, standard)
        var differences: Set<GatusReceivers.Difference> = []
        if alert.take("description") ?? standard?.take("description") != nil { differences.insert(.description) }
        if alert.take("minimum-reminder-interval") ?? standard?.take("minimum-reminder-interval") != nil {
            differences.insert(.reminder)
        }
        if !(alert.boolean("send-on-resolved") ?? standard?.boolean("send-on-resolved") ?? false) {
            differences.insert(.onlyTriggered)
        }
        if alert.take("provider-override") != nil { differences.insert(.override) }
        return differences
    }
}
