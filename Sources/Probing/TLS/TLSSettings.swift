// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import ServerTrust

/// How TLS is spoken, and whom it is believed of; the same for every kind that speaks it.
///
/// Files are PEM. They are read when a run needs them and they changed; runs of equal settings share what was read.
package struct TLSSettings: Sendable, Hashable {
    /// A version of the protocol.
    package enum Version: String, Sendable, Hashable, CaseIterable, Comparable {
        /// TLS 1.0; what certificates may be is the policy's.
        case tls10 = "1.0"
        /// TLS 1.1; what certificates may be is the policy's.
        case tls11 = "1.1"
        /// TLS 1.2.
        case tls12 = "1.2"
        /// TLS 1.3.
        case tls13 = "1.3"

        /// The older version is the lesser.
        package static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
    }

    /// The name that the server is told (SNI) and that its certificate must be for; nil is the target's own name or
    /// address. An address is verified and not told.
    package var serverName: String?
    /// The name that its certificate must be for, where it is another than the one that the server is told.
    package var verifiedName: String?
    /// The files of the certificates that are trusted, instead of the system's; each is trusted by itself, be it an
    /// authority's or a server's. Empty: the system's.
    package var authorityFiles: [String]
    /// The file of the certificate that the server is shown when it asks for one, followed by those that lead to its
    /// authority.
    package var certificateFile: String?
    /// The file of that certificate's key, without a password; nil: it is in the certificate's file.
    package var keyFile: String?
    /// Which certificates are acceptable. It is asked in the handshake, before anything is said to the server.
    package var policy: SecurityPolicy
    /// The oldest version that is spoken.
    package var minimumVersion: Version
    /// The newest version that is spoken.
    package var maximumVersion: Version
    /// The protocols that are offered (ALPN, RFC 7301), the preferred first; each of 1 to 255 bytes. The server may
    /// choose none.
    package var applicationProtocols: [String]

    /// Creates settings; everything has a default.
    package init(
        serverName: String? = nil,
        verifiedName: String? = nil,
        authorityFile: String? = nil,
        certificateFile: String? = nil,
        keyFile: String? = nil,
        policy: SecurityPolicy = .default,
        minimumVersion: Version = .tls12,
        maximumVersion: Version = .tls13,
        applicationProtocols: [String] = []
    ) {
        self.serverName = serverName
        self.verifiedName = verifiedName
        authorityFiles = authorityFile.map { [$0] } ?? []
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.policy = policy
        self.minimumVersion = minimumVersion
        self.maximumVersion = maximumVersion
        self.applicationProtocols = applicationProtocols
    }
}

extension TLSSettings {
    /// The one file of the certificates that are trusted; nil for the system's.
    package var authorityFile: String? {
        get { authorityFiles.first }
        set { authorityFiles = newValue.map { [$0] } ?? [] }
    }
}
