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
        abstract:
            "Import an export of reachd, or convert a configuration of Prometheus, blackbox_exporter, Gatus or Uptime Kuma.",
        discussion: """
            An export is added to the event log of a service that is not running. Existing records stay, so a second import \
            changes nothing; skipped records are reported. A configuration is printed as YAML: `probe_modules` for modules of \
            blackbox_exporter, `targets` for endpoints of Gatus, for monitors of Uptime Kuma (its database or a backup) and \
            for targets of Prometheus' probe jobs. It may be inside of a ConfigMap, a HelmRelease or the values of a chart. \
            What must not be probed as it is, is written as a comment. Settings that reachd cannot convert, or treats \
            differently, are reported on standard error: one line for each kind, FILE:LINE:COLUMN: TEXT, or with -v one for \
            each setting; the last line counts what was imported and lost. The YAML passes reachd validate; variables that \
            must be set for that are reported. Exit status: 0 done, 1 records skipped or not written, 2 unusable file, 69 the \
            service is running, 78 invalid configuration.
            """
    )

    @OptionGroup
    var log: LogFileOptions

    @Argument(
        help: "The export or the other program's configuration; - for standard input.",
        completion: .file()
    )
    var source: String

    @Option(
        help: "The format of the configuration: blackbox, gatus, prometheus or kuma (default: detected by its keys)."
    )
    var from: ForeignFormat?

    @Option(
        help: "The file with the modules that Prometheus' probe jobs name (default: blackbox.yml beside the file).",
        completion: .file()
    )
    var modules: String?

    @Flag(name: .shortAndLong, help: "Report each setting that is not converted, and not only one of each kind.")
    var verbose = false

    func run() throws {
        let input = source == "-" ? try HistoryImporting.standardInput() : []
        guard from == nil, modules == nil, try HistoryImporting.isExport(source, input: input) else {
            return try printConfiguration(behind: input)
        }
        try HistoryImporting.run(source, behind: input, into: try log.path())
    }

    /// - Parameter input: The beginning of the standard input, if that is the configuration.
    private func printConfiguration(behind input: [UInt8]) throws {
        let limit = ConfigurationLoader.maximumSize + 1
        let bytes = source == "-" ? try StandardInput.read(atMost: limit, behind: input) : []
        let imported: ImportedConfiguration
        do throws(ConfigurationDiagnostics) {
            imported =
                source == "-"
                ? try ImportedConfiguration(input: bytes, format: from, modules: modules)
                : try ImportedConfiguration(file: source, format: from, modules: modules)
        } catch {
            for fault in error.diagnostics { report("reachd: \(fault.description)") }
            throw ExitStatus.usage
        }
        let groups = imported.groups
        if verbose {
            for note in imported.notes { report(note.line) }
        } else {
            for group in groups { report(group.line) }
        }
        StandardStream.output.write(Array(imported.text.utf8))
        let isMore = !verbose && groups.count < imported.notes.count
        report(imported.summary + (isMore ? "; -v shows all \(imported.notes.count) notes" : ""))
    }

    private func report(_ line: String) {
        StandardStream.error.write(line: TerminalText.safe(line, limit: 1_024))
    }
}
