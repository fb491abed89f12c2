// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
package import Monitoring
package import NetworkPaths
import Probing

/// One probe outside the service, in the words of the HTTP interface: what `reachd check --json` prints.
package struct CheckListing: Sendable {
    /// What was asked, as it was written.
    package var subject: String
    /// By which kind of probe.
    package var type: String
    /// What came out, and whose fault that is.
    package var report: ProbeReport
    /// The kernel's word on the way to the address that was asked, or on the default path without one.
    package var path: NetworkPath?
    /// Whether one of the machine's name servers can be reached.
    package var supportsDNS: Bool

    /// Creates a listing from its parts.
    package init(subject: String, type: String, report: ProbeReport, path: NetworkPath?, supportsDNS: Bool) {
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
            writer.member("network") { $0.statusBlock(path, supportsDNS: supportsDNS) }
        }
        return writer.bytes
    }
}
