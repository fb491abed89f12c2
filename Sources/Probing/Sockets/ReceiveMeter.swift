// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Counts what an attempt receives from the network, below every protocol, and says when it is too much. On the loop's
/// thread.
///
/// A deadline bounds a peer in time, this in bytes: what a parser, a decoder or OpenSSL passes over in silence (chunk
/// extensions, empty frames, session tickets, messages for others) counts as what is kept does.
final class ReceiveMeter {
    /// What a handshake, headers and framing may need.
    static let overhead = 1 << 20
    /// How many bytes on the wire a byte of content may need, in small chunks, frames and TLS records.
    static let expansion = 4

    /// The most bytes that are received.
    let limit: Int
    /// How many were received so far.
    private(set) var received = 0

    /// A meter for an attempt that keeps at most so many bytes of content.
    init(content: Int) {
        limit = min(content, .max / (2 * Self.expansion)) * Self.expansion + Self.overhead
    }

    /// Adds bytes that were received.
    func add(_ count: Int) {
        received += count
    }

    /// Whether more was received than is allowed.
    var isExceeded: Bool { received > limit }

    /// The beginning of a sentence: `…, and its response has not ended`.
    var words: String { "the peer sent more than \(limit) bytes" }
}
