// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import History
import LinuxIO
import Monitoring

/// `reachd import` of an export.
enum HistoryImporting {
    /// How much of a file says what it is.
    private static let beginning = 1 << 12

    /// The beginning of the standard input, which can be read once only.
    static func standardInput() throws -> [UInt8] {
        try StandardInput.read(atMost: beginning)
    }

    /// Whether a file begins as an export does.
    ///
    /// - Parameters:
    ///   - path: The file; `-` for the standard input.
    ///   - input: The beginning of the standard input.
    /// - Throws: ``ExitStatus``, after it said why the file is no other program's configuration either.
    static func isExport(_ path: String, input: [UInt8]) throws -> Bool {
        let start: [UInt8]
        if path == "-" {
            start = input
        } else {
            guard let read = try? FileContents.read(path, limit: beginning) else { return false }
            start = read
        }
        guard !start.isEmpty else { throw refusal(path == "-" ? "the input is empty" : "the file is empty", path) }
        let line = Array(start.prefix { $0 != 0x0a && $0 != 0x0d })
        if let fault = HistoryImport.fault(firstLine: line) { throw refusal(fault, path) }
        return HistoryImport.isExport(firstLine: line)
    }

    private static func refusal(_ words: String, _ path: String) -> ExitStatus {
        StandardStream.error.write(line: "reachd: \(path): \(TerminalText.safe(words, limit: 256))")
        return .usage
    }

    /// Puts an export into a log's file, and says what came of it.
    ///
    /// - Parameter input: The beginning of the standard input, if that is the export.
    /// - Throws: ``ExitStatus``, after it said why.
    static func run(_ path: String, behind input: [UInt8], into file: String) throws {
        do {
            let reader = try LineReader(path, behind: input)
            // Before there is a file: a wrong input leaves nothing behind.
            var next = try reader.next()
            switch next {
            case nil: throw refusal("the input is empty", path)
            case .bytes(let line)? where !HistoryImport.isExport(firstLine: line):
                throw refusal(HistoryImport.fault(firstLine: line) ?? "this is not an export of reachd", path)
            default: break
            }
            let target = try HistoryImport(path: file, now: SystemWallClock().now())
            var progress = ProgressLine()
            defer { progress.end() }
            var count = 0
            while let line = next {
                switch line {
                case .bytes(let bytes): try target.take(bytes)
                case .tooLong: target.skipLongLine()
                }
                count += 1
                if count % 256 == 0 { progress.report(count) }
                next = try reader.next()
            }
            try target.finish()
            progress.end()
            try report(target.report, path)
        } catch let error as HistoryError {
            let next = error.code == .locked ? ": stop the service first" : ""
            StandardStream.error.write(line: "reachd: cannot import: \(error)\(next)")
            throw error.code == .locked ? ExitStatus.unavailable : ExitStatus.negative
        } catch let error as SystemError {
            StandardStream.error.write(line: "reachd: \(error)")
            throw ExitStatus.usage
        }
    }

    private static func report(_ report: ImportReport, _ path: String) throws {
        if let aside = report.setAside {
            StandardStream.error.write(line: "reachd: the previous event log was unusable and is kept as \(aside)")
        }
        for fault in report.faults {
            let words = TerminalText.safe(fault.message, limit: 256)
            StandardStream.error.write(line: "\(path):\(fault.line): \(words)")
        }
        let rest = report.faulty - report.faults.count
        if rest > 0 { StandardStream.error.write(line: "\(path): \(rest) more lines are invalid") }
        var words = ["\(report.taken) records imported", "\(report.known) already present"]
        if report.conflicting > 0 {
            words.append("\(report.conflicting) events skipped because other events have their numbers")
        }
        if report.faulty > 0 { words.append("\(report.faulty) invalid lines skipped") }
        StandardStream.error.write(line: words.joined(separator: ", "))
        if report.conflicting > 0 || report.faulty > 0 { throw ExitStatus.negative }
    }
}

/// Shows progress on a terminal, a few times a second.
struct ProgressLine {
    private let isShown = isatty(STDERR_FILENO) == 1
    private var told: Int64 = .min

    mutating func report(_ count: Int) {
        guard isShown else { return }
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let tenths = Int64(time.tv_sec) * 10 + Int64(time.tv_nsec) / 100_000_000
        guard tenths >= told + 2 || told == .min else { return }
        told = tenths
        StandardStream.error.write(Array("\r\(count) records".utf8))
    }

    func end() {
        if isShown, told != .min { StandardStream.error.write(Array("\r\u{1b}[K".utf8)) }
    }
}
