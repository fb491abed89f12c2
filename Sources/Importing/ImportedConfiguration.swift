// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Configuration
import Schema

/// The result of importing another program's configuration.
package struct ImportedConfiguration: Sendable, Hashable {
    /// The original formats, at least one.
    package let formats: [ForeignFormat]
    /// reachd's configuration in YAML; `reachd validate` accepts it.
    package let text: String
    /// The number of its modules and targets.
    package let count: Int
    /// What could not be carried over, in the order of the original.
    package let notes: [ImportNote]
    /// What was carried over and lost, in one line.
    package let summary: String

    /// The notes by their kinds.
    package var groups: [ImportNoteGroup] { ImportNoteGroup.of(notes) }

    /// Reads a file, and the files that it names.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - format: The format; detected by its keys when nil.
    ///   - modules: The file with the modules of Prometheus' probe jobs; nil for one beside the file, or the exporter's own.
    /// - Throws: ``ConfigurationDiagnostics`` for a file that cannot be read, is not YAML, has an unknown format, or has
    ///   nothing that can be imported.
    package init(
        file path: String,
        format: ForeignFormat? = nil,
        modules: String? = nil
    ) throws(ConfigurationDiagnostics) {
        let files = ForeignFiles(folder: ForeignFiles.folder(of: path))
        if ForeignDatabase.isDatabase(path) {
            let root = try KumaDatabase.read(path)
            let part = ForeignPart(format: .kuma, root: root, origin: ForeignOrigin(database: path), wrapper: nil)
            guard format ?? .kuma == .kuma else { throw Self.wrong(path) }
            try self.init([part], path: path, modules: modules, files: files)
            return
        }
        let bytes = try BoundedFile.read(path, maximum: ConfigurationLoader.maximumSize)
        try self.init(bytes, path: path, format: format, modules: modules, files: files)
    }

    /// Reads what came by a pipe; the files that it names are looked for in the current directory.
    ///
    /// - Parameters:
    ///   - bytes: The input, of which more than ``ConfigurationLoader/maximumSize`` is too much.
    ///   - format: The format; detected by its keys when nil.
    ///   - modules: As above.
    /// - Throws: ``ConfigurationDiagnostics`` as above, and for a database.
    package init(
        input bytes: [UInt8],
        format: ForeignFormat? = nil,
        modules: String? = nil
    ) throws(ConfigurationDiagnostics) {
        let path = "standard input"
        guard bytes.count <= ConfigurationLoader.maximumSize else {
            throw BoundedFile.tooLarge(path, ConfigurationLoader.maximumSize)
        }
        guard !ForeignDatabase.isDatabase(bytes) else {
            let words = "is a database, which is read from a file alone"
            throw ConfigurationDiagnostics([.init(.invalidValue, at: .file(path, nil), words)])
        }
        try self.init(bytes, path: path, format: format, modules: modules, files: ForeignFiles(folder: "."))
    }

    /// Reads a text; the files that it names are not read.
    ///
    /// - Parameters:
    ///   - bytes: The text, in UTF-8.
    ///   - path: The file's name in diagnostics.
    ///   - format: The format; detected by its keys when nil.
    /// - Throws: ``ConfigurationDiagnostics`` as above.
    package init(_ bytes: [UInt8], path: String, format: ForeignFormat? = nil) throws(ConfigurationDiagnostics) {
        try self.init(bytes, path: path, format: format, modules: nil, files: ForeignFiles(folder: nil))
    }

    /// How many documents a file may have.
    private static let maximumDocuments = 1_000

    private init(
        _ bytes: [UInt8],
        path: String,
        format: ForeignFormat?,
        modules: String?,
        files: ForeignFiles
    ) throws(ConfigurationDiagnostics) {
        let search = ForeignSearch(
            try Self.documents(bytes, path),
            of: bytes,
            format: format,
            origin: ForeignOrigin(file: path)
        )
        guard !search.parts.isEmpty else { throw Self.unknown(search, bytes, path) }
        try self.init(search.parts, path: path, modules: modules, files: files)
    }

    /// - Parameter parts: What was found, at least one.
    private init(
        _ parts: [ForeignPart],
        path: String,
        modules: String?,
        files: ForeignFiles
    ) throws(ConfigurationDiagnostics) {
        let first = parts[0]
        var draft = ImportDraft(first.origin)
        var files = files
        for part in parts {
            draft.origin = part.origin
            if let wrapper = part.wrapper {
                draft.note(part.root, "the configuration of \(same: part.format.program) is that in \(wrapper)")
            }
            switch part.format {
            case .blackbox: BlackboxImporter.take(part.root, &draft)
            case .gatus: GatusImporter().take(part.root, &draft)
            case .prometheus:
                let own = parts.first { $0.format == .blackbox }
                let modules = try PrometheusModules.find(own, modules, files, at: part.root, &draft)
                PrometheusImporter.take(part.root, modules: modules, &files, &draft)
            case .kuma: KumaImporter.take(part.root, &draft)
            }
        }
        draft.origin = first.origin
        draft.noteVariables(at: first.root)
        guard !draft.isEmpty else { throw Self.nothing(draft, path) }
        notes = draft.sortedNotes(path)
        count = (draft.lists["probe_modules"]?.count ?? 0) + (draft.lists["targets"]?.count ?? 0)
        let formats = ForeignFormat.allCases.filter { format in parts.contains { $0.format == format } }
        self.formats = formats
        summary = draft.tally.summary
        let programs = formats.map(\.program).joined(separator: " and ")
        text = "# Made from the configuration of \(programs) by `reachd import`.\n" + draft.text
    }

    private static func documents(_ bytes: [UInt8], _ path: String) throws(ConfigurationDiagnostics) -> [YAMLNode] {
        // JSON has characters as two escapes, which YAML has not.
        let start = bytes.first { !" \t\r\n".utf8.contains($0) }
        if start == UInt8(ascii: "{") || start == UInt8(ascii: "["), let node = try? YAMLNode(json: bytes) {
            return [node]
        }
        do throws(YAMLError) {
            return try YAMLReader.read(bytes, documents: maximumDocuments)
        } catch {
            let hint =
                String(decoding: bytes, as: UTF8.self).contains("{{")
                ? "a template must be rendered first, for example by helm template" : nil
            let fault = ConfigurationDiagnostic(error, path: path)
            throw ConfigurationDiagnostics([
                ConfigurationDiagnostic(fault.code, at: fault.place, fault.words, hint: hint)
            ])
        }
    }

    // MARK: Nothing to import

    private static func wrong(_ path: String) -> ConfigurationDiagnostics {
        let words = "is a database of SQLite, which only Uptime Kuma has"
        return ConfigurationDiagnostics([.init(.invalidValue, at: .file(path, nil), words, hint: "write --from kuma")])
    }

    private static func unknown(_ search: ForeignSearch, _ bytes: [UInt8], _ path: String) -> ConfigurationDiagnostics {
        let faults = search.faults.prefix(20).map { fault in
            ConfigurationDiagnostic(.invalidValue, at: .file(path, fault.node.position), fault.words)
        }
        var hint =
            "blackbox_exporter's files have the key modules, Gatus' endpoints, Prometheus' scrape_configs, Uptime Kuma's "
            + "monitorList; set the format with --from"
        if isOfMariaDB(bytes) {
            hint =
                "Uptime Kuma's data is in MariaDB: export the rows of its tables as JSON, as {\"monitor\": [{…}], "
                + "\"notification\": [{…}]}, see docs/migrating-from-uptime-kuma.md"
        }
        let words = bytes.isEmpty ? "the file is empty" : "the file has no configuration that reachd can import"
        return ConfigurationDiagnostics(
            faults + [ConfigurationDiagnostic(.invalidValue, at: .file(path, nil), words, hint: hint)]
        )
    }

    /// Whether a file is a dump of MariaDB, or Uptime Kuma's file that says where its data is.
    private static func isOfMariaDB(_ bytes: [UInt8]) -> Bool {
        let start = String(decoding: bytes.prefix(512), as: UTF8.self).lowercased()
        return start.contains("mariadb") || start.contains("-- mysql dump")
    }

    /// Why nothing is left: what was left out, or what was noted.
    private static func nothing(_ draft: ImportDraft, _ path: String) -> ConfigurationDiagnostics {
        let reasons = draft.reasons.isEmpty ? draft.sortedNotes(path) : draft.reasons
        let shown = ImportNoteGroup.of(reasons).flatMap { $0.notes.prefix(20) }.prefix(100)
        var faults = shown.map { note in
            ConfigurationDiagnostic(.invalidValue, at: .file(note.file, note.position), note.words)
        }
        if shown.count < reasons.count {
            let words = "\(reasons.count - shown.count) more reasons are not shown"
            faults.append(ConfigurationDiagnostic(.tooManyFaults, at: .file(path, nil), words))
        }
        let words =
            shown.isEmpty
            ? "the file has no modules, no endpoints, no jobs and no monitors"
            : "no module, endpoint, target or monitor of the file can be imported"
        return ConfigurationDiagnostics(faults + [ConfigurationDiagnostic(.invalidValue, at: .file(path, nil), words)])
    }
}

/// The format of a configuration; raw values are those of the command line.
package enum ForeignFormat: String, Sendable, Hashable, CaseIterable {
    /// blackbox_exporter: `modules`.
    case blackbox
    /// Gatus: `endpoints`.
    case gatus
    /// Prometheus: `scrape_configs`, of which probe jobs are imported.
    case prometheus
    /// Uptime Kuma: its database, a backup with `monitorList`, or the rows of its tables, by the table's name.
    case kuma

    /// The program's name.
    var program: String {
        switch self {
        case .blackbox: "blackbox_exporter"
        case .gatus: "Gatus"
        case .prometheus: "Prometheus"
        case .kuma: "Uptime Kuma"
        }
    }
}
