// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
package import Schema
package import ServerTrust

/// The text form of a pin: `sha256/…` (RFC 7469), or the path of a file or directory of certificates.
enum PinText {
    /// - Returns: The text unchanged; files are read once all pins are known.
    static func read(_ text: String) throws(Diagnostic) -> ValidatedValue {
        if text.hasPrefix("/") { return .text(text) }
        guard PublicKeyDigest(text) == nil else { return .text(text) }
        if text.hasPrefix("sha256/") {
            let hint = digest(text.dropFirst(7)).map { "write \($0)" }
            throw Diagnostic("is not a pin: sha256/ must be followed by the Base64 of 32 bytes", hint: hint)
        }
        let hint = digest(text[...]).map { "write \($0) if it is the digest of a public key (spki_sha256)" }
        throw Diagnostic(
            "is not a pin",
            hint: hint ?? "write sha256/ and the Base64 of a key's digest, or the absolute path of certificates"
        )
    }

    /// Guesses the intended pin: curl writes two slashes, the HTTP header a name and quotes, other tools hexadecimal
    /// digits.
    private static func digest(_ text: Substring) -> PublicKeyDigest? {
        var rest = text.drop { $0 == "/" || $0 == " " }
        for prefix in ["pin-sha256=", "sha256:", "sha256//", "sha256="] where rest.lowercased().hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.count)
        }
        let bare = String(rest.filter { $0 != "\"" && $0 != " " })
        return PublicKeyDigest("sha256/" + bare)
            ?? PrintableBytes.bytes(hexadecimal: bare.filter { $0 != ":" }).flatMap { PublicKeyDigest(bytes: $0) }
    }
}

extension TextForm {
    /// The form of a pin.
    package static let pin = TextForm(
        .init(
            words: "a pin such as sha256/… or the path of certificates",
            bounds: "`sha256/` and the Base64 of 32 bytes, or an absolute path",
            expression: "/.*|sha256/[A-Za-z0-9+/]{43}=",
            example: "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            counterexample: "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        ),
        limit: 4_095,
        namesFile: { $0.hasPrefix("/") }
    ) { text throws(Diagnostic) in try PinText.read(text) }
}

/// Reads each pin's file once for all targets of a configuration, which share the result.
package final class PinReader {
    private var known: [String: Result<[PinSet], TrustError>] = [:]

    package init() {}

    /// Returns the pins of a text: one set per file of a directory, otherwise a single set.
    package func read(_ text: String) throws(TrustError) -> [PinSet] {
        if let result = known[text] { return try result.get() }
        let result = Result { () throws(TrustError) in
            guard !text.hasPrefix("sha256/"), CertificateDirectory.isDirectory(text) else {
                return [try PinSet(CollectionOfOne(text))]
            }
            var sets: [PinSet] = []
            for file in try CertificateDirectory.files(in: text) { sets.append(try PinSet(CollectionOfOne(file))) }
            guard !sets.isEmpty else { throw TrustError(.noCertificate, "no certificates in \(text)") }
            return sets
        }
        known[text] = result
        return try result.get()
    }
}
