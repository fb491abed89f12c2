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
        abstract: "Takes what reachd export wrote, or the configuration of blackbox_exporter or Gatus.",
        discussion: """
            An export goes into the event log's file of a service that does not run; what is there already stays as it is, so \
            that a second import changes nothing, and what was left out is told. Of the other programs' configurations YAML is \
            printed: `probe_modules` for modules of blackbox_exporter, `targets` for endpoints of Gatus. What could not be \
            carried over, or means something else here, goes to the standard error as FILE:LINE:COLUMN: WORDS. What is printed \
            passes reachd validate; which variables have to be set for that is told. Exit status: 0 done, 1 something of an \
            export was left out or could not be written, 2 a file that cannot be used, 69 a service has the event log, 78 faults \
            in the configuration.
            """
    )

    @OptionGroup
    var log: LogFileOptions

    @Argument(
        help: "The export, - for one on the standard input; or the other program's configuration file.",
        completion: .file()
    )
    var source: String

    @Option(help: "Whose configuration it is: blackbox or gatus; found out by its keys otherwise.")
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
        StandardStream.error.write(line: "\(imported.count) \(what) carried over, \(imported.notes.count) notes")
    }
}
