// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing

/// A target at one moment, as the metrics tell of it.
struct TargetSample {
    let record: StatusRecord
    let settings: TargetSettings
    /// `target="…"`
    let labels: [UInt8]

    /// Nil for the machine's own network.
    init?(_ record: StatusRecord) {
        guard let settings = record.target?.settings else { return nil }
        self.record = record
        self.settings = settings
        labels = MetricsWriter.labels { $0.label("target", settings.id) }
    }

    /// The last result.
    var report: ProbeReport? { record.judgement?.lastReport }

    /// The last result as blackbox_exporter would tell of it; nil for targets that nobody asks.
    var probe: ProbeSample? {
        guard case .ask(let request)? = settings.probe?.method, let report else { return nil }
        return ProbeSample(labels: labels, request: request, result: report.result)
    }
}
