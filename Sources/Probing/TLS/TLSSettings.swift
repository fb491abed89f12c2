// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema
package import ServerTrust

/// The TLS settings, shared by all kinds that use TLS.
///
/// Files are PEM. They are read on first use and after changes; runs with equal settings share the contents.
package struct TLSSettings: Sendable, Hashable {
    /// A TLS version.
    package enum Version: String, Sendable, Hashable, CaseIterable, Comparable {
        /// TLS 1.0; the policy decides about certificates.
        case tls10 = "1.0"
        /// TLS 1.1; the policy decides about certificates.
        case tls11 = "1.1"
        /// TLS 1.2.
        case tls12 = "1.2"
        /// TLS 1.3.
        case tls13 = "1.3"

        /// Orders versions by age: the older one is less.
        package static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
    }

    /// The name for SNI and certificate verification; nil for the target's own name or address. An address is verified
    /// but not sent.
    package var serverName: String?
    /// The name that the certificate must be valid for, if different from the name for SNI.
    package var verifiedName: String?
    /// The files of the trust anchors that replace the system's, CA or server certificates. Empty for the system's.
    package var authorityFiles: [String]
    /// The file of the client certificate, followed by its chain.
    package var certificateFile: String?
    /// The file of the client certificate's key, not encrypted; nil when it is in the certificate's file.
    package var keyFile: String?
    /// The policy for the server's certificates. It is evaluated during the handshake, before application data is
    /// sent.
    package var policy: SecurityPolicy
    /// The oldest allowed version.
    package var minimumVersion: Version
    /// The newest allowed version.
    package var maximumVersion: Version
    /// The offered protocols (ALPN, RFC 7301), preferred first; each of 1 to 255 bytes. The server may select none.
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
    /// The single file of trust anchors; nil for the system's.
    package var authorityFile: String? {
        get { authorityFiles.first }
        set { authorityFiles = newValue.map { [$0] } ?? [] }
    }
}

extension TLSSettings {
    /// The keys of `tls`.
    package static let schema = ObjectSchema("TLS settings", fields: sessionFields + pinFields + trustFields)

    /// The key of the settings.
    static let field = Field(
        "tls",
        .object(schema),
        synonyms: ["tls_config", "ssl"],
        "The TLS settings; for grpc their presence enables TLS."
    )

    /// The keys of the session, named as in blackbox_exporter where it has them.
    private static let sessionFields: [Field] = [
        Field(
            "server_name",
            .text(.host),
            example: "imap.example.org",
            synonyms: ["sni", "servername", "tls_server_name"],
            "The name for SNI and certificate verification. Default: the target's name."
        ),
        Field(
            "verify_name",
            .text(.host),
            example: "vault.internal.example",
            synonyms: ["verifyhost", "verify_subject_alt_name", "expected_name", "proxy_ssl_name"],
            "The name or address that the certificate must have, if different from server_name. "
                + "Default: server_name."
        ),
        Field(
            "ca_file",
            .text(.path),
            example: "/etc/ssl/certs/internal.pem",
            synonyms: ["ca", "ca_cert", "ca_cert_file"],
            "The CA file, instead of the system's CAs."
        ),
        Field(
            "cert_file",
            .text(.path),
            example: "/etc/reachd/client.pem",
            synonyms: ["cert", "tls_cert_file", "certificate_file"],
            "The client certificate."
        ),
        Field(
            "key_file",
            .text(.path),
            example: "/etc/reachd/client.key",
            synonyms: ["key", "tls_key_file"],
            "The key of the client certificate. Default: the key in cert_file."
        ),
        Field(
            "insecure_skip_verify",
            .boolean,
            defaultValue: "false",
            synonyms: ["insecure", "skip_verify", "tls_skip_verify", "ignoretls"],
            "Whether to accept any certificate; the result still reports the faults."
        ),
        Field(
            "min_version",
            versions,
            example: #""1.2""#,
            synonyms: ["minimum_version", "tls_minimum_protocol_version"],
            "The oldest allowed TLS version. Default: 1.2. Below 1.2, weak_certificates is on."
        ),
        Field(
            "max_version",
            versions,
            example: #""1.3""#,
            synonyms: ["maximum_version", "tls_maximum_protocol_version"],
            "The newest allowed TLS version. Default: 1.3."
        ),
        Field(
            "alpn",
            .oneOrMore(.text(.line)),
            example: "[ imap ]",
            synonyms: ["protocols", "alpn_protocols"],
            "For tcp and tls: the offered ALPN protocols."
        ),
    ]

