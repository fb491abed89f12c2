// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import LinuxIO
import ReachAPI

/// How many files and sockets the service may have open: see ``DescriptorBudget``.
enum DescriptorExamination {
    private static let least: UInt64 = 256

    static func check(_ configuration: ReachdConfiguration) -> DiagnosisListing.Check {
        guard let limit = DescriptorLimit.read() else {
            return DiagnosisListing.Check("descriptors", .warn, "the limit cannot be read")
        }
        let count = limit.hard == .max ? "unlimited" : "\(limit.hard)"
        let raised = limit.soft < limit.hard ? " (the service raises its soft limit of \(limit.soft))" : ""
        let advice =
            "LimitNOFILE=65536 in the systemd unit, --ulimit nofile=65536 with Docker, or ulimit -Hn 65536 as root"
        if limit.hard < least {
            return DiagnosisListing.Check("descriptors", .fail, "only \(count)\(raised)", advice: advice)
        }
        let budget = DescriptorBudget(limit: limit.hard, configuration)
        let words = "\(count)\(raised): \(budget.words)"
        return budget.isEnough
            ? DiagnosisListing.Check("descriptors", .ok, words)
            : DiagnosisListing.Check("descriptors", .warn, words, advice: advice)
    }
}
