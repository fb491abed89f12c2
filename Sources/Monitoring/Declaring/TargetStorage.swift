// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where targets that clients declare are kept, for those who are about to declare one.
package struct TargetStorage: Sendable, Hashable {
    /// How long they last; raw values are those of the HTTP interface.
    package enum Medium: String, Sendable, Hashable, CaseIterable {
        /// In a file: they survive a restart.
        case file
        /// In memory: they last until the service ends.
        case memory
        /// In a file that cannot be written now: changes are refused.
        case unavailable
    }

    /// How long they last.
    package var medium: Medium
    /// The file's path; nil for ``Medium/memory``.
    package var path: String?
    /// Why it is not a file that can be written, and what to do; nil for ``Medium/file``.
    package var detail: String?

    private init(_ medium: Medium, path: String? = nil, detail: String? = nil) {
        self.medium = medium
        self.path = path
        self.detail = detail
    }

    /// In a file.
    package static func file(_ path: String) -> TargetStorage { TargetStorage(.file, path: path) }

    /// In memory, for a reason.
    package static func memory(_ detail: String) -> TargetStorage { TargetStorage(.memory, detail: detail) }

    /// In a file that cannot be written, for a reason.
    package static func unavailable(_ path: String, _ detail: String) -> TargetStorage {
        TargetStorage(.unavailable, path: path, detail: detail)
    }
}
