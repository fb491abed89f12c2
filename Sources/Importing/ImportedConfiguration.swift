// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Configuration
package import Schema

/// The result of importing another program's configuration.
package struct ImportedConfiguration: Sendable, Hashable {
    /// The original format.
    package let format: ForeignFormat
    /// reachd's configuration in YAML; `reachd validate` accepts it.
    package let text: String
    /// The number of its modules or targets.
    package let count: Int
    /// What could not be carried over, in the order of the original.
    package let notes: [ImportNote]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - format: The format; detected by its keys when nil.
    /// - Throws: ``ConfigurationDiagnostics`` for a file that cannot be read, is not YAML, or has an unknown format.
    package init(file path: String, format: ForeignFormat? = nil) throws(ConfigurationDiagnostics) {
        try self.init(BoundedFile.read(path, maximum: ConfigurationLoader.maximumSize), path: path, format: format)
    }

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: The text, in UTF-8.
    ///   - path: The file's name in diagnostics.
    ///   - format: The format; detected by its keys when nil.
    /// - Throws: ``ConfigurationDiagnostics`` for a text that is not YAML, or has an unknown format.
    package init(_ bytes: [UInt8], path: String, format: ForeignFormat? = nil) throws(ConfigurationDiagnostics) {
        let root: YAMLNode?
        do throws(YAMLError) {
            root = try YAMLReader.read(bytes)
        } catch {
            throw ConfigurationDiagnostics([ConfigurationDiagnostic(error, path: path)])
        }
        guard let root, case .mapping = root.content else {
            throw Self.fault(path, "the file is empty or is not a mapping")
        }
        guard let format = format ?? ForeignFormat(root) else {
            let hint = "blackbox_exporter files have the key modules, Gatus files endpoints; set the format with --from"
            throw Self.fault(path, "the format of the file is unknown", hint: hint)
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
        guard let items = draft.lists[list] else {
            // All of them: the first need not be the one that explains the failure.
            let reasons = notes.map { note in
                ConfigurationDiagnostic(.invalidValue, at: .file(path, note.position), note.words)
            }
            throw ConfigurationDiagnostics(
                reasons + Self.fault(path, "no module or endpoint of the file can be imported").diagnostics
            )
        }
        self.notes = notes
        count = items.count
        let receivers = draft.lists["notify"].map { [("notify", YAMLText.list($0))] } ?? []
        text =
            "# Made from the configuration of \(format.rawValue) by `reachd import`.\n"
            + YAMLText.document([(list, .list(items))] + receivers)
    }

    private static func fault(_ path: String, _ words: String, hint: String? = nil) -> ConfigurationDiagnostics {
        ConfigurationDiagnostics([ConfigurationDiagnostic(.invalidValue, at: .file(path, nil), words, hint: hint)])
    }
}

/// The format of a configuration; raw values are those of the command line.
package enum ForeignFormat: String, Sendable, Hashable, CaseIterable {
    /// Prometheus' blackbox_exporter: `modules`.
    case blackbox
    /// Gatus: `endpoints`.
    case gatus

    /// Detects the format by its keys.
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

/// A part of another program's configuration that reachd's cannot express exactly.
package struct ImportNote: Sendable, Hashable {
    /// Its position.
    package let position: YAMLPosition
    /// The message.
    package let words: String
}
