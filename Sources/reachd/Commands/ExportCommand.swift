// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Glibc
public import History
import LinuxIO
import Monitoring

extension TransferFormat: ExpressibleByArgument {}
extension TransferSelection.Part: ExpressibleByArgument {}

/// `reachd export`
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the history to standard output while the service runs.",
        discussion: """
            jsonl contains every event and the rollups of each target by minute, hour and day; reachd import reads it. csv \
            contains one part. Exit status: 0 written, 1 not written, 2 usage, 78 invalid configuration.
            """
    )

    @OptionGroup
    var log: LogFileOptions

    @Option(help: "The format: jsonl or csv.")
    var format: TransferFormat = .jsonl

    @Option(help: "The part: events, transitions (changes of state only) or rollups; may be repeated.")
    var what: [TransferSelection.Part] = []

    @Option(help: ArgumentHelp("The start, such as 2026-11-22T10:00:00Z or 2026-11-22.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("The end, exclusive.", valueName: "time"))
    var to: String?

    @Option(help: ArgumentHelp("Only of this target; may be repeated.", valueName: "id"), completion: .targets)
    var target: [String] = []

    func validate() throws {
        guard !target.contains("") else { throw ValidationError("--target needs an id.") }
    }

    func run() throws {
        var selection = TransferSelection(targets: Set(target))
        if !what.isEmpty { selection.parts = Set(what) }
        selection.from = try moment(from, "--from")
        selection.to = try moment(to, "--to")
        guard format == .jsonl || selection.parts.count == 1 else {
            StandardStream.error.write(line: "reachd: --format csv takes one --what: events, transitions or rollups")
            throw ExitStatus.usage
        }
        let path = try log.path()
        let sink = Sink()
        var progress = ProgressLine()
        do throws(HistoryError) {
            var export = try HistoryExport(path: path, format: format) { sink.write($0) }
            try export.run(selection) { progress.report($0) }
        } catch {
            progress.end()
            StandardStream.error.write(line: "reachd: cannot export the history: \(error)")
            throw ExitStatus.negative
        }
        progress.end()
    }

    private func moment(_ text: String?, _ option: String) throws -> Timestamp? {
        guard let text else { return nil }
        if let moment = Timestamp(parsing: text) { return moment }
        StandardStream.error.write(
            line: "reachd: \(option) must be a time such as 2026-11-22T10:00:00Z, or a day such as 2026-11-22"
        )
        throw ExitStatus.usage
    }

    /// The standard output; an export that is not whole must not look like one.
    private final class Sink {
        func write(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty {
                do throws(SystemError) {
                    let count = try systemCall("write") {
                        unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
                    }
                    rest = rest.dropFirst(count)
                } catch {
                    StandardStream.error.write(line: "reachd: cannot export the history: \(error)")
                    Glibc.exit(ExitStatus.negative.rawValue)
                }
            }
        }
    }
}
