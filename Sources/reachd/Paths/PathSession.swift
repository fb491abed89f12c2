// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import NetworkPaths
import ReachAPI
import Synchronization

/// Judges some targets and prints what comes out, once or for good.
///
/// Each target is watched until its name is resolved, as a scheduled one is with SystemConfiguration (R53): asking once
/// without DNS would call every name reachable (R52).
final class PathSession: Sendable {
    /// A target as it was written.
    struct Request: Sendable {
        let text: String
        let request: PathRequest
    }

    private struct State {
        var positions: [PathID: Int] = [:]
        var paths: [NetworkPath?]
        var unfinished: Int
        var supportsDNS = false
    }

    private let requests: [Request]
    private let report: PathReport
    private let isWatching: Bool
    private let state: Mutex<State>
    private let completion = Semaphore()

    init(requests: [Request], report: PathReport, watching: Bool) {
        self.requests = requests
        self.report = report
        isWatching = watching
        state = Mutex(State(paths: Array(repeating: nil, count: requests.count), unfinished: requests.count))
    }

    /// Runs to the end; when it watches, only a signal ends it.
    ///
    /// - Returns: Whether all targets are reachable.
    func run(_ options: PathEngineOptions) throws(PathEngineError) -> Bool {
        let engine = try PathEngine(options: options, observer: self)
        state.withLock { state in
            // Under the lock, so that the engine's thread cannot deliver a verdict before its handle is known here.
            for (position, id) in engine.add(requests.map(\.request)).enumerated() { state.positions[id] = position }
        }
        completion.wait()
        engine.close()
        let (paths, supportsDNS) = state.withLock { ($0.paths, $0.supportsDNS) }
        report.print(zip(requests, paths).map { .init(target: $0.text, path: $1) }, supportsDNS: supportsDNS)
        return paths.allSatisfy { $0?.reachability.isReachable ?? false }
    }
}

extension PathSession: PathEngineObserver {
    func pathsDidChange(_ updates: [PathUpdate]) {
        let (entries, supportsDNS, isComplete) = state.withLock { state in
            let entries = updates.compactMap { update -> PathListing.Entry? in
                guard let position = state.positions[update.id] else { return nil }
                let wasFinished = state.paths[position].map(Self.isFinished) ?? false
                state.paths[position] = update.path
                if !wasFinished, Self.isFinished(update.path) { state.unfinished -= 1 }
                return .init(target: requests[position].text, path: update.path)
            }
            return (entries, state.supportsDNS, state.unfinished == 0)
        }
        if isWatching {
            for entry in entries { report.printChange(entry, supportsDNS: supportsDNS) }
        } else if isComplete {
            completion.post()
        }
    }

    func environmentDidChange(_ environment: NetworkEnvironment) {
        state.withLock { $0.supportsDNS = environment.supportsDNS }
    }

    private static func isFinished(_ path: NetworkPath) -> Bool {
        path.resolution.state != .pending || path.resolution.error != nil
    }
}
