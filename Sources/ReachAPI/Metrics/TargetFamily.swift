// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import NetworkPaths
import Probing
import ServerTrust
import Traffic

/// A metric with samples for each target.
struct TargetFamily: Sendable {
    let family: MetricFamily
    let write: @Sendable (inout MetricsWriter, TargetSample) -> Void

    init(
        _ name: StaticString,
        kind: MetricFamily.Kind = .gauge,
        _ help: StaticString,
        _ write: @escaping @Sendable (inout MetricsWriter, TargetSample) -> Void
    ) {
        family = MetricFamily(name, kind: kind, help)
        self.write = write
    }

    static let all = targets + paths + probes + traffic + certificates

    // MARK: States

    private static let targets: [TargetFamily] = [
        TargetFamily(
            "reachd_target",
            kind: .info,
            "Declaration of a target; tags have the prefix tag_."
        ) {
            writer,
            sample in
            let settings = sample.settings
            writer.open(sample.labels)
            writer.label("name", settings.name ?? settings.id)
            writer.label("kind", TargetKind(settings.request.target).rawValue)
            if let group = settings.group { writer.label("group", group) }
            writer.label("origin", settings.origin.rawValue)
            if let probe = settings.probe { writer.label("probe", probe.type) }
            for (name, value) in TagLabels.labels(of: settings.tags) { writer.label(named: name, value) }
            writer.close(1)
        },
        TargetFamily("reachd_target_state", "State of a target: 1 for the current state, 0 for the others.") {
            writer,
            sample in
            for state in TargetState.allCases {
                writer.open(sample.labels)
                writer.label("state", state.rawValue)
                writer.close(state == sample.record.state ? 1 : 0)
            }
        },
        TargetFamily("reachd_target_state_changed_timestamp_seconds", "When a target entered its state.") {
            $0.sample($1.labels, $1.record.since)
        },
        TargetFamily("reachd_target_transitions", kind: .counter, "Number of changes of a target to each state.") {
            writer,
            sample in
            for state in TargetState.allCases {
                let count = sample.record.transitions[state]
                // A counter that begins at 1 hides its first step; these states are the ones in use.
                guard count > 0 || [.up, .degraded, .down, .unreachable].contains(state) else { continue }
                writer.open(sample.labels)
                writer.label("to", state.rawValue)
                writer.close(count)
            }
        },
        TargetFamily("reachd_target_reachable", "Whether packets can leave for a target.") {
            $0.sample($1.labels, $1.record.status.isReachable ? 1 : 0)
        },
        TargetFamily(
            "reachd_target_status_code",
            "Status of a target: -1 unknown, 0 not reachable, 1 via WWAN, 2 via Wi-Fi or another local network."
        ) {
            $0.sample($1.labels, $1.record.status.rawValue)
        },
        TargetFamily(
            "reachd_target_offender",
            "Host that reported by ICMP why the packets to a failed target do not arrive; absent without a report."
        ) { writer, sample in
            guard let offender = sample.record.reason?.offender else { return }
            writer.open(sample.labels)
            if let address = offender.address { writer.label("address", address.description) }
            writer.label("role", offender.role.rawValue)
            writer.label("icmp_type", String(offender.message.type))
            writer.label("icmp_code", String(offender.message.code))
            writer.close(1)
        },
        TargetFamily("reachd_target_flapping", "Whether a target's results change too often for a stable state.") {
            guard $1.settings.probe != nil else { return }
            $0.sample($1.labels, $1.record.evaluation?.isFlapping == true ? 1 : 0)
        },
    ]

    // MARK: Paths

    private static let paths: [TargetFamily] = [
        TargetFamily("reachd_target_path", kind: .info, "Path to a target.") { writer, sample in
            guard let path = sample.record.path else { return }
            writer.open(sample.labels)
            writer.pathLabels(path)
            writer.close(1)
        },
        TargetFamily("reachd_target_path_flags", "SCNetworkReachabilityFlags of the path, as a number.") {
            if let path = $1.record.path { $0.sample($1.labels, path.flags.rawValue) }
        },
        TargetFamily("reachd_target_path_generation", "Number that grows with each change of the path.") {
            if let path = $1.record.path { $0.sample($1.labels, path.generation) }
        },
    ]

    // MARK: Probes

    /// The bounds of ``Monitoring/ProbeCounters/bounds`` in seconds; a test compares the two.
    static let durationBounds: [StaticString] = [
        "0.001", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1.0", "2.5", "5.0", "10.0", "+Inf",
    ]

