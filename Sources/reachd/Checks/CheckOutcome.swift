// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Monitoring
import NetworkPaths
import Probing
import ReachAPI
import Schema
import ServerTrust

/// What one check came to: the probe's result, the kernel's word on the path, and whose fault it is.
struct CheckOutcome {
    let subject: String
    let request: ProbeRequest
    let report: ProbeReport
    /// The path to the address that was asked, or the default path.
    let path: NetworkPath?
    let supportsDNS: Bool
    /// Whether silence is all that came, which shows neither that the target serves nor that it does not.
    let isUndecided: Bool

    /// What it is, in one word.
    var word: String {
        switch result.outcome {
        case .success: "up"
        case .degraded: "degraded"
        case .failure: isUndecided ? "unknown" : "down"
        }
    }

    var result: ProbeResult { report.result }

    var listing: CheckListing {
        CheckListing(
            subject: subject,
            type: request.kind.name,
            report: report,
            path: path,
            supportsDNS: supportsDNS
        )
    }

    /// How many whole days the certificates last; nil without any. Less than none when they are over.
    var certificateDays: Int? {
        guard let end = result.tls?.trust.expiry.effective, let now = result.tls?.trust.checkedAt else { return nil }
        let (span, isTooFar) = end.subtractingReportingOverflow(now)
        guard !isTooFar else { return nil }
        return Int((span >= 0 ? span : span - 86_399) / 86_400)
    }

    /// Whose fault it is, in a few words; nil when there is none.
    var fault: String? {
        switch report.finding?.cause {
        case .target: "their server"
        case .localNetwork: "my network"
        case .dns: "the resolution of the name"
        case .parent, .`self`: "this machine"
        case nil: nil
        }
    }
}

/// What `-w` or `-c` says: `500ms`, `14d`, or both with a comma between.
struct CheckThresholds {
    /// Why a text is none.
    struct Fault: Error {
        let words: String
    }

    /// A run that takes longer crosses it.
    private(set) var duration: Duration?
    /// Certificates that last for fewer days cross it.
    private(set) var days: Int?

    init(_ texts: [String], option: String) throws(Fault) {
        for part in texts.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }).map(String.init) {
            if part.hasSuffix("d"), let days = Int(part.dropLast()), (0...100_000).contains(days) {
                self.days = days
                continue
            }
            // Other plugins take seconds without a unit.
            if let seconds = Double(part), seconds > 0, seconds <= 3_600 {
                duration = .microseconds(Int64((seconds * 1_000_000).rounded(.up)))
                continue
            }
            do throws(ConfigurationDiagnostic) {
                duration = try OptionText.duration(part, option: option)
            } catch {
                throw Fault(words: "\(error.description); or days of certificates such as 14d")
            }
        }
    }
}
