// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import LinuxIO
import Monitoring
import ReachAPI
import Traffic

/// Whether the kernel reports this machine's ended TCP connections.
enum TrafficCheck {
    static func check(_ configuration: ReachdConfiguration) -> DiagnosisListing.Check {
        guard configuration.probing.traffic != .off else {
            return DiagnosisListing.Check("traffic", .ok, "traffic.observe is off: connections are not observed")
        }
        do {
            let loop = try EventLoop(name: "reachd-doctor")
            defer { loop.close() }
            try TrafficObserver.start(on: loop, changed: { _ in }).close()
            let words = "the kernel reports this machine's ended TCP connections"
            return DiagnosisListing.Check("traffic", .ok, words)
        } catch {
            let advice = "without it everything else works; set traffic.observe to off to accept that"
            return DiagnosisListing.Check("traffic", .warn, "\(error)", advice: advice)
        }
    }
}
