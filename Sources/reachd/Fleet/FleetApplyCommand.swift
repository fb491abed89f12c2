// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration
import Fleet
import PostgreSQL

/// `reachd fleet apply`
struct FleetApplyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Declare the fleet's targets and settings from a file.",
        discussion: """
            The file has the keys source, settings, watch and targets; targets have the form of the configuration's, and watch \
            besides. All of it is applied or nothing. Prints what is added (+), changed (~) and removed (-): targets of the same \
            source that the file no longer has are removed.

            Example:
              targets:
                - { id: web, host: www.example.org, probe: { type: http }, watch: { watchers: 3, quorum: 2 } }
            """
    )

    @OptionGroup
    var fleet: FleetOptions

    @Flag(help: "Print the difference and change nothing.")
    var dryRun = false

    @Argument(help: "The file, in YAML or JSON.", completion: .file())
    var file: String

    func run() throws {
        let document: FleetDocument
        do throws(ConfigurationDiagnostics) {
            document = try FleetDocumentReader.read(file: file)
        } catch {
            for fault in error.diagnostics { StandardStream.error.write(line: "\(fault)") }
            throw ExitStatus.negative
        }
        let settings = try fleet.settings()
        let isTrial = dryRun
        let result: Result<FleetDifference, FleetDeclarationError> = try FleetConsole.run(settings) { database, end in
            let declarer = FleetDeclarer(document, to: database, isTrial: isTrial)
            declarer.start { end(.success($0)) }
        }
        switch result {
        case .success(let difference): try report(difference, document)
        case .failure(.database(let error)): throw FleetConsole.report(error)
        case .failure(let error): throw CommandError.report(error.words, .negative)
        }
    }

    private func report(_ difference: FleetDifference, _ document: FleetDocument) throws {
        for (id, source) in difference.conflicts.sorted(by: { $0.key < $1.key }) {
            let words =
                source.isEmpty
                ? "the target \(id) was added over HTTP" : "the source \(source) declares the target \(id) already"
            StandardStream.error.write(line: "\(file): \(words)")
        }
        guard difference.conflicts.isEmpty else { throw ExitStatus.negative }
        let lines =
            difference.added.map { "+ \($0)" } + difference.updated.map { "~ \($0)" }
            + difference.removed.map { "- \($0)" }
            + (difference.changesSettings ? ["~ settings"] : [])
        if !lines.isEmpty { StandardStream.output.write(line: lines.joined(separator: "\n")) }
        let counts =
            "\(difference.added.count) added, \(difference.updated.count) changed, \(difference.removed.count) removed, "
            + "\(document.declarations.count) in all"
        StandardStream.output.write(line: dryRun ? "not applied: \(counts)" : "applied: \(counts)")
    }
}
