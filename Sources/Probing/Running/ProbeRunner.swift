// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import LinuxIO

/// Runs probes on an event loop. On the loop's thread, all of it.
///
/// A run keeps its deadline by the loop's clock, has its completion called exactly once, on the loop's thread and never
/// from inside ``start(_:completion:)`` or ``ProbeRun/cancel()``, and has closed its descriptors by then. The sockets
/// for ICMP, one a family for all runs, stay open for two seconds after the last run that needs them.
package final class ProbeRunner {
    private let loop: EventLoop
    private let resolver: Resolver
    private let services: ProbeServices
    private var works: [ObjectIdentifier: ProbeWork] = [:]
    private var finished: [(completion: (ProbeResult) -> Void, result: ProbeResult)] = []
    private var nextTurn: TimerToken?
    private var isClosed = false

    /// Creates a runner. On the loop's thread.
    ///
    /// - Parameters:
    ///   - loop: Where everything happens, and whose clock the deadlines keep to.
    ///   - resolver: What finds the addresses of names, on the same loop; whoever made it closes it.
    ///   - wallClock: The time in seconds since 1970, by which certificates are valid or not.
    package init(
        loop: EventLoop,
        resolver: Resolver,
        wallClock: @escaping @Sendable () -> Int64 = { SystemTime.now() }
    ) {
        self.loop = loop
        self.resolver = resolver
        let tls = TLSService(wallClock: wallClock)
        services = ProbeServices(
            echo: EchoService(loop: loop),
            tls: tls,
            http: HTTPServices(loop: loop, resolver: resolver, tls: tls)
        )
    }

    deinit {
        // Whoever drops the runner drops its runs; their descriptors must not stay with the loop.
        for work in works.values {
            work.completion = { _ in }
            work.cancel()
        }
        services.close()
    }

    /// Starts a run.
    ///
    /// - Parameters:
    ///   - request: What to ask whom.
    ///   - policy: Bounds the run when somebody else than the operator asks; what it refuses ends as `target_denied`, before
    ///     a packet goes there.
    ///   - completion: Gets the result, once, in a later turn of the loop; after ``close()`` too, as cancelled.
    /// - Returns: The means to end it; it need not be kept.
    @discardableResult
    package func start(
        _ request: ProbeRequest,
        under policy: TargetPolicy? = nil,
        completion: @escaping (ProbeResult) -> Void
    ) -> ProbeRun {
        let work = ProbeWork(
            request,
            policy: policy,
            loop: loop,
            resolver: resolver,
            services: services
        )
        let key = ObjectIdentifier(work)
        works[key] = work
        work.completion = { [unowned self] result in
            works[key] = nil
            finished.append((completion, result))
            turnSoon()
        }
        let run = ProbeRun(work)
        if isClosed { work.cancel() } else { work.start() }
        return run
    }

    /// How many runs are on their way.
    package var runsInFlight: Int { works.count }

    /// Ends all runs as cancelled and closes every socket; a later run is cancelled at once. A second call does nothing.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        for work in Array(works.values) { work.cancel() }
        services.close()
    }

    private func turnSoon() {
        guard nextTurn == nil else { return }
        // The loop holds the runner until the completions were called.
        nextTurn = loop.schedule(at: 0) { [self] in
            nextTurn = nil
            let batch = finished
            finished = []
            for (completion, result) in batch { completion(result) }
        }
    }
}

/// A run on its way: the means to end it. On the loop's thread.
package final class ProbeRun {
    private weak var work: ProbeWork?

    init(_ work: ProbeWork) {
        self.work = work
    }

    /// Ends the run: its descriptors are closed and its timers gone when this returns, and its completion is called
    /// with ``ProbeReason/cancelled`` in a later turn of the loop. A second call, or one after the end, does nothing.
    package func cancel() {
        work?.cancel()
        work = nil
    }
}
