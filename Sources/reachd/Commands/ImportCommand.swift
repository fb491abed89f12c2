// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration
import LinuxIO

/// `reachd import`
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Makes a configuration of that of blackbox_exporter or Gatus.",
        discussion: """
            Prints YAML: `probe_modules` for modules of blackbox_exporter, `targets` for endpoints of Gatus. What could not be \
            carried over, or means something else here, goes to the standard error as FILE:LINE:COLUMN: WORDS. What is printed \
            passes reachd validate. Exit status: 0 printed, 2 a file that cannot be used.
            """
    )

    @Argument(help: "The other program's configuration file.")
    var file: String

    @Option(help: "Whose it is: blackbox or gatus; found out by its keys otherwise.")
    var from: ForeignFormat?

    func run() throws {
        let imported: ImportedConfiguration
        do throws(ConfigurationFaults) {
            imported = try ImportedConfiguration(file: file, format: from)
        } catch {
            StandardStream.error.write(line: "reachd: \(error.description)")
            throw ExitStatus.usage
        }
        for note in imported.notes {
            let words = PrintableBytes.escape(note.words.utf8, limit: 1_024, keepingBackslash: true)
            StandardStream.error.write(line: "\(file):\(note.position.line):\(note.position.column): \(words)")
        }
        StandardStream.output.write(Array(imported.text.utf8))
        let what = imported.format == .blackbox ? "modules" : "targets"
        StandardStream.error.write(line: "\(imported.count) \(what) carried over, \(imported.notes.count) notes")
    }
}
