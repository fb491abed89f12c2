// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import Probing
package import Schema

/// The declared settings that all types of probes share, not yet checked against each other.
struct DeclaredProbe: Sendable {
    private static let standard = VerdictSettings.standard

    var interval = standard.interval
    var timeout: Duration?
    var fall = standard.fall
    var rise = standard.rise
    var confirmInterval: Duration?
    var backoffPercent = 0
    var maximumInterval: Duration?
    var jitterPercent = 10
    var detectsFlapping = true
    /// For traffic: how many attempts in a row have to fail.
    var attempts = standard.fall
    var grace: Duration?
    var maximumAge: Duration = .seconds(300)
    var family = ProbeFamily.any
    var addresses = AddressChoice.first
    var source: IPAddress?
    var interface: String?

    /// The keys, in the order of the documentation.
    static let keys: [Setting<Self>] = [
        Setting(
            "interval",
            \.interval,
            .duration(milliseconds: 100...604_800_000),
            synonyms: ["period", "inter", "every", "period_seconds"],
            "The time from the start of one probe to that of the next; for push, between calls;"
                + " for traffic, between evaluations without a change."
        ),
        Setting(
            "timeout",
            \.timeout,
            .duration(milliseconds: 1...3_600_000),
            synonyms: ["deadline", "timeout_seconds"],
            "How long a probe may take, including name resolution; at most the interval. Default: 5s, or the interval "
                + "if that is shorter."
        ).only(in: ConfigurationSchema.asking),
        Setting(
            "fall",
            \.fall,
            .integer(1...100),
            synonyms: ["failure_threshold", "unhealthy_threshold", "retries"],
            "How many failures in a row make the target down. For traffic, failed attempts in a row"
                + " while none succeeds. Default for push: 1, since grace already allows a delay."
        ),
        Setting(
            "rise",
            \.rise,
            .integer(1...100),
            synonyms: ["success_threshold", "healthy_threshold"],
            "How many successes in a row make it up again; the very first success counts at once. Default for push and"
                + " traffic: 1."
        ),
        Setting(
            "confirm_interval",
            \.confirmInterval,
            .duration(milliseconds: 100...604_800_000),
            synonyms: ["fastinter", "retry_interval"],
            "The interval while a change of state is being confirmed. Default: 5s, or the interval if that is shorter."
        ),
        Setting(
            "backoff_percent",
            \.backoffPercent,
            .integer(0...900),
            synonyms: ["backoff", "downinter"],
            "By how many percent the interval grows with each failure while the target is down."
        ),
        Setting(
            "max_interval",
            \.maximumInterval,
            .duration(milliseconds: 100...604_800_000),
            synonyms: ["backoff_limit"],
            "The longest interval that backoff_percent leads to. Default: 5m, or the interval if that is longer."
        ),
        Setting(
            "jitter_percent",
            \.jitterPercent,
            .integer(0...25),
            synonyms: ["jitter"],
            "The maximum shift of each probe, earlier or later, in percent of the interval."
        ),
        Setting(
            "flap_detection",
            \.detectsFlapping,
            .boolean,
            synonyms: ["flapping"],
            "Whether a target whose results change all the time is reported as flapping."
        ),
        Setting(
            "grace",
            \.grace,
            .duration(milliseconds: 0...604_800_000),
            synonyms: ["grace_period"],
            "How late a call may be: the target is down interval + grace after the last call. Default: half the "
                + "interval."
        ).only(in: [ConfigurationSchema.push]),
        Setting(
            "max_age",
            \.maximumAge,
            .duration(milliseconds: 1_000...3_600_000),
            synonyms: ["window", "stale_after"],
            "After how long without any connection of this machine the target is unknown."
        ).only(in: [ConfigurationSchema.traffic]),
        Setting(
            "family",
            \.family,
            .choice([
                .init("any"), .init("ipv4", synonyms: ["ip4", "inet"]), .init("ipv6", synonyms: ["ip6", "inet6"]),
                .init("both"), .init("4"), .init("6"),
            ]),
            synonyms: ["ip_version", "ip_protocol", "preferred_ip_protocol"],
            "Which addresses of a name are probed: of any family, of one, or of both; 4 is ipv4, 6 is ipv6."
        ).only(in: ConfigurationSchema.asking),
        Setting(
            "addresses",
            \.addresses,
            .choice([.init("first"), .init("any"), .init("all")]),
            "How many of these addresses are probed: only the first, one after another until one answers, or each "
                + "separately (if some fail, the target is degraded)."
        ).only(in: ConfigurationSchema.asking),
        Setting(
            "source_address",
            \.source,
            .text(.address),
            synonyms: ["source_ip", "source", "source_ip_address"],
            "The local address to probe from."
        ).only(in: ConfigurationSchema.asking),
        Setting(
            "interface",
            \.interface,
            .text(.interfaceName),
            synonyms: ["device", "source_interface"],
            "The interface to probe through. Default: the target's."
        ).only(in: ConfigurationSchema.asking),
    ]

    /// Reads the settings of a mapping.
    init(_ object: ValidatedMapping) {
        Self.keys.read(object, into: &self)
        if object.text("type") == ConfigurationSchema.traffic {
            // Attempts are counted, and one evaluation of them decides.
            (attempts, fall) = (fall, 1)
            if !object.isWritten("rise") { rise = 1 }
            return
        }
        guard object.text("type") == ConfigurationSchema.push else { return }
        // A call is sent by the target, and grace already allows delays: a single missed or received call decides.
        if !object.isWritten("fall") { fall = 1 }
        if !object.isWritten("rise") { rise = 1 }
    }

    /// The defaults.
    init() {}

    /// The settings of the health state machine.
    ///
    /// - Throws: the first setting that does not fit the others.
    func verdict() throws(VerdictSettingsError) -> VerdictSettings {
        try VerdictSettings(
            fall: fall,
            rise: rise,
            interval: interval,
            confirmInterval: confirmInterval,
            backoffFactor: 1 + Double(backoffPercent) / 100,
            maximumInterval: maximumInterval,
            flapDetection: detectsFlapping ? .standard : nil
        )
    }
}

extension ProbeFamily: SettingValue {
    /// Reads the names, `4` and `6`.
    package init?(checked value: ValidatedValue) {
        switch String(checked: value) {
        case "4"?: self = .ipv4
        case "6"?: self = .ipv6
        case let word?: self.init(rawValue: word)
        case nil: return nil
        }
    }
}

extension AddressChoice: SettingValue {}

extension IPAddress: SettingValue {
    package init?(checked value: ValidatedValue) {
        guard case .address(let address, _) = value else { return nil }
        self = address
    }

    package func written(as type: FieldType) -> String? { description }
}
