// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux

/// A system call that failed: which one, and with what `errno`.
package struct SystemError: Error, Sendable, Hashable {
    /// The value of `errno`.
    package let code: Int32
    /// The call, and what it was for: `bind(netlink)`.
    package let operation: String

    /// Creates an error from its parts.
    package init(code: Int32, operation: String) {
        self.code = code
        self.operation = operation
    }
}

extension SystemError: CustomStringConvertible {
    /// The operation and the system's words for the code.
    package var description: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress else { return operation }
            let text = unsafe reachd_strerror(code, base, buffer.count)
            return unsafe "\(operation): \(String(cString: text))"
        }
    }
}
