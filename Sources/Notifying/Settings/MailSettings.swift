// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Probing

/// A receiver by mail.
package struct MailSettings: Sendable, Hashable {
    /// The server that takes the messages.
    package var server: MailServer
    /// The address that messages come from.
    package var from: String
    /// The addresses that get each message.
    package var to: [String]
    /// How long an attempt may take until the mail is sent; the server then has ten minutes to reply.
    package var timeout: Duration = .seconds(30)
    /// The URL of reachd's page, for links; nil for none.
    package var externalURL: String?

    /// Creates settings.
    package init(server: MailServer, from: String, to: [String]) {
        self.server = server
        self.from = from
        self.to = to
    }

    /// Whether a text is an address that headers and SMTP take without quotes (RFC 5321, section 4.1.2, dot-string), in ASCII.
    package static func isAddress(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].count), (1...253).contains(parts[1].count) else {
            return false
        }
        func isLetter(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        let atoms = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let labels = parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return atoms.allSatisfy { atom in
            !atom.isEmpty && atom.allSatisfy { isLetter($0) || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }
        }
            && labels.allSatisfy { label in
                !label.isEmpty && label.allSatisfy { isLetter($0) || $0 == UInt8(ascii: "-") }
                    && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
            }
    }
}
