// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema
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

extension TLSSettings {
    /// The keys of `tls`.
    package static let schema = ObjectSchema("TLS settings", fields: sessionFields + pinFields + trustFields)

    /// The key that holds them.
    static let field = Field(
        "tls",
        .object(schema),
        synonyms: ["tls_config", "ssl"],
        "How TLS is spoken; for grpc its presence asks for TLS."
    )

    /// Keys about the session; their names are blackbox_exporter's where it has them.
    private static let sessionFields: [Field] = [
        Field(
            "server_name",
            .text(.host),
            example: "imap.example.org",
            synonyms: ["sni", "servername", "tls_server_name"],
            "The name that is asked for and that the certificate must have; the target's when absent."
        ),
        Field(
            "verify_name",
            .text(.host),
            example: "vault.internal.example",
            synonyms: ["verifyhost", "verify_subject_alt_name", "expected_name", "proxy_ssl_name"],
            "The name or address that the certificate must have, where it is another than the one that is asked for; "
                + "server_name when absent."
        ),
        Field(
            "ca_file",
            .text(.path),
            example: "/etc/ssl/certs/internal.pem",
            synonyms: ["ca", "ca_cert", "ca_cert_file"],
            "Whom to trust, instead of the system's authorities."
        ),
        Field(
            "cert_file",
            .text(.path),
            example: "/etc/reachd/client.pem",
            synonyms: ["cert", "tls_cert_file", "certificate_file"],
            "The certificate that is shown when the server asks for one."
        ),
        Field(
            "key_file",
            .text(.path),
            example: "/etc/reachd/client.key",
            synonyms: ["key", "tls_key_file"],
            "Its key; in cert_file when absent."
        ),
        Field(
            "insecure_skip_verify",
            .boolean,
            defaultValue: "false",
            synonyms: ["insecure", "skip_verify", "tls_skip_verify", "ignoretls"],
            "Whether to go on whatever the server shows; what is wrong is in the result all the same."
        ),
        Field(
            "min_version",
            versions,
            example: #""1.2""#,
            synonyms: ["minimum_version", "tls_minimum_protocol_version"],
            "The oldest version that is spoken; 1.2 when absent. Below 1.2 weak_certificates is on."
        ),
        Field(
            "max_version",
            versions,
            example: #""1.3""#,
            synonyms: ["maximum_version", "tls_maximum_protocol_version"],
            "The newest version that is spoken; 1.3 when absent."
        ),
        Field(
            "alpn",
            .oneOrMore(.text(.line)),
            example: "[ imap ]",
            synonyms: ["protocols", "alpn_protocols"],
            "For tcp and tls: the protocols that are offered."
        ),
    ]

    /// Keys about pins.
    private static let pinFields: [Field] = [
        Field(
            "pins",
            .oneOrMore(.text(.pin)),
            example:
                "[ sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, sha256/AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE= ]",
            synonyms: [
                "pin", "pinned_certificates", "pinned_public_keys", "pinnedpubkey", "pin_sha256", "pin_set",
                "verify_certificate_spki", "verify_certificate_hash",
            ],
            "What the server is known by, besides an authority: sha256/ and the Base64 of the SHA-256 of a public key "
                + "(RFC 7469), or the path of a file (PEM or DER) or a directory (.cer, .crt, .der and .pem) of "
                + "certificates, the server's or those of its chain. Files are read with the configuration. None when "
                + "absent."
        ),
        Field(
            "pin_mode",
            .choice([
                .init("public_key", synonyms: ["publickey", "key", "spki"]),
                .init("certificate", synonyms: ["cert", "certificates"]),
            ]),
            synonyms: ["pinning_mode", "ssl_pinning_mode", "sslpinningmode", "pinning"],
            "public_key: a pinned key must be in the chain. certificate: the chain must lead to a pinned certificate. "
                + "public_key when there are pins."
        ),
        Field(
            "pin_report_only",
            .boolean,
            defaultValue: "false",
            synonyms: ["report_only", "report_pins_only"],
            "Whether a missing pin is told as a warning and the server accepted all the same."
        ),
        Field(
            "backup_pin",
            .choice([
                .init("required", synonyms: ["true", "yes"]), .init("waived", synonyms: ["false", "no", "none"]),
            ]),
            defaultValue: "required",
            synonyms: ["backup_pins", "require_backup_pin"],
            "required: the pins have two different keys at least, one for when the server's key is replaced. waived: one "
                + "is enough."
        ),
        Field(
            "pins_review",
            .text(.moment),
            synonyms: ["pins_expire", "pin_expiration", "expiration", "pins_until"],
            "When the pins have to be looked after, a date or date-time (RFC 3339), a date being its first moment in UTC: "
                + "pin_days counts to it, and from then on there is a warning. When absent: for pin_mode certificate the "
                + "end of the last of the certificates, else never."
        ),
    ]

    /// Keys about which certificates are acceptable.
    private static let trustFields: [Field] = [
        Field(
            "allow_invalid",
            .boolean,
            defaultValue: "false",
            synonyms: [
                "allow_invalid_certificates", "allowinvalidcertificates", "accept_untrusted", "allow_self_signed",
            ],
            "Whether pinned certificates need not lead to an authority; with pin_mode public_key they may also be expired."
        ),
        Field(
            "verify_hostname",
            .boolean,
            defaultValue: "true",
            synonyms: [
                "validates_domain_name", "validatesdomainname", "check_hostname", "assert_hostname", "verify_host",
            ],
            "Whether the certificate must be for the name."
        ),
        Field(
            "compatibility",
            .choice([.init("strict", synonyms: ["reachd"]), .init("afnetworking", synonyms: ["afn", "original"])]),
            defaultValue: "strict",
            synonyms: ["compat"],
            "strict: names are checked wherever verify_hostname asks for it. afnetworking: as AFNetworking does it, with "
                + "pin_mode public_key and allow_invalid they are not."
        ),
        Field(
            "purpose",
            .choice([
                .init("server", synonyms: ["serverauth", "server_auth"]), .init("any", synonyms: ["x509", "none"]),
            ]),
            synonyms: ["usage", "eku", "key_usage"],
            "server: the certificates must be for TLS servers, with keys and signatures of today. any: they need not. "
                + "When absent: server, and any if verify_hostname is false."
        ),
        Field(
            "common_name",
            .boolean,
            defaultValue: "false",
            synonyms: ["allow_common_name", "cn", "cn_fallback"],
            "Whether the common name counts when the certificate has no DNS name."
        ),
        Field(
            "weak_certificates",
            .boolean,
            defaultValue: "false",
            synonyms: ["allow_weak", "weak", "weak_keys"],
            "Whether RSA keys below 2048 bits, curves below P-256 and signatures with SHA-1 or MD5 are acceptable."
        ),
        Field(
            "lifetime_limits",
            .boolean,
            defaultValue: "false",
            synonyms: ["limit_lifetime", "max_lifetime"],
            "Whether certificates that are valid for longer than Apple accepts, 398 or 825 days, are refused."
        ),
    ]

    private static let versions = FieldType.choice([
        .init("1.0", synonyms: ["tls10"]), .init("1.1", synonyms: ["tls11"]), .init("1.2", synonyms: ["tls12"]),
        .init("1.3", synonyms: ["tls13"]),
    ])
}
