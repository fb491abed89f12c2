// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import Probing

/// Looks for a path MTU black hole on an event loop of its own.
enum SingleInvestigation {
    /// Investigates a probe whose connection to an address stalled, and waits for the result.
    ///
    /// - Returns: nil without a black hole.
    static func run(_ request: ProbeRequest, to address: IPAddress) throws(CheckFailure) -> PathMTUBlackHole? {
        try CheckFailure.result { loop, end throws(ResolverError) in
            let resolver = try Resolver(loop: loop)
            let runner = ProbeRunner(loop: loop, resolver: resolver)
            let investigator = PathMTUInvestigator(loop: loop, runner: runner)
            // The completion keeps all three until the end.
            investigator.investigate(request, to: address) { found in
                investigator.close()
                runner.close()
                resolver.close()
                end(found)
            }
        }
    }
}
