// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a server's certificates are compared with (S1); the numbers are the original's.
public enum PinningMode: Int, Sendable, Hashable, CaseIterable, Codable {
    /// Nothing is pinned: the chain has to lead to an authority.
    case none = 0
    /// A pinned public key has to be in the chain.
    case publicKey = 1
    /// The chain has to lead to a pinned certificate.
    case certificate = 2

    /// Its name in the configuration, on the command line and in answers.
    public var name: String {
        switch self {
        case .none: "none"
        case .publicKey: "public_key"
        case .certificate: "certificate"
        }
    }

    /// - Parameter name: Its name in the configuration.
    public init?(name: String) {
        guard let mode = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = mode
    }
}
