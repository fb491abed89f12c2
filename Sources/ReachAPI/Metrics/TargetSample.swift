// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing

/// A target at one moment, as the metrics tell of it. A class, because each of fifty families is handed it.
final class TargetSample {
    let record: StatusRecord
    let settings: TargetSettings
    /// `target="…"`
    let labels: [UInt8]

    /// Nil for the machine's own network.
    init?(_ record: StatusRecord) {
        guard let settings = record.target?.settings else { return nil }
        self.record = record
        self.settings = settings
        report = record.judgement?.lastReport
        labels = MetricsWriter.labels { $0.label("target", settings.id) }
    }

    /// The last result.
    let report: ProbeReport?

    /// The last result as blackbox_exporter would tell of it; nil for targets that nobody asks, or that are paused.
    ///
    /// While no packet can leave for the target nobody asks it, and the last result may be an old success: whoever asked
    /// now would fail.
    var probe: ProbeSample? {
        guard case .ask(let request)? = settings.probe?.method, let report, let basis = record.judgement?.basis,
            basis != .paused
        else { return nil }
        let canBeAsked = basis != .path && basis != .parent
        return ProbeSample(labels: labels, request: request, result: report.result, canBeAsked: canBeAsked)
    }
}
