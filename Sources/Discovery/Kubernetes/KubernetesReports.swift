// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Schema

/// Makes reports of the states of all watches.
struct KubernetesReports {
    /// The greatest number of notes in a report.
    private static let noteLimit = 100

    private var last: [DiscoveredItem]?
    private var lastError: SourceError?
    /// The notes that apply still and were reported.
    private var told: [LogMessage] = []

    /// The next report; nil if nothing changed.
    ///
    /// Items are reported when every resource is listed or cannot be: until then a shorter list would remove targets that exist.
    mutating func report(_ states: [KubernetesWatchMachine]) -> SourceReport? {
        let error = Self.error(of: states.compactMap(\.problem))
        let notes = Self.notes(states)
        var report = SourceReport(error: error, notes: notes.filter { !told.contains($0) })
        told = notes
        if states.allSatisfy(\.isSettled), states.contains(where: \.isComplete) {
            let items = states.flatMap(Self.items)
            if items != last { report.items = items }
        }
        guard report.items != nil || error != lastError || !report.notes.isEmpty else { return nil }
        if let items = report.items { last = items }
        lastError = error
        return report
    }

    private static func error(of problems: [SourceError]) -> SourceError? {
        guard let first = problems.first else { return nil }
        var words: [String] = []
        for problem in problems where !words.contains(problem.words) { words.append(problem.words) }
        let more = words.count > 3 ? "; and \(words.count - 3) more" : ""
        return SourceError(first.code, words.prefix(3).joined(separator: "; ") + more)
    }

    private static func notes(_ states: [KubernetesWatchMachine]) -> [LogMessage] {
        var notes: [LogMessage] = []
        for state in states {
            let name = state.resource.fullName
            if state.isAbsent {
                notes.append(LogMessage(.info, "the cluster has no \(name); reachd looks again later"))
            }
            if state.current.isCut {
                notes.append(
                    LogMessage(.warning, "there are more \(name) than are read; a label selector reduces them")
                )
            }
        }
        for state in states where notes.count < noteLimit {
            let words = sorted(state).flatMap(\.finding.notes)
            notes += words.prefix(noteLimit - notes.count).map { LogMessage(.warning, $0) }
        }
        return notes
    }

    private static func items(_ state: KubernetesWatchMachine) -> [DiscoveredItem] {
        sorted(state).flatMap { key, finding in
            let object = key.namespace.isEmpty ? key.name : "\(key.namespace)/\(key.name)"
            return finding.items(place: "\(state.resource.rawValue) \(object)")
        }
    }

    private static func sorted(
        _ state: KubernetesWatchMachine
    ) -> [(key: KubernetesObject.Key, finding: KubernetesFinding)] {
        state.current.findings.sorted { $0.key < $1.key }.map { (key: $0.key, finding: $0.value) }
    }
}
