// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Probing
import Schema

/// A probe of reachd's, being built.
struct ImportedProbe {
    /// The owner's name in notes.
    let title: NoteSubject
    /// The owner's name, for the names of files and variables.
    let name: String
    /// The owner's position.
    let node: YAMLNode
    var type = ""
    /// The keys next to the type.
    var keys: [(String, YAMLText)] = []
    /// The keys of `expect`.
    var expect: [(String, YAMLText)] = []
    /// Why it must not be used as it is, for example because it would take another path than the original.
    var pauses: [NoteText] = []
    /// The variables that secrets are read from.
    var variables = GatusVariables()
    /// The keys of `tls`; nil to leave it out.
    var tls: [(String, YAMLText)]?

    init(title: NoteSubject, name: String, node: YAMLNode) {
        self.title = title
        self.name = name
        self.node = node
    }

    var text: YAMLText {
        var pairs: [(String, YAMLText)] = [("type", .word(type))] + keys
        if let tls { pairs.append(("tls", .mapping(tls))) }
        if !expect.isEmpty { pairs.append(("expect", .mapping(expect))) }
        return .mapping(pairs)
    }

    /// One value, or a list of them.
    static func oneOrMore(_ values: [YAMLText]) -> YAMLText { values.count == 1 ? values[0] : .list(values) }

    /// Converts a regular expression of Go's.
    ///
    /// - Parameter isMultiline: whether the matched text can have several lines.
    func pattern(_ text: String, isMultiline: Bool = false, at node: YAMLNode? = nil, _ draft: inout ImportDraft)
        -> YAMLText
    {
        // Patterns in reachd's configuration have no control characters, only their escapes.
        var text = text
        for (character, escape) in [("\r\n", "\\r\\n"), ("\r", "\\r"), ("\n", "\\n"), ("\t", "\\t")] {
            text = text.replacing(character, with: escape)
        }
        // reachd's reader reports an invalid pattern, and the item is left out.
        guard let reading = try? ProbePattern.reading(ofGo: text, isMultiline: isMultiline) else { return .text(text) }
        if reading.repeatsAnchor {
            draft.note(
                node ?? self.node,
                "\(title): in \(text.quoted) an anchor is repeated, as Go allows: ^+OK matches OK at the start; write ^\\+OK to match +OK"
            )
        }
        return .text(reading.text)
    }

    /// Reads `tls_config`, as in several of Prometheus' programs.
    mutating func takeTLS(_ section: ForeignMapping?, _ draft: inout ImportDraft) {
        guard var section else { return }
        var keys: [(String, YAMLText)] = []
        for key in ["ca_file", "cert_file", "key_file", "server_name"] {
            if let value = section.text(key), !value.isEmpty { keys.append((key, .text(value))) }
        }
        if let isOff = section.boolean("insecure_skip_verify"), isOff {
            keys.append(("insecure_skip_verify", .word("true")))
        }
        for key in ["min_version", "max_version"] {
            guard let node = section.take(key), let version = node.text else { continue }
            if let known = ["TLS10": "1.0", "TLS11": "1.1", "TLS12": "1.2", "TLS13": "1.3"][version] {
                keys.append((key, .word("\"\(known)\"")))
            } else {
                draft.lose(
                    .setting,
                    node,
                    "\(title): the TLS version \(version.quoted) is unknown and is not carried over"
                )
            }
        }
        section.noteRest(of: "\(title): tls_config", &draft)
        if !keys.isEmpty { tls = keys }
    }
}
