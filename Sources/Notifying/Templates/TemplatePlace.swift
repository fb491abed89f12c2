// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What stands between `{{` and `}}`: a field, and the words that replace some of its own.
///
/// `{{status|firing=trigger,resolved=resolve}}`: of a field with fixed words; a word that is not named stays.
struct TemplatePlace: Sendable, Hashable {
    let field: TemplateField
    private var words: [String: String] = [:]

    /// Reads a place.
    ///
    /// - Throws: ``TemplateError`` for a field that does not exist, and for words that the field cannot have.
    init(_ text: String) throws(TemplateError) {
        let parts = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
        field = try TemplateField(parts[0])
        guard parts.count > 1 else { return }
        guard let known = field.fixedWords else {
            throw TemplateError(
                "the words of \(parts[0]) cannot be replaced",
                hint: "fields with fixed words are type, status, severity, from, to, cause and incident.phase"
            )
        }
        for pair in parts[1].split(separator: ",", omittingEmptySubsequences: false) {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
            guard sides.count == 2, known.contains(sides[0]), words[sides[0]] == nil else {
                throw TemplateError(
                    "behind | there is something other than WORD=TEXT,WORD=TEXT, or a word twice",
                    hint: "words of \(parts[0]) are \(known.joined(separator: ", "))"
                )
            }
            words[sides[0]] = sides[1]
        }
    }

    /// The value for a message.
    func value(of message: Message, externalURL: String?) -> TemplateField.Value {
        let value = field.value(of: message, externalURL: externalURL)
        guard case .text(let text) = value, let other = words[text] else { return value }
        return .text(other)
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