    private static let probes: [TargetFamily] = [
        TargetFamily("reachd_probe_duration_seconds", kind: .histogram, "Duration of a target's probes.") {
            guard $1.settings.probe?.isPassive == false else { return }
            if let tally = $1.record.evaluation?.tally { $0.histogram(tally, $1.labels, bounds: durationBounds) }
        },
        TargetFamily("reachd_probe_results", kind: .counter, "Results of a target's probes.") { writer, sample in
            guard let tally = sample.record.evaluation?.tally else { return }
            for outcome in ProbeOutcome.allCases {
                writer.open(sample.labels)
                writer.label("outcome", outcome.rawValue)
                writer.close(tally[outcome])
            }
        },
        TargetFamily("reachd_probe_interval_seconds", "Interval of a target's probes or heartbeats.") {
            if let plan = $1.record.target?.settings.probe { $0.sample($1.labels, plan.verdict.interval) }
        },
        TargetFamily("reachd_probe_last_success", "Whether a target's last probe succeeded, possibly degraded.") {
            if let result = $1.report?.result { $0.sample($1.labels, result.outcome == .failure ? 0 : 1) }
        },
        TargetFamily("reachd_probe_last_timestamp_seconds", "When a target's last probe ended.") {
            if let report = $1.report { $0.sample($1.labels, report.at) }
        },
        TargetFamily("reachd_probe_last_duration_seconds", "Duration of a target's last probe.") {
            if let report = $1.report, !report.isPassive { $0.sample($1.labels, report.result.duration) }
        },
        TargetFamily("reachd_probe_last_phase_seconds", "Duration of each phase of a target's last probe.") {
            writer,
            sample in
            guard let phases = sample.report?.result.phases else { return }
            for phase in ProbePhase.allCases {
                guard let time = phases[phase] else { continue }
                writer.open(sample.labels)
                writer.label("phase", phase.rawValue)
                writer.close(nanoseconds: time.nanoseconds)
            }
        },
        TargetFamily("reachd_probe_last_loss_ratio", "Share of a target's last echo requests without a reply.") {
            if let icmp = $1.report?.result.icmp {
                $0.open($1.labels)
                $0.close(icmp.loss)
            }
        },
    ]

    // MARK: Certificates

    private static let certificates: [TargetFamily] = [
        TargetFamily(
            "reachd_certificate_expiry_timestamp_seconds",
            "When a target's trust expires: leaf, earliest certificate sent, verified chain, pins."
        ) { writer, sample in
            guard let expiry = sample.report?.result.tls?.trust.expiry else { return }
            let times: [(StaticString, Int64?)] = [
                ("leaf", expiry.leaf), ("earliest_sent", expiry.earliestSent), ("verified_chain", expiry.verifiedChain),
                ("pins", expiry.pins),
            ]
            for (name, time) in times {
                guard let time else { continue }
                writer.open(sample.labels)
                writer.label("certificate", name)
                writer.close(time)
            }
        },
        TargetFamily("reachd_certificate_trusted", "Whether a target's certificates have no faults.") {
            if let tls = $1.report?.result.tls { $0.sample($1.labels, tls.isTrusted ? 1 : 0) }
        },
    ]
}

extension MetricsWriter {
    /// Writes the labels of a path.
    mutating func pathLabels(_ path: NetworkPath) {
        label("status", path.status.rawValue)
        if let reason = path.unsatisfiedReason { label("unsatisfied_reason", reason.rawValue) }
        if let interface = path.interface {
            label("interface", interface.name)
            label("interface_type", interface.type.rawValue)
        }
        if let gateway = path.gateway { label("gateway", gateway.description) }
        if let source = path.sourceAddress { label("source_address", source.description) }
    }
}

/// A target at one moment, for the metrics. A class, because fifty families receive it.
final class TargetSample {
    let record: StatusRecord
    let settings: TargetSettings
    /// `target="…"`
    let labels: [UInt8]

    /// Nil for the machine's own network.
    /// - Parameter traffic: this machine's connections with a target.
    init?(_ record: StatusRecord, traffic: (String) -> TrafficSummary?) {
        guard let settings = record.target?.settings else { return nil }
        self.record = record
        self.settings = settings
        report = record.evaluation?.lastReport
        self.traffic = traffic(settings.id).flatMap { $0 == TrafficSummary() ? nil : $0 }
        labels = MetricsWriter.labels { $0.label("target", settings.id) }
    }

    /// This machine's connections with it; nil without any.
    let traffic: TrafficSummary?
    /// The last result.
    let report: ProbeReport?

    /// The last result in blackbox_exporter's terms; nil for targets without active probes, and paused ones.
    ///
    /// While no packet can leave for the target it is not probed, and the last result may be an old success, although a
    /// probe now would fail.
    var probe: ProbeSample? {
        guard case .ask(let request)? = settings.probe?.method, let report, let basis = record.evaluation?.basis,
            basis != .paused
        else { return nil }
        let canBeAsked = basis != .path && basis != .parent
        return ProbeSample(labels: labels, request: request, result: report.result, canBeAsked: canBeAsked)
    }
}

/// Tags as labels.
enum TagLabels {
    /// Tags as labels with their values, in a stable order.
    ///
    /// A label's name has only letters, digits and `_`. Other characters of a tag's name become `_`; if two names
    /// become equal, those after the first get a number.
    static func labels(of tags: [String: String]) -> [(name: String, value: String)] {
        var taken: Set<String> = []
        return tags.sorted { $0.key < $1.key }.map { key, value in
            let name = "tag_" + name(of: key)
            var unique = name
            var number = 2
            while !taken.insert(unique).inserted {
                unique = "\(name)_\(number)"
                number += 1
            }
            return (unique, value)
        }
    }

    private static func name(of tag: String) -> String {
        String(
            decoding: tag.utf8.map { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: byte
                default: UInt8(ascii: "_")
                }
            },
            as: UTF8.self
        )
    }
}
