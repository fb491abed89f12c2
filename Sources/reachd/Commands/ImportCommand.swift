// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration
import Importing
import LinuxIO
import Schema

/// `reachd import`
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import an export of reachd, or convert a configuration of blackbox_exporter or Gatus.",
        discussion: """
            An export is added to the event log of a service that is not running. Existing records stay, so a second import \
            changes nothing; skipped records are reported. A configuration is printed as YAML: `probe_modules` for modules of \
            blackbox_exporter, `targets` for endpoints of Gatus. Settings that reachd cannot convert, or treats differently, \
            are reported on standard error as FILE:LINE:COLUMN: TEXT. The YAML passes reachd validate; variables that must be \
            set for that are reported. Exit status: 0 done, 1 records skipped or not written, 2 unusable file, 69 the service \
            is running, 78 invalid configuration.
            """
    )

    @OptionGroup
    var log: LogFileOptions

    @Argument(
        help: "The export, - for standard input, or the other program's configuration file.",
        completion: .file()
    )
    var source: String

    @Option(help: "The format of the configuration: blackbox or gatus (default: detected by its keys).")
    var from: ForeignFormat?

    func run() throws {
        guard from == nil, try HistoryImporting.isExport(source) else { return try printConfiguration() }
        try HistoryImporting.run(source, into: try log.path())
    }

    private func printConfiguration() throws {
        let imported: ImportedConfiguration
        do throws(ConfigurationDiagnostics) {
            imported = try ImportedConfiguration(file: source, format: from)
        } catch {
            for fault in error.diagnostics {
                StandardStream.error.write(line: "reachd: \(TerminalText.safe(fault.description, limit: 1_024))")
            }
            throw ExitStatus.usage
        }
        for note in imported.notes {
            let words = TerminalText.safe(note.words, limit: 1_024)
            StandardStream.error.write(line: "\(source):\(note.position.line):\(note.position.column): \(words)")
        }
        StandardStream.output.write(Array(imported.text.utf8))
        let what = imported.format == .blackbox ? "modules" : "targets"
        StandardStream.error.write(line: "\(imported.count) \(what) converted, \(imported.notes.count) notes")
    }
}
