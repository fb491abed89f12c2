// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A mail server that takes messages (SMTP, RFC 5321), and how it is spoken to.
package struct MailServer: Sendable, Hashable {
    /// How the connection is protected.
    package enum Security: Sendable, Hashable {
        /// TLS before the first byte (RFC 8314).
        case tls
        /// TLS after `STARTTLS`, which the server must offer (RFC 3207).
        case startTLS
        /// None.
        case none
    }

    /// The host's name or address.
    package let host: String
    /// The interface of a link-local address, `smtp://[fe80::1%25eth0]`.
    package let interface: String?
    /// The port; 587 (RFC 6409), or 465 with TLS from the start.
    package let port: UInt16
    /// How the connection is protected: by the URL TLS or STARTTLS.
    package var security: Security
    /// The TLS settings.
    package var tls = TLSSettings()
    /// The user, and the file whose only line is the password; nil: no authentication.
    package var login: (user: String, passwordFile: String)? {
        get { user.flatMap { user in passwordFile.map { (user, $0) } } }
        set { (user, passwordFile) = (newValue?.user, newValue?.passwordFile) }
    }

    private var user: String?
    private var passwordFile: String?

    /// Parses `smtp://HOST[:PORT]` or `smtps://HOST[:PORT]`.
    ///
    /// - Throws: ``HTTPURLError`` for everything else.
    package init(_ text: String) throws(HTTPURLError) {
        let example = "write smtp://mail.example.org:587 or smtps://mail.example.org:465"
        let isSecure = text.lowercased().hasPrefix("smtps://")
        guard isSecure || text.lowercased().hasPrefix("smtp://") else {
            throw HTTPURLError(message: "this is not the URL of a mail server: \(example)")
        }
        let rest = text.dropFirst(isSecure ? 8 : 7)
        // The same rules for hosts as everywhere; a port that follows the scheme is not written.
        let (plain, secure) = (try HTTPURL("http://\(rest)"), try HTTPURL("https://\(rest)"))
        guard plain.target == "/" else { throw HTTPURLError(message: "a mail server has no path: \(example)") }
        (host, interface) = (plain.host, plain.interface)
        port = plain.port == secure.port ? plain.port : isSecure ? 465 : 587
        security = isSecure ? .tls : .startTLS
    }
}

/// A message to be handed to a mail server.
package struct Mail: Sendable, Hashable {
    /// The address that errors are reported to, `user@example.org`.
    package var sender: String
    /// The addresses that get it; the server must accept all.
    package var recipients: [String]
    /// Header and body (RFC 5322), with CRLF as line ends. Lines that begin with a dot need no care.
    package var content: [UInt8]

    /// Creates a message.
    package init(sender: String, recipients: [String], content: [UInt8]) {
        self.sender = sender
        self.recipients = recipients
        self.content = content
    }
}

/// The last reply of a mail server (RFC 5321, section 4.2).
package struct MailReply: Sendable, Hashable {
    /// 200 to 599.
    package let code: Int
    /// The line, printable.
    package let text: String
}
