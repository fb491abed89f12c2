// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
package import Monitoring
package import NetworkPaths
package import Probing

/// One probe outside the service, in the HTTP API's format: the output of `reachd check --json`.
package struct CheckListing: Sendable {
    /// The target, as written by the user.
    package var subject: String
    /// The kind of probe.
    package var type: String
    /// The result and its cause.
    package var report: ProbeReport
    /// The path to the probed address, or the default path without one.
    package var path: NetworkPath?
    /// Whether one of the machine's name servers can be reached.
    package var supportsDNS: Bool

    /// The trace of the path to an address that does not respond.
    package var trace: TraceResult?

    /// Creates a listing from its parts.
    package init(
        subject: String,
        type: String,
        report: ProbeReport,
        path: NetworkPath?,
        supportsDNS: Bool,
        trace: TraceResult? = nil
    ) {
        self.trace = trace
        self.subject = subject
        self.type = type
        self.report = report
        self.path = path
        self.supportsDNS = supportsDNS
    }

    /// One object, without a line feed.
    package var document: [UInt8] {
        var writer = JSONWriter(reserving: 8_192)
        writer.object { writer in
            writer.member("subject", subject)
            writer.member("type", type)
            writer.member("result") { $0.resultMembers(report, detail: .full) }
            if let rule = report.diagnosis?.rule { writer.member("rule", rule.rawValue) }
            if let trace { writer.member("trace") { $0.traceMembers(trace) } }
            writer.member("network") { $0.statusBlock(path, supportsDNS: supportsDNS) }
        }
        return writer.bytes
    }
}
