// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import ReachAPI

/// How many files and sockets the process may have open: one for each probe in flight, stream and connection.
enum DescriptorExamination {
    private static let wanted: UInt64 = 4_096
    private static let least: UInt64 = 256

    static func check() -> DiagnosisListing.Check {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return DiagnosisListing.Check("descriptors", .warn, "the limit cannot be read")
        }
        func text(_ number: rlim_t) -> String { number == rlim_t.max ? "any number" : "\(number)" }
        let soft = UInt64(limit.rlim_cur)
        let words = "\(text(limit.rlim_cur)) at a time, \(text(limit.rlim_max)) if asked for"
        let advice = "LimitNOFILE=65536 in the systemd unit, --ulimit nofile=65536 with Docker, or ulimit -n 65536"
        if soft < least {
            return DiagnosisListing.Check("descriptors", .fail, "only \(words)", advice: advice)
        }
        if soft < wanted {
            return DiagnosisListing.Check(
                "descriptors",
                .warn,
                "\(words): enough for some hundred clients and probes at a time",
                advice: advice
            )
        }
        return DiagnosisListing.Check("descriptors", .ok, words)
    }
}
