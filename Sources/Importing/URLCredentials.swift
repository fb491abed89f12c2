// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration

/// The user and password in a URL (RFC 3986 3.2.1), which an import writes elsewhere: a URL is shown on the page and in messages, and is
/// a part of names and ids.
struct URLCredentials: Equatable {
    let user: String
    /// Nil without a colon.
    let password: String?

    /// Splits a URL, also a template with `${NAME}`; a text without a scheme is returned as it is.
    ///
    /// - Returns: The URL without credentials, and what it had.
    static func split(_ url: String) -> (url: String, credentials: URLCredentials?) {
        let bytes = Array(url.utf8)
        guard let scheme = bytes.firstRange(of: Array("://".utf8)), !bytes[..<scheme.lowerBound].contains(0x40) else {
            return (url, nil)
        }
        let rest = bytes[scheme.upperBound...]
        let authority = rest.prefix { !"/?#\\".utf8.contains($0) }
        guard let sign = authority.lastIndex(of: UInt8(ascii: "@")) else { return (url, nil) }
        let parts = authority[..<sign].split(
            separator: UInt8(ascii: ":"),
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let plain = Array(bytes[..<scheme.upperBound]) + Array(rest[(sign + 1)...])
        return (
            String(decoding: plain, as: UTF8.self),
            URLCredentials(user: decoded(parts[0]), password: parts.count == 2 ? decoded(parts[1]) : nil)
        )
    }

    /// A text without escapes.
    private static func decoded(_ text: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard byte == UInt8(ascii: "%"), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ImportedProbe {
    /// Takes the credentials of the target's URL: the user is written, and the password is read from a file.
    ///
    /// - Parameters:
    ///   - user: The user as it is written; nil for the text itself.
    ///   - key: The foreign key of the URL, for notes.
    mutating func takeCredentials(
        _ credentials: URLCredentials?,
        user: YAMLText? = nil,
        of key: String,
        _ draft: inout ImportDraft
    ) {
        guard let credentials, credentials != URLCredentials(user: "", password: nil) else { return }
        // A header has priority over the URL, and a proper setting over both.
        let hasHeader = keys.contains { pair in
            guard pair.0 == "headers", case .mapping(let headers) = pair.1 else { return false }
            return headers.contains { $0.0.lowercased() == "authorization" }
        }
        guard type == "http", !hasHeader, !keys.contains(where: { $0.0 == "auth" }) else {
            return draft.note(
                node,
                "\(title): the user and password of its URL have no effect and are not carried over"
            )
        }
        guard !credentials.user.isEmpty, let password = credentials.password, !password.isEmpty else {
            return draft.lose(
                .setting,
                node,
                "\(title): the credentials of its URL are not carried over: they are not a user and a password"
            )
        }
        let secret = YAMLNode(.scalar(password, isPlain: false), position: node.position)
        let file = secretFile("password", of: "the password in \(key)", secret, &draft)
        keys.append(("auth", .mapping([("user", user ?? .text(credentials.user)), ("password_file", file)])))
    }
}
