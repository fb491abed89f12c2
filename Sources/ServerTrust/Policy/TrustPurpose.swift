// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What certificates are judged as (S8).
public enum TrustPurpose: String, Sendable, Hashable, CaseIterable, Codable {
    /// A TLS server's: extended key usage and key usage, strength of keys and signatures count (S22).
    case server
    /// Any certificate (plain X.509, S21).
    case any
}
