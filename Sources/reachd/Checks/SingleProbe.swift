// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Probing
import Synchronization

/// Probes that are run here, each to its end, on a loop of their own.
final class SingleProbe: Sendable {
    /// Why the probe ended without a result.
    struct Failure: Error {
        let words: String
    }

    private struct Unfinished {
        var results: [ProbeResult?]
        var count: Int
    }

    private let requests: [ProbeRequest]
    private let time: (@Sendable () -> Int64)?
    private let state: Mutex<Unfinished>
    private let completion = Semaphore()

    private init(_ requests: [ProbeRequest], time: (@Sendable () -> Int64)?) {
        self.requests = requests
        self.time = time
        state = Mutex(Unfinished(results: Array(repeating: nil, count: requests.count), count: requests.count))
    }

    /// Runs a probe.
    ///
    /// - Parameter time: When certificates are judged, in seconds since 1970; nil: now.
    static func run(_ request: ProbeRequest, at time: Int64? = nil) throws(Failure) -> ProbeResult {
        let clock = time.map { time in { @Sendable in time } }
        guard let result = try SingleProbe([request], time: clock).results().first else {
            throw Failure(words: "the probe ended without a result")
        }
        return result
    }

    /// Runs probes beside each other.
    static func run(all requests: [ProbeRequest]) throws(Failure) -> [ProbeResult] {
        requests.isEmpty ? [] : try SingleProbe(requests, time: nil).results()
    }

    private func results() throws(Failure) -> [ProbeResult] {
        let loop: EventLoop
        do throws(SystemError) {
            loop = try EventLoop(name: "reachd-check")
        } catch {
            throw Failure(words: error.description)
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
        if let problem, let problem { throw Failure(words: problem.description) }
        completion.wait()
        let results = state.withLock { $0.results }.compactMap { $0 }
        guard results.count == requests.count else { throw Failure(words: "the probe was cancelled") }
        return results
    }

    private func start(on loop: EventLoop) throws(ResolverError) {
        let resolver = try Resolver(loop: loop)
        let runner =
            time.map { ProbeRunner(loop: loop, resolver: resolver, wallClock: $0) }
            ?? ProbeRunner(loop: loop, resolver: resolver)
        for (index, request) in requests.enumerated() {
            // The last run keeps both until its end.
            runner.start(request) { [self] result in
                let isLast = state.withLock { state in
                    state.results[index] = result
                    state.count -= 1
                    return state.count == 0
                }
                guard isLast else { return }
                runner.close()
                resolver.close()
                completion.post()
            }
        }
    }
}
