// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing

/// A check as a plugin of Nagios, Icinga and their kin says it: one line with performance data, and a status of four.
struct NagiosReport {
    /// The statuses of the plugin interface.
    enum Status: Int32 {
        case ok = 0
        case warning = 1
        case critical = 2
        case unknown = 3

        var word: String {
            switch self {
            case .ok: "OK"
            case .warning: "WARNING"
            case .critical: "CRITICAL"
            case .unknown: "UNKNOWN"
            }
        }
    }

    let status: Status
    let line: String

    init(_ outcome: CheckOutcome, warning: CheckThresholds, critical: CheckThresholds) {
        let result = outcome.result
        var words = [TerminalText.safe(result.detail)]
        var status: Status
        switch result.outcome {
        case .success: status = .ok
        case .degraded: status = .warning
        case .failure:
            // What could not be judged from here is not known to be down.
            status = outcome.report.diagnosis?.cause == .target ? .critical : .unknown
            if let fault = outcome.fault { words.append(fault) }
        }
        if result.outcome != .failure {
            func raise(_ new: Status, _ text: String) {
                guard new.rawValue > status.rawValue else { return }
                status = new
                words.append(text)
            }
            for (level, bounds) in [(Status.critical, critical), (.warning, warning)] {
                if let bound = bounds.duration, result.responseTime > bound {
                    raise(level, "took longer than \(DurationFormatter.setting(bound.seconds))")
                }
                if let days = outcome.certificateDays, let bound = bounds.days, days < bound {
                    raise(level, "the certificates expire in \(days) days, fewer than \(bound)")
                }
            }
        }
        self.status = status
        let data = Self.data(outcome, warning, critical)
        // A bar begins the performance data.
        let text = Self.withoutBars(words.joined(separator: "; "))
        let subject = Self.withoutBars(TerminalText.safe(outcome.subject))
        line = "\(outcome.request.kind.name.uppercased()) \(status.word) - \(subject): \(text) | \(data)"
    }

    /// The line of a plugin that could find out nothing.
    static func unknown(_ words: String) -> String { "UNKNOWN - \(withoutBars(TerminalText.safe(words)))" }

    private static func withoutBars(_ text: String) -> String {
        text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "/")
    }

    /// `time=0.0123s;0.5;1;0;5 connect=0.0012s days=45;14:;7:`
    private static func data(
        _ outcome: CheckOutcome,
        _ warning: CheckThresholds,
        _ critical: CheckThresholds
    ) -> String {
        func text(_ duration: Duration?) -> String { duration.map { DurationFormatter.fixed($0.seconds, 6) } ?? "" }
        let result = outcome.result
        var data = [
            "time=\(text(result.responseTime))s;\(text(warning.duration));\(text(critical.duration));0;\(text(outcome.request.timeout))"
        ]
        for phase in ProbePhase.allCases {
            if let time = result.phases[phase] { data.append("\(phase.rawValue)=\(text(time))s;;;0") }
        }
        if let icmp = result.icmp { data.append("loss=\(DurationFormatter.fixed(icmp.loss * 100, 0))%;;;0;100") }
        if let http = result.http { data.append("size=\(http.bodySize)B;;;0") }
        for fact in ProbeKind.named(outcome.request.kind.name)?.description.facts ?? [] where fact.metric != nil {
            let name = "\(fact.name)"
            switch fact.value(result.answers) {
            case .duration(let time)?, .difference(let time)?:
                data.append("\(name.replacing("_seconds", with: ""))=\(DurationFormatter.fixed(time.seconds, 6))s")
            case .integer(let number)?: data.append("\(name)=\(number)")
            default: break
            }
        }
        if let days = outcome.certificateDays {
            // A range with a colon behind it is crossed from above.
            let bounds = [warning.days, critical.days].map { $0.map { "\($0):" } ?? "" }
            data.append("days=\(days);\(bounds[0]);\(bounds[1])")
        }
        return data.joined(separator: " ")
    }
}
