// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import Probing
import Synchronization

/// Looks for a path MTU black hole on an event loop of its own, and waits for the result.
final class SingleInvestigation: Sendable {
    private let request: ProbeRequest
    private let address: IPAddress
    private let blackHole = Mutex<PathMTUBlackHole?>(nil)
    private let completion = Semaphore()

    private init(_ request: ProbeRequest, _ address: IPAddress) {
        self.request = request
        self.address = address
    }

    /// Investigates a probe whose connection to an address stalled.
    ///
    /// - Returns: nil without a black hole.
    static func run(_ request: ProbeRequest, to address: IPAddress) throws(SingleProbe.Failure) -> PathMTUBlackHole? {
        try SingleInvestigation(request, address).result()
    }

    private func result() throws(SingleProbe.Failure) -> PathMTUBlackHole? {
        let loop: EventLoop
        do throws(SystemError) {
            loop = try EventLoop(name: "reachd-check")
        } catch {
            throw SingleProbe.Failure(words: error.description)
        }
        defer { loop.close() }
        let problem = loop.executeAndWait { [self] () -> ResolverError? in
            do throws(ResolverError) {
                try start(on: loop)
                return nil
            } catch {
                return error
            }
        }
        if let problem, let problem { throw SingleProbe.Failure(words: problem.description) }
        completion.wait()
        return blackHole.withLock { $0 }
    }

    private func start(on loop: EventLoop) throws(ResolverError) {
        let resolver = try Resolver(loop: loop)
        let runner = ProbeRunner(loop: loop, resolver: resolver)
        let investigator = PathMTUInvestigator(loop: loop, runner: runner)
        // The completion keeps all three until the end.
        investigator.investigate(request, to: address) { [self] found in
            blackHole.withLock { $0 = found }
            investigator.close()
            runner.close()
            resolver.close()
            completion.post()
        }
    }
}
