// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc

/// How many descriptors this process may have open, `RLIMIT_NOFILE` (getrlimit(2)); `UInt64.max` is unlimited.
package struct DescriptorLimit: Sendable, Hashable {
    /// What holds now.
    package var soft: UInt64
    /// What the process may raise it to without a privilege.
    package var hard: UInt64

    /// Reads the limit; nil when the system refuses.
    package static func read() -> DescriptorLimit? {
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
        return DescriptorLimit(soft: UInt64(limit.rlim_cur), hard: UInt64(limit.rlim_max))
    }

    /// Raises the soft limit to the hard one.
    ///
    /// The usual soft limit of 1,024 is there for programs that use select(2), which knows no larger descriptors. No child
    /// process inherits this one: reachd starts none.
    ///
    /// - Throws: when the system refuses; the limit stays what it was.
    package static func raise() throws(SystemError) {
        var limit = rlimit()
        _ = try systemCall("getrlimit") { unsafe getrlimit(resource, &limit) }
        guard limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        _ = try systemCall("setrlimit") { unsafe setrlimit(resource, &limit) }
    }

    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
}
