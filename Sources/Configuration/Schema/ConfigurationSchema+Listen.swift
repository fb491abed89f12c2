// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

extension ConfigurationSchema {
    /// An element of `listen` with settings besides the address.
    package static let listener = ObjectSchema(
        "an address to listen on",
        fields: [
            Field(
                "address",
                .text(.listenAddress),
                example: "unix:/run/reachd/reachd.sock",
                isRequired: true,
                synonyms: ["listen", "bind", "addr", "socket"],
                "The address to listen on, in any form that listen accepts."
            ),
            Field(
                "mode",
                .text(.fileMode),
                example: #""0600""#,
                synonyms: ["permissions", "socket_mode", "umask"],
                "Permissions of the unix socket's file, in octal. Default: 0660."
            ),
            Field(
                "tls",
                .object(listenerTLS),
                example: "{ cert_file: /etc/reachd/cert.pem, key_file: /etc/reachd/key.pem }",
                synonyms: ["ssl", "https", "certificate"],
                "The certificate for TLS 1.2 and 1.3. Default: none, plain HTTP."
            ),
        ]
    )

    /// `tls` of an element of `listen`.
    package static let listenerTLS = ObjectSchema(
        "a certificate",
        fields: [
            Field(
                "cert_file",
                .text(.path),
                example: "/etc/reachd/cert.pem",
                isRequired: true,
                synonyms: ["cert", "certificate", "certificate_file", "ssl_certificate", "tls_cert"],
                "The certificate followed by its intermediate certificates, PEM. Reloaded when it changes."
            ),
            Field(
                "key_file",
                .text(.path),
                example: "/etc/reachd/key.pem",
                isRequired: true,
                synonyms: ["key", "private_key", "ssl_certificate_key", "tls_key"],
                "The certificate's private key, PEM, without a password. Reloaded when it changes."
            ),
        ]
    )
}
