// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Monitoring
import NetworkPaths
import Probing
import ReachAPI
import Schema
import ServerTrust

/// The outcome of one check: the probe's result, the path, and the cause of a failure.
struct CheckOutcome {
    let subject: String
    let request: ProbeRequest
    let report: ProbeReport
    /// The path to the probed address, or the default path.
    let path: NetworkPath?
    let supportsDNS: Bool
    /// Whether the probe got no answer, which for UDP shows neither success nor failure.
    let isUndecided: Bool
    /// The trace of the path, after a failure by silence.
    let trace: TraceResult?

    /// The state: down only when the target is at fault.
    var state: TargetState {
        switch result.outcome {
        case .success: .up
        case .degraded: .degraded
        case .failure:
            switch report.diagnosis?.cause {
            case .target: .down
            case .localNetwork, .path, .dns, .parent: .unreachable
            case .`self`, nil: .unknown
            }
        }
    }

    var result: ProbeResult { report.result }

    var listing: CheckListing {
        CheckListing(
            subject: subject,
            type: request.kind.name,
            report: report,
            path: path,
            supportsDNS: supportsDNS,
            trace: trace
        )
    }

    /// The whole days until a certificate expires; negative once it has; nil without certificates.
    var certificateDays: Int? {
        guard let end = result.tls?.trust.expiry.effective, let now = result.tls?.trust.checkedAt else { return nil }
        let (span, isTooFar) = end.subtractingReportingOverflow(now)
        guard !isTooFar else { return nil }
        return Int((span >= 0 ? span : span - 86_399) / 86_400)
    }

    /// Whether a router may be at fault: no packet of the host came back, and no earlier route is known to compare with.
    var isPathInDoubt: Bool {
        report.diagnosis?.rule == .noAnswer && path?.gateway != nil && result.stall == nil && trace?.isAnswered != true
    }

    /// The last router that answered a trace.
    private static func place(_ trace: TraceResult) -> TraceComparison.Position? {
        trace.lastAnswering.flatMap { hop in hop.addresses.first.map { .init(address: $0, hop: hop.number) } }
    }

    /// The cause in a few words; nil without a failure.
    var fault: String? {
        switch report.diagnosis?.cause {
        case .target where isPathInDoubt:
            "the target, or the path " + (trace.flatMap(Self.place).map { "behind \($0)" } ?? "to it")
        case .target: "the target"
        case .localNetwork: "the local network"
        case .path: "a router on the path"
        case .dns: "DNS"
        case .parent, .`self`: "this machine"
        case nil: nil
        }
    }
}

/// The argument of `-w` or `-c`: `500ms`, `14d`, or both separated by a comma.
struct CheckThresholds {
    /// Why a text is not a threshold.
    struct Fault: Error {
        let words: String
    }

    /// The longest duration that does not exceed it.
    private(set) var duration: Duration?
    /// The fewest days of certificate validity that do not exceed it.
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
