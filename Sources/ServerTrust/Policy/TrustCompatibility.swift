// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Whose rules hold where the original's are dangerous.
public enum TrustCompatibility: String, Sendable, Hashable, CaseIterable, Codable {
    /// Pinned keys with invalid certificates allowed do not excuse a certificate for another host (S17 closed).
    case strict
    /// AFNetworking's table, S17 included: such a certificate is taken whatever host it is for.
    case afnetworking
}
