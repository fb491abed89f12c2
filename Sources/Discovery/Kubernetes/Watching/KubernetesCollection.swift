// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension KubernetesWatchMachine {
    /// The monitored objects of a resource with what follows from each, bounded in number and bytes.
    struct Collection: Sendable, Hashable {
        private(set) var findings: [KubernetesObject.Key: KubernetesFinding] = [:]
        /// Whether an object was left out because of a limit.
        private(set) var isCut = false
        private var bytes = 0

        /// Sets or removes what follows from an object.
        ///
        /// - Returns: Whether anything changed.
        @discardableResult
        mutating func set(_ finding: KubernetesFinding?, for key: KubernetesObject.Key, _ limits: Limits) -> Bool {
            let before = findings[key]
            guard finding != before else { return false }
            let rest = bytes - (before?.size ?? 0)
            guard let finding else {
                findings[key] = nil
                bytes = rest
                return true
            }
            guard rest + finding.size <= limits.bytes, before != nil || findings.count < limits.objects else {
                // An object that grew beyond the limit keeps its targets.
                defer { isCut = true }
                return !isCut
            }
            findings[key] = finding
            bytes = rest + finding.size
            return true
        }
    }
}
