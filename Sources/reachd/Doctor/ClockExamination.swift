// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import ReachAPI

/// Whether somebody keeps the wall clock right: certificates are judged by it, and what is recorded is dated by it.
enum ClockExamination {
    static func check() -> DiagnosisListing.Check {
        do throws(SystemError) {
            let clock = try ClockState.read()
            if clock.isSynchronized {
                let words = "synchronised, wrong by \(SpanWords.latency(Double(clock.maximumError) / 1e6)) at most"
                return DiagnosisListing.Check("clock", .ok, words)
            }
            return DiagnosisListing.Check(
                "clock",
                .warn,
                "the kernel knows of nobody who synchronises it: certificates may be judged by a wrong time",
                advice: "run chrony, systemd-timesyncd or ntpd on the machine (in a container: outside of it)"
            )
        } catch {
            return DiagnosisListing.Check(
                "clock",
                .warn,
                "\(error)",
                advice: "the container's seccomp profile may refuse adjtimex"
            )
        }
    }
}
