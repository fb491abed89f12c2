// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import ArgumentParser
public import Importing
public import Probing
public import ServerTrust

extension PinningMode: ExpressibleByArgument {
    /// By the names of the configuration; the numbers are for archives.
    public init?(argument: String) { self.init(name: argument) }

    /// The names, for the help.
    public static var allValueStrings: [String] { allCases.map(\.name) }

    /// What each takes, for the help.
    public static var allValueDescriptions: [String: String] {
        [
            "none": "what leads to an anchor",
            "public_key": "what leads to an anchor and has a pinned key in its chain",
            "certificate": "what leads to an anchor and to a pinned certificate",
        ]
    }

    /// The name, for the help.
    public var defaultValueDescription: String { name }
}

extension TrustCompatibility: ExpressibleByArgument {}
extension TrustPurpose: ExpressibleByArgument {}
extension StartTLSProtocol: ExpressibleByArgument {}
extension ForeignFormat: ExpressibleByArgument {}

extension StartTLSProtocol {
    /// The protocol's port in clear text.
    var port: UInt16 {
        switch self {
        case .smtp: 25
        case .imap: 143
        case .pop3: 110
        case .ftp: 21
        }
    }
}
