// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// Why a check on this machine ended without a result.
struct CheckFailure: Error {
    /// The reason, in words.
    let words: String
    /// Whether the name has no usable address.
    var isName = false
}

extension CheckFailure {
    /// Runs a check on an event loop of its own and waits for its result; see ``LinuxIO/EventLoop/run(named:_:)``.
    static func result<Value: Sendable>(
        _ start: @escaping @Sendable (EventLoop, @escaping (Value) -> Void) throws(ResolverError) -> Void
    ) throws(CheckFailure) -> Value {
        let result: Result<Value, ResolverError>?
        do throws(SystemError) {
            result = try EventLoop.run(named: "reachd-check", start)
        } catch {
            throw CheckFailure(words: error.description)
        }
        switch result {
        case .success(let value)?: return value
        case .failure(let error)?: throw CheckFailure(words: error.description)
        case nil: throw CheckFailure(words: "the check was cancelled")
        }
    }
}
