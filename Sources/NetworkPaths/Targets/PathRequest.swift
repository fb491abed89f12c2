// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A target with the circumstances under which the kernel is asked about it.
public struct PathRequest: Sendable, Hashable {
    /// What the path leads to.
    public var target: PathTarget
    /// The firewall mark of the packets (`SO_MARK`), for policy rules.
    public var mark: UInt32?
    /// How a name without an answer yet is judged; of no effect for other targets.
    public var nameEvaluation: NameEvaluation

    /// How a name is evaluated before its first answer (contract R53).
    public enum NameEvaluation: String, Sendable, Hashable {
        /// As the default path is (R53): what Apple's systems do since 2015.
        case optimistic
        /// As unknown until resolution ended.
        case pessimistic
    }

    /// Creates a request.
    public init(_ target: PathTarget, mark: UInt32? = nil, nameEvaluation: NameEvaluation = .optimistic) {
        self.target = target
        self.mark = mark
        self.nameEvaluation = nameEvaluation
    }
}
