// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Synchronization

/// What a ``PathMonitor`` knows, and its readers.
final class PathMonitorState: Sendable {
    private struct State {
        var environment = NetworkEnvironment()
        var latest: PathMonitor.Path?
        var readers: [UInt64: AsyncStream<PathMonitor.Path>.Continuation] = [:]
        var lastReader: UInt64 = 0
        var isFinished = false
    }

    private let target: PathTarget
    private let state = Mutex(State())

    init(target: PathTarget) {
        self.target = target
    }

    var latest: PathMonitor.Path? { state.withLock { $0.latest } }

    /// A path that is not delivered to readers.
    func path(of verdict: NetworkPath) -> PathMonitor.Path {
        state.withLock { PathMonitor.Path(verdict, of: target, in: $0.environment, sequence: 0) }
    }

    func setVerdict(_ verdict: NetworkPath) {
        state.withLock { emit(verdict, &$0) }
    }

    func setEnvironment(_ environment: NetworkEnvironment) {
        state.withLock { state in
            state.environment = environment
            if let verdict = state.latest?.verdict { emit(verdict, &state) }
        }
    }

    func makeStream(buffer: Int) -> AsyncStream<PathMonitor.Path> {
        let (stream, reader) = AsyncStream.makeStream(
            of: PathMonitor.Path.self,
            bufferingPolicy: .bufferingNewest(buffer)
        )
        let number = state.withLock { state -> UInt64? in
            if let latest = state.latest { reader.yield(latest) }
            guard !state.isFinished else { return nil }
            state.lastReader += 1
            state.readers[state.lastReader] = reader
            return state.lastReader
        }
        guard let number else {
            reader.finish()
            return stream
        }
        reader.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
        }
        return stream
    }

    func finish() {
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            state.isFinished = true
            return Array(state.readers.values)
        }
        // Outside the lock: finishing runs the termination handlers, which take it.
        for reader in readers { reader.finish() }
    }

    private func emit(_ verdict: NetworkPath, _ state: inout State) {
        guard !state.isFinished else { return }
        let path = PathMonitor.Path(
            verdict,
            of: target,
            in: state.environment,
            sequence: (state.latest?.sequence ?? 0) + 1
        )
        if let latest = state.latest, !path.differs(from: latest) { return }
        state.latest = path
        // Under the lock, so that a new reader's first path and the next change keep their order. It makes no call:
        // a waiting task is only made ready to run.
        for reader in state.readers.values { reader.yield(path) }
    }
}
