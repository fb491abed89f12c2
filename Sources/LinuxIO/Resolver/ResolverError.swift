// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why the resolver cannot work, or works with less than its files say.
package struct ResolverError: Error, Sendable, Hashable {
    /// What kind of failure it is.
    package enum Code: Sendable, Hashable {
        /// c-ares could not make a channel, with its code (`ares.h`): memory, in practice.
        case channel(Int32)
        /// A file is there and cannot be read, with the `errno`; the resolver goes on without it.
        case unreadable(Int32)
    }

    /// What kind of failure it is.
    package let code: Code
    /// One line for people.
    package let message: String

    /// Creates an error from its parts.
    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }
}

extension ResolverError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
