// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses
package import LinuxIO

/// Decides whether a path MTU black hole made an established connection stall. On the loop's thread.
///
/// Two witnesses: echo requests of several sizes that no router may fragment (``PathMTUSearch``), and the same probe
/// with small TCP segments, which works where full ones vanish. A black hole is reported when both agree; or, where
/// echo requests show nothing (no replies, or a fault of the way back, on which routers may fragment the replies of
/// IPv4), when further probes with full segments stall and those with small segments work.
package final class PathMTUInvestigator {
    /// The segment size that every host accepts (RFC 9293, section 3.7.1).
    package static let smallSegment = 536
    /// How many probes of each segment size decide without echo replies.
    static let repetitions = 2

    private let loop: EventLoop
    private let runner: ProbeRunner
    private var works: [ObjectIdentifier: PathMTUWork] = [:]
    private var isClosed = false

    /// Creates an investigator whose probes the runner runs.
    package init(loop: EventLoop, runner: ProbeRunner) {
        self.loop = loop
        self.runner = runner
    }

    /// Investigates a stall.
    ///
    /// - Parameters:
    ///   - request: The probe whose connection stalled.
    ///   - address: The address that it stalled to.
    ///   - completion: Receives the black hole, nil without one; once, in a later turn of the loop, unless closed.
    package func investigate(
        _ request: ProbeRequest,
        to address: IPAddress,
        under policy: TargetPolicy? = nil,
        completion: @escaping (PathMTUBlackHole?) -> Void
    ) {
        var small = request
        small.segmentLimit = Self.smallSegment
        var limit: PathMTULimit?
        var isLeft = 2
        var isWorking = false
        let ended = { [weak self] in
            isLeft -= 1
            guard let self, isLeft == 0, !isClosed else { return }
            guard isWorking else { return completion(nil) }
            if let limit { return completion(PathMTUBlackHole(limit: limit)) }
            compare(request, small, address, policy, completion)
        }
        search(request, address) { outcome in
            if case .limited(let found) = outcome { limit = found }
            ended()
        }
        runner.start(small, under: policy) { result in
            isWorking = result.shows(progressTo: address)
            ended()
        }
    }

    /// Cancels all investigations; their completions are not called. A second call does nothing.
    package func close() {
        isClosed = true
        for work in Array(works.values) { work.cancel() }
    }

    private func search(
        _ request: ProbeRequest,
        _ address: IPAddress,
        _ completion: @escaping (PathMTUSearch.Outcome) -> Void
    ) {
        let work = PathMTUWork(
            TraceRequest(
                destination: address,
                method: .icmp,
                source: request.source,
                interface: request.interface,
                mark: request.mark
            ),
            loop: loop
        )
        works[ObjectIdentifier(work)] = work
        work.completion = { [weak self, unowned work] outcome in
            self?.works[ObjectIdentifier(work)] = nil
            completion(outcome)
        }
        _ = loop.schedule(at: 0) { work.start() }
    }

    private func compare(
        _ full: ProbeRequest,
        _ small: ProbeRequest,
        _ address: IPAddress,
        _ policy: TargetPolicy?,
        _ completion: @escaping (PathMTUBlackHole?) -> Void
    ) {
        var isLeft = 2 * Self.repetitions
        var agrees = true
        for request in (0..<Self.repetitions).flatMap({ _ in [full, small] }) {
            runner.start(request, under: policy) { [weak self] result in
                agrees =
                    agrees && (request == small ? result.shows(progressTo: address) : result.shows(stallTo: address))
                isLeft -= 1
                guard let self, isLeft == 0, !isClosed else { return }
                completion(agrees ? PathMTUBlackHole(limit: nil) : nil)
            }
        }
    }
}

extension ProbeResult {
    /// Whether the service answered over this address, right or wrong.
    fileprivate func shows(progressTo address: IPAddress) -> Bool {
        guard let result = addresses.first(where: { $0.address == address }) else { return false }
        guard result.outcome == .failure, let reason = result.reason else { return true }
        return result.isAnswered && reason != .timeout && reason != .cancelled && !reason.isOwnWord
    }

    /// Whether an established connection to this address stalled in a way that random loss does not explain.
    fileprivate func shows(stallTo address: IPAddress) -> Bool {
        addresses.first { $0.address == address }?.stall?.isUnlikeLoss == true
    }
}

/// A path that passes small packets, drops larger ones, and does not report it.
package struct PathMTUBlackHole: Sendable, Hashable {
    /// The largest packet that passes and where larger ones vanish; nil when only connections show the black hole.
    package let limit: PathMTULimit?

    /// Creates a black hole.
    package init(limit: PathMTULimit?) { self.limit = limit }

    /// What was seen, in one line for people.
    package var detail: String {
        guard let limit else {
            return "full segments do not arrive, segments of \(PathMTUInvestigator.smallSegment) bytes do "
                + "(path MTU black hole)"
        }
        let way = limit.mayBeReturn ? " or on the way back" : ""
        let place =
            limit.behind.map { " behind \($0)" } ?? limit.before.map { " before \($0)" } ?? ""
        return "packets of more than \(limit.largest) bytes do not arrive (path MTU black hole\(place)\(way))"
    }
}
