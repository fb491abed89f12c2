// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import SystemConfiguration

/// Calls a body with a literal as a socket address; with nil for nil.
func withAddress<Result>(
    _ text: String?,
    scope: UInt32 = 0,
    _ body: (UnsafePointer<sockaddr>?) -> Result
) -> Result {
    guard let text else { return body(nil) }
    var four = sockaddr_in()
    if unsafe inet_pton(AF_INET, text, &four.sin_addr) == 1 {
        four.sin_family = sa_family_t(AF_INET)
        return unsafe withUnsafePointer(to: &four) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
        }
    }
    var six = sockaddr_in6()
    unsafe inet_pton(AF_INET6, text, &six.sin6_addr)
    six.sin6_family = sa_family_t(AF_INET6)
    six.sin6_scope_id = scope
    return unsafe withUnsafePointer(to: &six) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
    }
}
