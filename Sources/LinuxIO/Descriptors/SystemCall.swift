// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
import Glibc

/// What a system call came to, when waiting is an answer of its own.
package enum SystemCallResult<Value> {
    /// It was done.
    case done(Value)
    /// `EAGAIN`: not now.
    case wouldBlock
}

/// Makes a system call that reports failure as -1; repeats it on `EINTR`.
///
/// - Throws: ``SystemError`` with the `errno` of the call.
@discardableResult
package func systemCall<Value: FixedWidthInteger & SignedInteger>(
    _ operation: @autoclosure () -> String,
    _ call: () -> Value
) throws(SystemError) -> Value {
    while true {
        let value = call()
        guard value == -1 else { return value }
        let code = errno
        if code == EINTR { continue }
        throw SystemError(code: code, operation: operation())
    }
}

/// As ``systemCall(_:_:)``, with `EAGAIN` as a value.
package func nonBlockingCall<Value: FixedWidthInteger & SignedInteger>(
    _ operation: @autoclosure () -> String,
    _ call: () -> Value
) throws(SystemError) -> SystemCallResult<Value> {
    while true {
        let value = call()
        guard value == -1 else { return .done(value) }
        let code = errno
        switch code {
        case EINTR: continue
        case EAGAIN: return .wouldBlock
        default: throw SystemError(code: code, operation: operation())
        }
    }
}

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

extension SystemError {
    /// Whether this process or the system has no more descriptors or memory: it says nothing about what the call was for.
    package var isExhaustion: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) }
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
