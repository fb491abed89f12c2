// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@testable import History

@Suite("Export and import", .timeLimit(.minutes(15)))
struct TransferTests {
    private static let origin: Int64 = 20_000 * 86_400_000
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func event(_ sequence: UInt64, _ generator: inout SeededGenerator) -> RecordedEvent {
        let type = EventType.allCases.randomElement(using: &generator) ?? .state
        let texts = ["", "a", "web \"1\"", "ä\\n,;", "line\nend", "\u{1}\u{1f600}"]
        let states = TargetState.allCases
        let transition =
            type == .state
            ? RecordedEvent.Transition(
                from: states.randomElement(using: &generator) ?? .up,
                to: states.randomElement(using: &generator) ?? .up,
                reason: generator.once(in: 2) ? "connect_refused" : nil,
                cause: generator.once(in: 2) ? StateCause.allCases.randomElement(using: &generator) : nil
            ) : nil
        let tags = (0..<Int.random(in: 0...3, using: &generator)).map { index in
            ("k\(index)\(texts.randomElement(using: &generator) ?? "")", texts.randomElement(using: &generator) ?? "")
        }
        return RecordedEvent(
            sequence: sequence,
            at: Timestamp(milliseconds: Self.origin + Int64(sequence) * 1_234),
            type: type,
            target: generator.once(in: 4) ? nil : "t\(Int.random(in: 0..<5, using: &generator))",
            group: generator.once(in: 2) ? texts[Int.random(in: 0..<4, using: &generator)] : nil,
            tags: Dictionary(tags) { first, _ in first },
            isStatusChanged: generator.once(in: 2),
            transition: transition,
            data: Array(#"{"target":"x","at":"2026","n":[1,-2.5e3,{"ä":"\u00e4\\"}],"t":true}"#.utf8),
            supplement: generator.once(in: 3) ? Array(#"{"path":{"status":"satisfied"}}"#.utf8) : []
        )
    }

    /// A file with events, gaps, minutes, hours and days.
    private func fill(_ path: String, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let store = try SQLiteEventStore(path: path, schema: .current)
        let numbers = (1...1_500).filter { !(600...650).contains($0) }
        try store.append(numbers.map { event(UInt64($0), &generator) })
        let gap = EventGap(
            first: 600,
            last: 650,
            began: Timestamp(milliseconds: Self.origin),
            ended: Timestamp(milliseconds: Self.origin + 5),
            reason: .full
        )
        try store.adopt(epoch: "abc", head: 1_500, gaps: [gap])
        store.close()
        let writer = try SQLiteRollupWriter(path: path, retention: RollupSettings())
        for minute in 0..<1_600 {
            // Targets come in an order that is not that of their names.
            for target in ["t4", "t1", "t3"].prefix(minute % 4) {
                let bucket = RollupBucketTests.random(&generator)
                guard !bucket.isEmpty else { continue }
                try writer.write([
                    RollupSegment(target: target, start: Self.origin + Int64(minute) * 60_000, bucket: bucket)
                ])
            }
        }
        try writer.fold(now: Self.origin + 86_400_000 * 2)
    }

    private func export(
        _ path: String,
        _ format: TransferFormat = .jsonl,
        _ selection: TransferSelection = TransferSelection()
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var export = try HistoryExport(path: path, format: format) { bytes += $0 }
        try export.run(selection)
        #expect(export.count == bytes.count { $0 == 0x0a } - 1)
        return bytes
    }

    private func lines(_ bytes: [UInt8]) -> [[UInt8]] { bytes.split(separator: 0x0a).map(Array.init) }

    @discardableResult
    private func take(_ lines: some Sequence<[UInt8]>, into path: String) throws -> ImportReport {
        let target = try HistoryImport(path: path, now: Timestamp(milliseconds: 0))
        for line in lines { try target.take(line) }
        try target.finish()
        return target.report
    }

    @Test("An export of an import has the same bytes as the first export; a second import changes nothing")
    func roundTrip() throws {
        let path = folder.path(of: "a.db")
        try fill(path, seed: 1)
        let first = try export(path)
        let copy = folder.path(of: "b.db")
        let report = try take(lines(first), into: copy)
        #expect(report.taken == lines(first).count - 1)
        #expect(report.known + report.conflicting + report.faulty == 0, "\(report.faults)")
        #expect(try export(copy) == first)
        let again = try take(lines(first), into: copy)
        #expect(again.taken == 0)
        #expect(again.known == lines(first).count - 1)
        #expect(try export(copy) == first)
        // Into the file that it came from.
        #expect(try take(lines(first), into: path).taken == 0)
        // In parts, in any order.
        let other = folder.path(of: "c.db")
        let body = lines(first).dropFirst()
        try take([lines(first)[0]] + body.suffix(900), into: other)
        try take([lines(first)[0]] + body.prefix(2_000), into: other)
        try take(lines(first), into: other)
        #expect(try export(other) == first)
    }

    @Test("Comma-separated values make the same way", arguments: TransferSelection.Part.allCases)
    func csv(part: TransferSelection.Part) throws {
        let path = folder.path(of: "a.db")
        try fill(path, seed: 2)
        let selection = TransferSelection(parts: [part])
        let first = try export(path, .csv, selection)
        let copy = folder.path(of: "b.db")
        let report = try take(lines(first), into: copy)
        #expect(report.faulty == 0, "\(report.faults)")
        #expect(report.taken == lines(first).count - 1 && report.taken > 100)
        #expect(try export(copy, .csv, selection) == first)
        // Gaps have a table of their own.
        let json = TransferSelection(parts: [part], targets: ["t0", "t1", "t2", "t3", "t4"])
        #expect(try export(copy, .jsonl, json) == export(path, .jsonl, json))
    }

    @Test("Only the selected records are exported")
    func selection() throws {
        let path = folder.path(of: "a.db")
        try fill(path, seed: 3)
        let from = Timestamp(milliseconds: Self.origin + 600_000)
        let to = Timestamp(milliseconds: Self.origin + 1_200_000)
        let some = try lines(
            export(path, .jsonl, TransferSelection(from: from, to: to, targets: ["t1"]))
        ).dropFirst().map { try TransferLine.record(json: $0) }
        #expect(some.count > 10)
        for record in some {
            switch record {
            case .event(let event): #expect(event.target == "t1" && event.at >= from && event.at < to)
            case .gap: Issue.record("A gap is nobody's")
            case .rollup(let resolution, let piece):
                #expect(resolution == .minute && piece.target == "t1")
                #expect(piece.start >= from.milliseconds && piece.start < to.milliseconds)
            }
        }
        let transitions = try lines(export(path, .jsonl, TransferSelection(parts: [.transitions]))).dropFirst()
        for line in transitions {
            guard case .event(let event) = try TransferLine.record(json: line) else {
                Issue.record("Only events are wanted")
                continue
            }
            #expect(event.transition != nil)
        }
        #expect(transitions.count > 100)
    }

    @Test("An import reports the outcome of each record, and leaves existing records alone")
    func conflicts() throws {
        let (path, other) = (folder.path(of: "a.db"), folder.path(of: "b.db"))
        try fill(path, seed: 4)
        try fill(other, seed: 5)
        let before = try export(other)
        let events = try lines(export(path, .jsonl, TransferSelection(parts: [.events])))
        let report = try take(events, into: other)
        #expect(report.conflicting > 1_000)
        #expect(report.taken == 0)
        #expect(try export(other) == before)
        let epochs = try [path, other].map {
            try SQLiteDatabase(path: $0, mode: .readOnly).text("SELECT value FROM meta WHERE name = 'epoch'")
        }
        #expect(epochs == ["abc", "abc"])
        // New events stand in a log that clients follow: another epoch.
        var generator = SeededGenerator(seed: 9)
        try take(
            [Array(TransferLine.signature.utf8), TransferLine.json(.event(event(9_999, &generator)))],
            into: other
        )
        let epoch = try SQLiteDatabase(path: other, mode: .readOnly).text("SELECT value FROM meta WHERE name = 'epoch'")
        #expect(epoch != "abc")
    }

    @Test("The file of a running service is not changed")
    func locked() throws {
        let path = folder.path(of: "a.db")
        let file = SQLiteEventFile(path: path)
        let store = try file.open(now: Timestamp(milliseconds: 0)).store
        let error = #expect(throws: HistoryError.self) {
            _ = try HistoryImport(path: path, now: Timestamp(milliseconds: 0))
        }
        #expect(error?.code == .locked)
        // But exported from.
        #expect(try lines(export(path)).count == 1)
        store.close()
        withExtendedLifetime(file) {}
    }

    @Test("An import accepts only records that an export could contain, whatever the file contains", arguments: 0..<6)
    func fuzz(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let path = folder.path(of: "a.db")
        try fill(path, seed: seed)
        let good = try lines(export(path))
        let bodies = good.dropFirst().shuffled(using: &generator)
        let pieces = [
            "{", "}", "[", "]", "\"", ",", ":", "\\", "null", "-1", "1e999", "0", "18446744073709551615", "\u{0}", "\r",
            "{\"kind\":\"event\"}", "\"up_seconds\":99999", "[[895,1],[895,1]]", "9999-99-99T00:00:00Z", "ÿ",
        ]
        let target = folder.path(of: "b.db")
        let importer = try HistoryImport(path: target, now: Timestamp(milliseconds: 0))
        try importer.take(good[0])
        for index in 0..<6_000 {
            var line = bodies[index % bodies.count]
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<line.count, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: line[place] = .random(in: 0...255, using: &generator)
                case 1: line.removeSubrange(place..<min(place + Int.random(in: 1...40, using: &generator), line.count))
                case 2: line.insert(contentsOf: Array((pieces.randomElement(using: &generator) ?? "").utf8), at: place)
                case 3: line.insert(contentsOf: line[..<place], at: place)
                default: line = Array(line[..<max(place, 1)])
                }
                if line.isEmpty { line = [0x7b] }
            }
            try importer.take(line)
        }
        try importer.finish()
        #expect(importer.report.faulty > 1_000)
        #expect(importer.report.faults.count == 20)
        // Everything that was taken can be read, exported and imported again.
        let taken = try lines(export(target))
        let again = try take(taken, into: folder.path(of: "c.db"))
        #expect(again.faulty == 0, "\(again.faults)")
        #expect(again.taken == taken.count - 1)
        let deep = Array((#"{"kind":"event","data":"# + String(repeating: "[", count: 100_000)).utf8)
        #expect(throws: TransferError.self) { _ = try TransferLine.record(json: deep) }
    }

    @Test("Lines of other files are not taken")
    func foreign() throws {
        #expect(HistoryImport.isExport(firstLine: Array(#"{"reachd":"history","version":1}"#.utf8)))
        #expect(!HistoryImport.isExport(firstLine: Array(#"{"reachd":"history","version":2}"#.utf8)))
        #expect(!HistoryImport.isExport(firstLine: Array("modules:".utf8)))
        let report = try take([Array("modules:".utf8)], into: folder.path(of: "d.db"))
        #expect(report.faults == [ImportReport.Fault(line: 1, message: "this is not an export of reachd")])
    }

    @Test("A truncated export and one of another version have other errors than a file of another program")
    func beginnings() {
        func fault(_ line: String) -> String? { HistoryImport.fault(firstLine: Array(line.utf8)) }
        #expect(fault(#"{"reachd":"history","version":1}"#) == nil && fault("endpoints:") == nil && fault("") == nil)
        #expect(fault(#"{"endpoints": [], "kind": "Pod"}"#) == nil)
        #expect(fault(#"{"reachd":"history","version":2}"#)?.contains("version 2") == true)
        for line in [
            #"{"kind":"gap","data":1}"#, #"{ "sequence": 1, "kind": "event" }"#, #"{"kind":"event","data":{"cut"#,
        ] {
            #expect(fault(line)?.hasPrefix("the first line of the export is missing") == true, "\(line)")
        }
        #expect(HistoryImport.isExport(firstLine: Array(#"{ "version": 1, "reachd": "history" }"#.utf8)))
    }

    @Test("Exports behind one another are taken as one; of another version nothing is")
    func concatenated() throws {
        let path = folder.path(of: "a.db")
        try fill(path, seed: 3)
        let whole = try lines(export(path))
        let half = whole.count / 2
        let copy = folder.path(of: "b.db")
        let report = try take(whole[..<half] + [whole[0]] + whole[half...], into: copy)
        #expect(report.faulty == 0 && report.taken == whole.count - 1, "\(report.faults)")
        #expect(try lines(export(copy)) == whole)
        let other = Array(#"{"reachd":"history","version":2}"#.utf8)
        let mixed = try take(whole[..<half] + [other] + whole[half...], into: folder.path(of: "c.db"))
        #expect(mixed.taken == half - 1 && mixed.faulty == whole.count - half + 1)
        #expect(mixed.faults.map(\.line) == [half + 1] && mixed.faults[0].message.contains("version 2"))
    }

    @Test("JSON is JSON, and a line has no line ends in it")
    func json() {
        for bad in [
            "", "{", "{}x", "[]", "{\"a\"}", "{\"a\":}", "{\"a\":01}", "{\"a\":1.}", "{\"a\":tru}", "{\"a\":\"\u{1}\"}",
            "{\"a\":\"\\x\"}", "{\"a\":\"\\ud800\"}", "{\"a\":1,\"a\":2}", "{\"a\":1,}", "{\"a\":[1,]}", "{\"a\":\r1}",
            "{\"a\":\"\\u12\"}", "{\"a\":\"\\u+123\"}",
        ] {
            #expect(throws: TransferError.self, "\(bad)") { _ = try TransferLine.members(Array(bad.utf8)) }
        }
        for good in ["{}", " { \"a\" : [ 1 , -0.5e-7 , {} ] } ", "{\"\\ud83d\\ude00\":\"\\u00e4\\n\"}", "{\"a\":null}"]
        {
            #expect(throws: Never.self) { _ = try TransferLine.members(Array(good.utf8)) }
        }
        let broken: [UInt8] = [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]
        #expect(throws: TransferError.self) { _ = try TransferLine.members(broken) }
    }
}