    /// The keys of pinning.
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
            "The pins, in addition to the CA check: sha256/ and the Base64 of the SHA-256 of a public key "
                + "(RFC 7469), or the path of a file (PEM or DER) or a directory (.cer, .crt, .der and .pem) of "
                + "certificates, the server's or those of its chain. Files are read with the configuration. "
                + "Default: none."
        ),
        Field(
            "pin_mode",
            .choice([
                .init("public_key", synonyms: ["publickey", "key", "spki"]),
                .init("certificate", synonyms: ["cert", "certificates"]),
            ]),
            synonyms: ["pinning_mode", "ssl_pinning_mode", "sslpinningmode", "pinning"],
            "public_key: the chain must contain a pinned key. certificate: it must lead to a pinned certificate. "
                + "Default: public_key if there are pins."
        ),
        Field(
            "pin_report_only",
            .boolean,
            defaultValue: "false",
            synonyms: ["report_only", "report_pins_only"],
            "Whether a pin mismatch is only reported as a warning and the server accepted."
        ),
        Field(
            "backup_pin",
            .choice([
                .init("required", synonyms: ["true", "yes"]), .init("waived", synonyms: ["false", "no", "none"]),
            ]),
            defaultValue: "required",
            synonyms: ["backup_pins", "require_backup_pin"],
            "required: the pins need at least two different keys, one as a backup for a key change. waived: one key "
                + "is enough."
        ),
        Field(
            "pins_review",
            .text(.moment),
            synonyms: ["pins_expire", "pin_expiration", "expiration", "pins_until"],
            "The date or date-time (RFC 3339) by which to review the pins; a date means its start in UTC. "
                + "pin_days counts to it, and a warning begins then. Default: for pin_mode certificate the "
                + "expiry of the last certificate, otherwise never."
        ),
    ]

    /// The keys of certificate verification.
    private static let trustFields: [Field] = [
        Field(
            "allow_invalid",
            .boolean,
            defaultValue: "false",
            synonyms: [
                "allow_invalid_certificates", "allowinvalidcertificates", "accept_untrusted", "allow_self_signed",
            ],
            "Whether pinned certificates need not lead to a CA; with pin_mode public_key they may also be expired."
        ),
        Field(
            "verify_hostname",
            .boolean,
            defaultValue: "true",
            synonyms: [
                "validates_domain_name", "validatesdomainname", "check_hostname", "assert_hostname", "verify_host",
            ],
            "Whether the certificate must match the name."
        ),
        Field(
            "compatibility",
            .choice([.init("strict", synonyms: ["reachd"]), .init("afnetworking", synonyms: ["afn", "original"])]),
            defaultValue: "strict",
            synonyms: ["compat"],
            "strict: names are checked whenever verify_hostname is on. afnetworking: as in AFNetworking, not with "
                + "pin_mode public_key and allow_invalid."
        ),
        Field(
            "purpose",
            .choice([
                .init("server", synonyms: ["serverauth", "server_auth"]), .init("any", synonyms: ["x509", "none"]),
            ]),
            synonyms: ["usage", "eku", "key_usage"],
            "server: certificates must allow TLS servers and have strong keys and signatures. any: they need not. "
                + "Default: server, or any if verify_hostname is false."
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
            "Whether to reject certificates that are valid for longer than Apple's limit of 398 or 825 days."
        ),
    ]

    private static let versions = FieldType.choice([
        .init("1.0", synonyms: ["tls10"]), .init("1.1", synonyms: ["tls11"]), .init("1.2", synonyms: ["tls12"]),
        .init("1.3", synonyms: ["tls13"]),
    ])
}
