// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Configuration
package import Schema

/// What came of another program's configuration.
package struct ImportedConfiguration: Sendable, Hashable {
    /// Whose it was.
    package let format: ForeignFormat
    /// Ours, in YAML; `reachd validate` accepts it.
    package let text: String
    /// How many modules or targets there are in it.
    package let count: Int
    /// What could not be carried over, in the order of the text.
    package let notes: [ImportNote]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - format: Whose it is; found out by its keys when nil.
    /// - Throws: ``ConfigurationDiagnostics`` for a file that cannot be read, is no YAML, or is nobody's.
    package init(file path: String, format: ForeignFormat? = nil) throws(ConfigurationDiagnostics) {
        try self.init(BoundedFile.read(path, maximum: ConfigurationLoader.maximumSize), path: path, format: format)
    }

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: The text, in UTF-8.
    ///   - path: What faults call it.
    ///   - format: Whose it is; found out by its keys when nil.
    /// - Throws: ``ConfigurationDiagnostics`` for a text that is no YAML, or nobody's.
    package init(_ bytes: [UInt8], path: String, format: ForeignFormat? = nil) throws(ConfigurationDiagnostics) {
        let root: YAMLNode?
        do throws(YAMLError) {
            root = try YAMLReader.read(bytes)
        } catch {
            throw ConfigurationDiagnostics([ConfigurationDiagnostic(error, path: path)])
        }
        guard let root, case .mapping = root.content else {
            throw Self.fault(path, "there is nothing in it that could be carried over")
        }
        guard let format = format ?? ForeignFormat(root) else {
            let hint = "modules make it blackbox_exporter's, endpoints Gatus'; --from says which it is"
            throw Self.fault(path, "it is nobody's configuration that is known here", hint: hint)
        }
        self.format = format
        var draft = ImportDraft()
        let list: String
        switch format {
        case .blackbox:
            list = "probe_modules"
            BlackboxImporter().take(root, &draft)
        case .gatus:
            list = "targets"
            GatusImporter().take(root, &draft)
        }
        let notes = draft.notes.enumerated().sorted { left, right in
            (left.element.position.line, left.offset) < (right.element.position.line, right.offset)
        }.map(\.element)
        guard !draft.items.isEmpty else {
            // All of them: the first need not be the one that says why.
            let reasons = notes.map { note in
                ConfigurationDiagnostic(.invalidValue, at: .file(path, note.position), note.words)
            }
            throw ConfigurationDiagnostics(
                reasons + Self.fault(path, "nothing in it could be carried over").diagnostics
            )
        }
        self.notes = notes
        count = draft.items.count
        text =
            "# Made of the configuration of \(format.rawValue) by `reachd import`.\n"
            + YAMLText.document([(list, .list(draft.items))])
    }

    private static func fault(_ path: String, _ words: String, hint: String? = nil) -> ConfigurationDiagnostics {
        ConfigurationDiagnostics([ConfigurationDiagnostic(.invalidValue, at: .file(path, nil), words, hint: hint)])
    }
}

/// Whose configuration a text is; raw values are what the command line takes.
package enum ForeignFormat: String, Sendable, Hashable, CaseIterable {
    /// Prometheus' blackbox_exporter: `modules`.
    case blackbox
    /// Gatus: `endpoints`.
    case gatus

    /// Recognises a text by its keys.
    init?(_ root: YAMLNode) {
        if root["modules"] != nil {
            self = .blackbox
        } else if root["endpoints"] != nil || root["external-endpoints"] != nil {
            self = .gatus
        } else {
            return nil
        }
    }
}

/// Something in another program's configuration that ours does not say, or not quite.
package struct ImportNote: Sendable, Hashable {
    /// Where it stands.
    package let position: YAMLPosition
    /// What becomes of it, in words.
    package let words: String
}
