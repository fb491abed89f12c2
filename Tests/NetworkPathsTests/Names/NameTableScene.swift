// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import TestSupport
import Testing

@testable import LinuxIO
@testable import NetworkPaths

/// A name table with a resolver file of the test's own, on a loop whose clock the test moves; no query leaves the process.
final class NameTableScene: Sendable {
    private let clock = ManualClock()
    private let loop: EventLoop
    private let folder: TemporaryFolder
    private let parts: ThreadConfined<Parts>

    private final class Parts {
        var table: NameTable?
        var watcher: ContentsWatcher?
        var service: ScriptedNameService?
        var ids: [PathID] = []
        var records: [NameRecord] = []
        var changes = 0
    }

    init(names: [String] = ["far.test"]) throws {
        let folder = try TemporaryFolder()
        let loop = try EventLoop(name: "name-table", clock: clock)
        self.folder = folder
        self.loop = loop
        let file = try folder.write("nameserver 192.0.2.254\n", to: "resolv.conf")
        parts = ThreadConfined(Parts(), to: loop)
        onLoop { parts in
            parts.watcher = try? ContentsWatcher(loop: loop, paths: [file]) { [weak parts] in parts?.table?.reload() }
            let service = ScriptedNameService(file: file)
            parts.service = service
            let table = NameTable(loop: loop, service: service) { [weak parts] _ in parts?.changes += 1 }
            parts.table = table
            parts.ids = (1...names.count).map { PathID(rawValue: UInt32($0)) }
            parts.records = zip(parts.ids, names).map { table.add($1, for: $0) }
        }
    }

    /// What the file said when a query began, one text for each query.
    var asked: [String] { onLoop { $0.service?.asked ?? [] } }
    /// How often the files were taken up.
    var reloads: Int { onLoop { $0.service?.reloads ?? 0 } }

    /// Writes the file, in place and then as editors do, and has the watcher look at it, as it does at the kernel's word.
    func write(_ text: String) {
        onLoop { [folder] parts in
            do {
                try folder.write(text, to: "resolv.conf")
                try folder.replace(text, at: "resolv.conf")
            } catch {
                Issue.record(error)
            }
            parts.watcher?.compare()
        }
    }

    /// Renames the file away.
    func remove() {
        onLoop { [folder] parts in
            #expect(unsafe rename(folder.path(of: "resolv.conf"), folder.path(of: "gone")) == 0)
            parts.watcher?.compare()
        }
    }

    /// An address that holds for an hour.
    static let address = NameAnswer.addresses([IPAddress(ipv4: 0xC000_0201)], timeToLive: 3_600)

    /// Answers the queries in flight.
    func answerAll(_ answer: NameAnswer = address) {
        onLoop { $0.service?.answerAll(answer) }
    }

    /// Gives an early answer to the queries in flight.
    func answerEarly(_ answer: NameAnswer = address) {
        onLoop { $0.service?.answerEarly(answer) }
    }

    /// How often the table told of changes.
    var changes: Int { onLoop { $0.changes } }

    /// What is known of the names, in their order.
    var resolutions: [Resolution] { onLoop { $0.records.map(\.resolution) } }

    func changePath() {
        onLoop { $0.table?.pathsDidChange($0.ids) }
    }

    /// Moves the clock and lets the timers that are due fire.
    func advance(by nanoseconds: UInt64) {
        clock.advance(by: nanoseconds)
        onLoop { _ in }
    }

    func close() {
        onLoop { parts in
            parts.watcher?.close()
            parts.table?.close()
            (parts.watcher, parts.table, parts.service, parts.records) = (nil, nil, nil, [])
        }
        loop.close()
    }

    @discardableResult
    private func onLoop<Value: Sendable>(_ body: @escaping @Sendable (Parts) -> Value) -> Value {
        guard let value = loop.executeAndWait({ [parts] in body(parts.value) }) else {
            fatalError("the loop is closed")
        }
        return value
    }
}

/// Answers when told to; as the system's service does, it asks anew what is in flight when the files are taken up.
private final class ScriptedNameService: NameService {
    private(set) var asked: [String] = []
    private(set) var reloads = 0
    private let file: String
    private var text: String
    private var early: [Int: (NameAnswer) -> Void] = [:]
    private var completions: [Int: (NameAnswer) -> Void] = [:]
    private var last = 0

    init(file: String) {
        self.file = file
        text = Self.read(file)
    }

    var servers: [ScopedAddress] { [] }

    func resolve(
        _ name: String,
        early: @escaping (NameAnswer) -> Void,
        completion: @escaping (NameAnswer) -> Void
    ) -> any NameQuery {
        asked.append(text)
        last += 1
        self.early[last] = early
        completions[last] = completion
        return Query(service: self, number: last)
    }

    func reload() {
        reloads += 1
        text = Self.read(file)
        asked += completions.map { _ in text }
    }

    func answerEarly(_ answer: NameAnswer) {
        let early = early
        self.early = [:]
        for completion in early.values { completion(answer) }
    }

    func answerAll(_ answer: NameAnswer) {
        early = [:]
        let completions = completions
        self.completions = [:]
        for completion in completions.values { completion(answer) }
    }

    func close() {}

    private static func read(_ file: String) -> String {
        guard let bytes = try? FileContents.read(file, limit: 4_096) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private struct Query: NameQuery {
        let service: ScriptedNameService
        let number: Int

        func cancel() {
            (service.early[number], service.completions[number]) = (nil, nil)
        }
    }
}
