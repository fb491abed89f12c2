// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Probing
import TestSupport
import Testing

/// A tracer on its own loop.
///
/// Unchecked because the tracer and its traces are touched on the loop's thread only.
final class TraceBench: @unchecked Sendable {
    let loop: EventLoop
    private var tracer: Tracer?
    private var runs: [ProbeRun] = []

    init(prologue: @escaping @Sendable () -> Void = {}) throws {
        loop = try EventLoop(name: "trace-test", prologue: prologue)
        _ = loop.executeAndWait { [self] in tracer = Tracer(loop: loop) }
    }

    deinit {
        close()
    }

    /// Cancels all traces; their completions are called before this returns.
    func close() {
        _ = loop.executeAndWait { [self] in tracer?.close() }
        _ = loop.executeAndWait {}
        _ = loop.executeAndWait { [self] in
            tracer = nil
            runs = []
        }
        loop.close()
    }

    /// One trace's result.
    func run(_ request: TraceRequest) async -> TraceResult {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in
                tracer?.start(request) { continuation.resume(returning: $0) }
            }
        }
    }

    /// Starts traces; their results are recorded.
    func begin(_ request: TraceRequest, count: Int = 1) -> Recorder<TraceResult> {
        let results = Recorder<TraceResult>()
        _ = loop.executeAndWait { [self] in
            for _ in 0..<count {
                if let run = tracer?.start(request, completion: { results.record($0) }) { runs.append(run) }
            }
            #expect(results.count == 0, "never from inside start")
        }
        return results
    }

    /// Cancels the traces that ``begin(_:count:)`` started, each twice.
    func cancelAll() {
        _ = loop.executeAndWait { [self] in
            for run in runs {
                run.cancel()
                run.cancel()
            }
        }
    }

    var tracesInFlight: Int {
        loop.executeAndWait { [self] in tracer?.tracesInFlight ?? 0 } ?? 0
    }
}
