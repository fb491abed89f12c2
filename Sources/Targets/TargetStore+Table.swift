// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Glibc
import History
import LinuxIO
import Monitoring
import Schema
import Synchronization

extension TargetStore {
    /// Restores the table, and the file of an earlier version if it was not imported yet.
    func restore(from file: DeclarationFile, _ notes: inout [LogMessage]) {
        do throws(HistoryError) {
            let (opened, rows) = try open(file, &notes)
            store.withLock { $0 = opened }
            take(rows, from: file, &notes)
            if let json = file.imported { try importTargets(from: json, to: opened, file, &notes) }
        } catch {
            report(.unavailable(file.path, "\(error)"))
            let words = "API targets cannot be stored: \(error); the API refuses targets until they can"
            notes.append(LogMessage(.error, words))
        }
    }

    private typealias Rows = [(number: UInt64, declaration: [UInt8])]

    /// Opens the table; a damaged one is kept under another name, and a new one created.
    private func open(
        _ file: DeclarationFile,
        _ notes: inout [LogMessage]
    ) throws(HistoryError) -> (DeclarationStore, Rows) {
        do throws(HistoryError) {
            let store = try DeclarationStore(file)
            return (store, try store.rows())
        } catch {
            guard error.code == .corrupt else { throw error }
            let aside = try SQLiteFile.setAside(file.path, at: SystemWallClock().now())
            let words =
                "the state file \(file.path) is damaged (\(error)); a new one was created"
                + (aside.map { ", and the damaged one is kept as \($0)" } ?? "") + ": declare the targets again"
            notes.append(LogMessage(.error, words))
            let store = try DeclarationStore(file)
            return (store, try store.rows())
        }
    }

    private func take(_ rows: Rows, from file: DeclarationFile, _ notes: inout [LogMessage]) {
        let (count, refused) = state.withLock { state in
            let reader = reader(state, policy: nil, others: nil)
            var refused: [String] = []
            for row in rows {
                let node: YAMLNode
                do throws(YAMLError) {
                    node = try YAMLNode(json: row.declaration)
                } catch {
                    refused.append("number \(row.number): \(error.message)")
                    continue
                }
                do throws(TargetEditError) {
                    try Self.take(node, number: row.number, reader, &state)
                } catch {
                    refused.append(Self.words(for: error, of: node))
                }
            }
            refused += Self.breakCircles(&state)
            return (state.written.count, refused)
        }
        notes.append(LogMessage(.info, "\(count) API targets were read from \(file.path)"))
        notes += refused.prefix(100).map {
            LogMessage(.error, "a target in \(file.path) is faulty and is not monitored: \($0)")
        }
    }

    /// Imports the targets of a JSON file, once: the same transaction stores them and the file's identity, so that a
    /// process that ends before it renames the file imports nothing twice.
    private func importTargets(
        from json: StateFile,
        to store: DeclarationStore,
        _ file: DeclarationFile,
        _ notes: inout [LogMessage]
    ) throws(HistoryError) {
        guard let identity = json.contentIdentity else { return }
        if try store.imported() != identity {
            let nodes: [YAMLNode]
            do {
                var limits = YAMLLimits()
                limits.nodes = .max
                nodes = try Self.targets(in: YAMLNode(json: json.read() ?? [], limits: limits))
            } catch let error as YAMLError {
                let place = "\(error.position.line):\(error.position.column)"
                return refuse(json, "is damaged: \(json.path):\(place): \(error.message)", isMoved: true, &notes)
            } catch {
                return refuse(json, "cannot be read: \(error)", isMoved: true, &notes)
            }
            let (new, refused) = state.withLock { state in
                let reader = reader(state, policy: nil, others: nil)
                let first = state.nextNumber
                var refused: [String] = []
                for node in nodes {
                    do throws(TargetEditError) {
                        try Self.take(node, number: state.nextNumber, reader, &state)
                    } catch {
                        refused.append(Self.words(for: error, of: node))
                    }
                }
                refused += Self.breakCircles(&state)
                return (state.writtenInOrder.filter { $0.number >= first }, refused)
            }
            // If that fails they are monitored anyway, and imported at the next start.
            try store.write(new, removing: nil, imported: identity)
            notes.append(LogMessage(.info, "\(new.count) targets of \(json.path) were imported into \(file.path)"))
            notes += refused.prefix(100).map { LogMessage(.error, "a target in \(json.path) is faulty: \($0)") }
        }
        try file.before(.keepImported)
        do throws(SystemError) {
            let aside = try json.setAside(as: "imported", isMoved: true)
            notes.append(LogMessage(.info, "\(json.path) was imported and is kept as \(aside)"))
        } catch {
            notes.append(LogMessage(.warning, "\(json.path) was imported, but cannot be renamed: \(error)"))
        }
    }
}

extension StateFile {
    /// Differs for each file and each of its contents (stat(2): device, inode, size, time of change); nil without a
    /// file.
    fileprivate var contentIdentity: String? {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        return "\(facts.st_dev):\(facts.st_ino):\(facts.st_size):\(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec)"
    }
}
