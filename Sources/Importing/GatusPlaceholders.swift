// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// Placeholders in the body of a Gatus endpoint: `[ENDPOINT_NAME]`, `[RANDOM_STRING_10]`.
struct GatusPlaceholders {
    let name: String
    let group: String
    let url: String

    /// Replaces placeholders that are the same for every request; others remain, and are noted.
    ///
    /// - Parameter probe: The probe with the body.
    func fill(_ body: String, _ probe: ImportedProbe, _ draft: inout ImportDraft, at node: YAMLNode) -> String {
        let pieces = body.split(separator: "[", omittingEmptySubsequences: false)
        var result = String(pieces.first ?? "")
        var noted: Set<Substring> = []
        for piece in pieces.dropFirst() {
            let word = piece.prefix { $0 != "]" }
            guard word.endIndex < piece.endIndex else {
                result += "[" + piece
                continue
            }
            if let value = known(word) {
                result += value + piece[piece.index(after: word.endIndex)...]
                continue
            }
            result += "[" + piece
            if let meaning = meaning(word, probe.type), noted.insert(word).inserted {
                let placeholder = "[\(word)]".quoted
                draft.lose(
                    .setting,
                    node,
                    "\(probe.title): \(placeholder) is sent unchanged; Gatus replaces it by \(same: meaning)"
                )
            }
        }
        return result
    }

    private func known(_ word: Substring) -> String? {
        switch word {
        case "ENDPOINT_NAME": name
        case "ENDPOINT_GROUP": group
        case "ENDPOINT_URL": url
        default: nil
        }
    }

    /// The replacement; nil if it is not a placeholder.
    private func meaning(_ word: Substring, _ type: String) -> String? {
        // For an HTTP request, Gatus fills it in before there is a connection.
        if word == "LOCAL_ADDRESS" { return type == "http" ? nil : "the connection's own address" }
        let prefix = "RANDOM_STRING_"
        guard word.hasPrefix(prefix) else { return nil }
        let digits = word.dropFirst(prefix.count)
        return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber } ? "random characters" : nil
    }
}
