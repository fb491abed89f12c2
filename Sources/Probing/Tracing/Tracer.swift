// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import LinuxIO

/// Traces routes on an event loop, without privileges. On the loop's thread.
///
/// A trace keeps its time limit by the loop's clock. Its completion is called exactly once, on the loop's thread, never
/// from inside ``start(_:completion:)`` or ``ProbeRun/cancel()``, and after its descriptors are closed. All traces
/// together use at most ``descriptorLimit`` descriptors; a trace that would exceed it waits for others to end, and its
/// time limit begins afterwards.
package final class Tracer {
    /// The maximum number of descriptors of all traces.
    package static let descriptorLimit = 64

    private let loop: EventLoop
    private let opened: ConnectionHandler?
    private var works: [ObjectIdentifier: TraceWork] = [:]
    private var waiting: [TraceWork] = []
    private var descriptors = 0
    private var finished = CompletionQueue<TraceResult>()
    private var isClosed = false

    /// Creates a tracer. On the loop's thread.
    ///
    /// - Parameter opened: Receives each TCP socket before it connects.
    package init(loop: EventLoop, opened: ConnectionHandler? = nil) {
        self.loop = loop
        self.opened = opened
    }

    deinit {
        // Their descriptors must not stay with the loop.
        for work in works.values {
            work.completion = { _ in }
            work.cancel()
        }
    }

    /// Starts a trace.
    ///
    /// - Parameter completion: Receives the result, once, in a later turn of the loop; after ``close()`` as cancelled.
    /// - Returns: A handle to cancel the trace; it need not be kept.
    @discardableResult
    package func start(_ request: TraceRequest, completion: @escaping (TraceResult) -> Void) -> ProbeRun {
        let work = TraceWork(request, loop: loop, opened: opened)
        let key = ObjectIdentifier(work)
        works[key] = work
        work.completion = { [unowned self] result in
            works[key] = nil
            if let index = waiting.firstIndex(where: { $0 === work }) {
                waiting.remove(at: index)
            } else {
                descriptors -= work.descriptorCount
            }
            // The loop retains the tracer until the completions were called.
            finished.add(result, for: completion, on: loop) { [self] in
                let batch = finished.take()
                if !isClosed { startWaiting() }
                for (completion, result) in batch { completion(result) }
            }
        }
        waiting.append(work)
        if isClosed { work.cancel() } else { startWaiting() }
        return ProbeRun(work)
    }

    /// The number of traces that have not ended.
    package var tracesInFlight: Int { works.count }

    /// Cancels all traces; later ones are cancelled at once. A second call does nothing.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        for work in Array(works.values) { work.cancel() }
    }

    private func startWaiting() {
        while let work = waiting.first, descriptors + work.descriptorCount <= Self.descriptorLimit {
            waiting.removeFirst()
            descriptors += work.descriptorCount
            work.start()
        }
    }
}
