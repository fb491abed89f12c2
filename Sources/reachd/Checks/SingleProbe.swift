// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Probing

/// Runs probes here, each to its end, on an event loop of their own.
enum SingleProbe {
    /// Runs a probe.
    ///
    /// - Parameter time: When certificates are judged, in seconds since 1970; nil: now.
    static func run(_ request: ProbeRequest, at time: Int64? = nil) throws(CheckFailure) -> ProbeResult {
        guard let result = try results(of: [request], at: time).first else {
            throw CheckFailure(words: "the probe ended without a result")
        }
        return result
    }

    /// Runs probes beside each other.
    static func run(all requests: [ProbeRequest]) throws(CheckFailure) -> [ProbeResult] {
        requests.isEmpty ? [] : try results(of: requests, at: nil)
    }

    private static func results(of requests: [ProbeRequest], at time: Int64?) throws(CheckFailure) -> [ProbeResult] {
        try CheckFailure.result { loop, end throws(ResolverError) in
            let resolver = try Resolver(loop: loop)
            let runner =
                time.map { time in ProbeRunner(loop: loop, resolver: resolver, wallClock: { time }) }
                ?? ProbeRunner(loop: loop, resolver: resolver)
            var results: [ProbeResult?] = Array(repeating: nil, count: requests.count)
            var unfinished = requests.count
            for (index, request) in requests.enumerated() {
                // The last run keeps both until its end.
                runner.start(request) { result in
                    results[index] = result
                    unfinished -= 1
                    guard unfinished == 0 else { return }
                    runner.close()
                    resolver.close()
                    end(results.compactMap { $0 })
                }
            }
        }
    }
}
