// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
