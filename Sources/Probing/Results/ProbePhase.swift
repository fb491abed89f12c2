// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A part of a run that is timed by itself.
package enum ProbePhase: String, Sendable, Hashable, CaseIterable {
    /// From the start to the name's addresses.
    case resolve
    /// From the first packet to a connection that stands.
    case connect
    /// From the connection to the server's consent to STARTTLS.
    case startTLS = "starttls"
    /// The TLS handshake.
    case tls
    /// From the end of the phase before, or the first packet where there is none, to the whole answer; of an http probe
    /// to its first byte.
    case request
    /// From the first byte of an http probe's answer to the last.
    case transfer
}
