// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A user's word on interfaces that match a pattern.
public struct InterfaceRule: Sendable, Hashable {
    /// The alternatives, any of which matches; globs with `*` and `?`.
    public var patterns: [Pattern]
    /// The type to give, or nil to leave the type to the kernel's facts.
    public var type: InterfaceType?
    /// Whether paths through it are expensive.
    public var isExpensive: Bool?
    /// Whether paths through it are constrained.
    public var isConstrained: Bool?
    /// Whether the default path passes it over.
    public var isIgnored: Bool
    /// Whether packets leave by it while it is up, whatever the driver reports of its carrier (contract L4).
    public var ignoresCarrierLoss: Bool

    /// One alternative of a rule.
    public struct Pattern: Sendable, Hashable {
        /// What the glob is held against.
        public enum Subject: String, Sendable, Hashable, CaseIterable {
            /// The interface's name or one of its alternative names.
            case name
            /// One of its alternative names.
            case altname
            /// Its rtnetlink kind.
            case kind
            /// Its driver, from sysfs.
            case driver
            /// Its hardware address, as lower-case hexadecimal pairs with colons.
            case mac
        }
        /// What the glob is held against.
        public var subject: Subject
        /// The glob.
        public var glob: String

        /// Creates an alternative.
        public init(_ subject: Subject, _ glob: String) {
            self.subject = subject
            self.glob = glob
        }
    }

    /// Creates a rule.
    public init(
        patterns: [Pattern],
        type: InterfaceType? = nil,
        isExpensive: Bool? = nil,
        isConstrained: Bool? = nil,
        isIgnored: Bool = false,
        ignoresCarrierLoss: Bool = false
    ) {
        self.patterns = patterns
        self.type = type
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.isIgnored = isIgnored
        self.ignoresCarrierLoss = ignoresCarrierLoss
    }

    /// Reads `wl*|altname:modem-*|kind:veth|driver:qmi_wwan`; nil when a part is empty or has an unknown subject.
    public static func patterns(from text: String) -> [Pattern]? {
        var patterns: [Pattern] = []
        for part in text.split(separator: "|", omittingEmptySubsequences: false) {
            guard !part.isEmpty else { return nil }
            guard let colon = part.firstIndex(of: ":") else {
                patterns.append(Pattern(.name, String(part)))
                continue
            }
            guard let subject = Pattern.Subject(rawValue: String(part[..<colon])) else { return nil }
            let glob = part[part.index(after: colon)...]
            guard !glob.isEmpty else { return nil }
            patterns.append(Pattern(subject, String(glob)))
        }
        return patterns
    }
}
