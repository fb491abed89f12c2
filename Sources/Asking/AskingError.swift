// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why a question has no answer.
package struct AskingError: Error, Sendable, Hashable {
    /// What happened.
    package enum Code: Sendable, Hashable {
        /// Nobody takes connections there, or its name has no address.
        case unreachable
        /// It takes connections and does not answer in time.
        case timeout
        /// Its certificate is not trusted.
        case insecure
        /// The file of the authorities cannot be used.
        case authorities
        /// TLS failed in another way: none is spoken there, or no version that both know.
        case handshake
        /// What it says is no HTTP, or ended too early.
        case garbled
        /// The answer is longer than what is taken.
        case tooLarge
        /// The question cannot be asked.
        case invalid
    }

    /// What happened.
    package let code: Code
    /// The same in libcurl's words.
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}
