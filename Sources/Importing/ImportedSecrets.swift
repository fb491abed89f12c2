// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration

/// Which values of a request may be secrets.
///
/// An import does not write them: reachd reads them from files and environment variables, and a note names each place and the key whose
/// value belongs there.
enum RequestSecrets {
    /// The headers whose values are written, in small letters; those of all others may be secrets.
    private static let plainHeaders: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection",
        "content-language",
        "content-type", "host", "origin", "pragma", "range", "referer", "soapaction", "upgrade", "user-agent",
        "x-forwarded-for",
        "x-forwarded-host", "x-forwarded-proto", "x-requested-with",
    ]

    /// The schemes that precede a secret in `Authorization`.
    private static let schemes: Set<String> = ["", "apikey", "basic", "bearer", "key", "token"]

    /// Words beside which secrets stand in bodies, dialogues and URLs.
    private static let signs = [
        "passw", "pwd", "secret", "token", "api_key", "apikey", "api-key", "credential", "access_key", "private_key",
        "pass ", "auth ",
    ]

    /// Whether the value of a header may be a secret; of all headers that are not known to be harmless it may.
    static func mayBeSecret(header: String) -> Bool { !plainHeaders.contains(header.lowercased()) }

    /// Whether a template says nothing itself: it is references to variables, possibly behind a scheme.
    static func isReference(_ template: String) -> Bool {
        guard template.contains("${") else { return false }
        var rest = ""
        for piece in template.split(separator: "${", omittingEmptySubsequences: false).enumerated() {
            rest += piece.offset == 0 ? piece.element : piece.element.drop { $0 != "}" }.dropFirst()
        }
        return schemes.contains(rest.lowercased()[...].trimmed)
    }

    /// Whether a text that is written as it is may have a secret. One with variables is taken to have it there.
    static func maySecretStand(in text: String) -> Bool {
        let small = text.lowercased()
        return !text.contains("$") && signs.contains { small.contains($0) }
    }
}

extension ImportedProbe {
    /// Adds request headers; values that may be secrets are read from environment variables.
    ///
    /// - Parameters:
    ///   - headers: names and values.
    ///   - key: the foreign key of the headers, for notes.
    mutating func takeHeaders(_ headers: [(String, YAMLText)], of key: String, _ draft: inout ImportDraft) {
        guard !headers.isEmpty else { return }
        let kept = headers.map { header, value in
            guard RequestSecrets.mayBeSecret(header: header) else { return (header, value) }
            if case .template(let text) = value, text.isEmpty || RequestSecrets.isReference(text) {
                return (header, value)
            }
            let variable = draft.place(Self.variable(name, header), of: value, between: "_")
            if variable.isNew {
                // One line for all variables of a header; the note on variables lists them.
                let words: NoteText = "put the value of \(same: key).\(same: header) in the environment variable"
                draft.note(node, "\(title): \(words) \(variable.name)")
            }
            return (header, YAMLText.template(variables.template("${\(variable.name)}")))
        }
        keys.append(("headers", .mapping(kept)))
    }

    /// The file that a secret is read from, with a note.
    ///
    /// - Parameters:
    ///   - kind: what it is, in the file's name.
    ///   - key: the foreign key of the secret, for the note.
    ///   - secret: the secret.
    func secretFile(_ kind: String, of key: String, _ secret: YAMLNode, _ draft: inout ImportDraft) -> YAMLText {
        let path = "/run/secrets/\(Self.fileName(name))-\(kind)"
        let file = draft.place(path, of: .text(secret.text ?? ""), between: "-")
        if file.isNew { draft.note(node, "\(title): put the value of \(same: key) in the file \(same: file.name)") }
        return .text(file.name)
    }

    /// Notes a text that is written as it is, if it may have a secret.
    ///
    /// - Parameter what: the foreign key of the text.
    func noteSecret(in text: String, _ what: String, _ draft: inout ImportDraft) {
        draft.noteSecret(in: text, of: title, what, at: node)
    }

    private static func variable(_ name: String, _ header: String) -> String {
        let text = "\(name)_\(header)".uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        return text.first?.isNumber ?? true ? "_" + String(text.prefix(200)) : String(text.prefix(200))
    }

    private static func fileName(_ name: String) -> String {
        let text = name.prefix(100).map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "-" }
        return text.isEmpty ? "probe" : String(text)
    }
}

extension ImportDraft {
    /// Notes a text that is written as it is, if it may have a secret.
    ///
    /// - Parameters:
    ///   - title: the item with the text.
    ///   - what: the foreign key of the text.
    mutating func noteSecret(in text: String, of title: NoteSubject, _ what: String, at node: YAMLNode) {
        guard RequestSecrets.maySecretStand(in: text) else { return }
        note(node, "\(title): \(same: what) is written as it is; check whether it contains a secret")
    }
}
