// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration
import Fleet
import LinuxIO
import PostgreSQL

/// `reachd fleet apply`
struct FleetApplyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Declare the fleet's targets and settings from a file.",
        discussion: """
            The file has the keys source, version, settings, watch and targets; targets have the form of the configuration's, and \
            watch besides. All of it is applied or nothing. Prints what is added (+), changed (~) and removed (-), or how many if \
            these are more than 100 and it is not a --dry-run: targets of the same source that the file no longer has are removed. A file with a lower version than the applied one is refused.

            With --watch it prints a line for each application, reports an invalid file and leaves what is applied, tries again \
            while the database is away, and ends with exit status 0 on SIGTERM or SIGINT. SIGHUP applies the file again.

            Example:
              targets:
                - { id: web, host: www.example.org, probe: { type: http }, watch: { watchers: 3, quorum: 2 } }
            """
    )

    /// How many changes are listed; of more, the numbers are.
    private static let maximumLines = 100

    @OptionGroup
    var fleet: FleetOptions

    @Flag(help: "Print the difference and change nothing.")
    var dryRun = false

    @Flag(help: "Apply the file even if a newer version of it was applied.")
    var force = false

    @Flag(help: "Keep running, and apply the file whenever it changes.")
    var watch = false

    @Argument(help: "The file, in YAML or JSON.", completion: .file())
    var file: String

    func validate() throws {
        guard watch, dryRun || force else { return }
        throw ValidationError("--watch applies; it cannot be combined with --dry-run or --force.")
    }

    func run() throws {
        // Before anything makes a thread: all of them must leave the signals to this one.
        let signals = watch ? SignalSet() : nil
        var application = FleetApplication(file: file, database: try fleet.settings())
        if let signals { return try keepApplying(application, signals) }
        application.options.isTrial = dryRun
        application.options.isForced = force
        let document: FleetDocument
        do throws(ConfigurationDiagnostics) {
            document = try FleetDocumentReader.read(file: file)
        } catch {
            for fault in error.diagnostics { StandardStream.error.write(line: "\(fault)") }
            throw ExitStatus.negative
        }
        switch try result(application, document) {
        case .success(let difference): try report(difference, document, application)
        case .failure(let error):
            throw CommandError.report(FleetApplication.words(error), error.isOfDatabase ? .unavailable : .negative)
        }
    }

    private func result(
        _ application: FleetApplication,
        _ document: FleetDocument
    ) throws -> Result<FleetDifference, FleetDeclarationError> {
        do throws(SystemError) {
            return try EventLoop.run(named: "reachd-fleet") { loop, end in
                application.apply(document, on: loop) { end($0) }
            }.map { (result: Result<Result<FleetDifference, FleetDeclarationError>, Never>) in result.get() }
                ?? .failure(.database(DatabaseError(.closed, "the command was cancelled")))
        } catch {
            throw CommandError.report("no thread for the connection: \(error)", .system)
        }
    }

    private func keepApplying(_ application: FleetApplication, _ signals: SignalSet) throws {
        do throws(SystemError) {
            let watch = try FleetApplyWatch(application)
            defer { watch.close() }
            try watch.start()
            while case .reload = signals.next() { watch.reload() }
        } catch {
            throw CommandError.report(
                "cannot watch \(file): \(error); raise fs.inotify.max_user_instances or max_user_watches",
                .system
            )
        }
    }

    private func report(
        _ difference: FleetDifference,
        _ document: FleetDocument,
        _ application: FleetApplication
    ) throws {
        guard difference.conflicts.isEmpty else {
            for line in application.lines(difference.conflicts) { StandardStream.error.write(line: line) }
            throw ExitStatus.negative
        }
        let lines =
            difference.added.map { "+ \($0)" } + difference.updated.map { "~ \($0)" }
            + difference.removed.map { "- \($0)" }
            + (difference.settings.isEmpty ? [] : ["~ settings"])
        if !lines.isEmpty, dryRun || lines.count <= Self.maximumLines {
            StandardStream.output.write(line: lines.joined(separator: "\n"))
        }
        let counts = FleetApplication.counts(difference, document)
        StandardStream.output.write(line: dryRun ? "not applied: \(counts)" : "applied: \(counts)")
    }
}
