// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Glibc
import History
import JSON
import LinuxIO
package import Monitoring
import Schema
import Synchronization

extension TargetStore: TargetEditing {
    /// See the protocol; the state file is written before the registry changes.
    package func add(_ body: [UInt8]) throws(TargetEditError) -> AddedTargets {
        // Checked first: a list can be as long as the body is large.
        let room = state.withLock { $0.maximum - $0.total }
        let count = JSONReader.count(of: "targets", in: body, upTo: max(1, room))
        if count > max(1, room) {
            try state.withLock { state throws(TargetEditError) in try checkRoom(for: count, state) }
        }
        let (nodes, isBatch) = try DeclarationReader.declarations(in: DeclarationReader.parse(body))
        return try inTurn { notes throws(TargetEditError) -> AddedTargets in
            let written = try state.withLock { state throws(TargetEditError) -> [APITarget] in
                try additions(nodes, isBatch: isBatch, state)
            }
            try commit(written, &notes)
            return AddedTargets(records: written.compactMap { registry.target($0.settings.id) }, isBatch: isBatch)
        }
    }

    /// See the protocol.
    package func put(
        _ id: String,
        _ body: [UInt8],
        if condition: Condition
    ) throws(TargetEditError) -> PutTarget {
        let node = try DeclarationReader.declaration(DeclarationReader.parse(body), id: id)
        return try inTurn { notes throws(TargetEditError) -> PutTarget in
            let (target, isNew) = try state.withLock { state throws(TargetEditError) -> (APITarget, Bool) in
                let isNew = state.written[id] == nil
                try checkWritable(id, state)
                // Before the condition, which only counts if everything else is valid (RFC 9110, section 13.2.1).
                let target = try declared(node, as: id, state)
                guard condition(registry.target(id)) else { throw Self.conditionFailed }
                if isNew { try checkRoom(for: 1, state) }
                return (target, isNew)
            }
            return PutTarget(record: try replace(by: target, &notes), isNew: isNew)
        }
    }

    /// See the protocol.
    package func patch(
        _ id: String,
        _ body: [UInt8],
        if condition: Condition
    ) throws(TargetEditError) -> StatusRecord {
        let patch = try DeclarationReader.parse(body)
        try DeclarationReader.checkPatch(patch)
        return try inTurn { notes throws(TargetEditError) -> StatusRecord in
            let target = try state.withLock { state throws(TargetEditError) -> APITarget in
                try checkWritable(id, state)
                guard let known = state.written[id] else { throw Self.unknown }
                // The patch's result differs for another target, which is not checked.
                guard condition(registry.target(id)) else { throw Self.conditionFailed }
                let merged = try DeclarationReader.parse(known.declaration).merged(with: patch)
                return try declared(DeclarationReader.declaration(merged, id: id), as: id, state)
            }
            return try replace(by: target, &notes)
        }
    }

    /// See the protocol.
    package func check(_ body: [UInt8]) throws(TargetEditError) -> TargetSettings {
        let node = try DeclarationReader.parse(body)
        let targets = try state.withLock { state throws(TargetEditError) in
            try reader(state, policy: state.policy, others: state.declared).read([node], isBatch: false)
        }
        guard let target = targets.first else { throw Self.unknown }
        return target
    }

    /// See the protocol.
    package func declaration(of id: String) -> [UInt8]? {
        state.withLock { $0.configured.contains(id) ? nil : $0.written[id]?.declaration }
    }

    /// See the protocol; a target that others depend on cannot be removed.
    package func remove(_ id: String, if condition: Condition) throws(TargetEditError) {
        try inTurn { notes throws(TargetEditError) in
            try state.withLock { state throws(TargetEditError) in
                try checkWritable(id, state)
                guard state.written[id] != nil else { throw Self.unknown }
                guard condition(registry.target(id)) else { throw Self.conditionFailed }
                let dependents = state.dependents(of: id).prefix(10)
                guard dependents.isEmpty else {
                    let names = dependents.joined(separator: ", ")
                    throw TargetEditError(.inUse, "Other targets depend on it: \(names). Change or remove them first.")
                }
            }
            try commit([], removing: id, &notes)
        }
    }

    // MARK: Under the lock

    /// The targets of a list of new declarations.
    private func additions(
        _ nodes: [YAMLNode],
        isBatch: Bool,
        _ state: borrowing State
    ) throws(TargetEditError) -> [APITarget] {
        let settings = try reader(state, policy: state.policy, others: state.declared).read(nodes, isBatch: isBatch)
        let taken = settings.indices.filter {
            state.contains(settings[$0].id) || registry.target(settings[$0].id) != nil
        }
        guard taken.isEmpty else {
            let faults = taken.prefix(100).map { index in
                TargetEditError.Fault(
                    pointer: (isBatch ? "/targets/\(index)" : "") + "/id",
                    detail: "a target with the id \(settings[index].id.quoted) already exists"
                )
            }
            throw TargetEditError(.exists, faults[0].detail + "; PUT replaces it", faults: faults)
        }
        try checkRoom(for: settings.count, state)
        var written: [APITarget] = []
        written.reserveCapacity(settings.count)
        for (node, target) in zip(nodes, settings) {
            let declaration = try DeclarationReader.declaration(node, id: target.id)
            let number = state.nextNumber + UInt64(written.count)
            written.append(APITarget(number: number, declaration: declaration.json, settings: target))
        }
        return written
    }

    private func checkWritable(_ id: String, _ state: State) throws(TargetEditError) {
        let detail: String
        if state.configured.contains(id) {
            detail = "The target is declared in the configuration file: change it there and reload."
        } else if state.written[id] != nil {
            return
        } else if state.assigned.contains(id) {
            detail = "The target is the fleet's: change it with scope=fleet, or in its file with reachd fleet apply."
        } else if let target = state.found.members(among: [id]).first {
            detail = "The target is found by the discovery source \(target.source ?? ""): change it there."
        } else if registry.target(id) != nil {
            detail = "The target is automatic (auto_targets): declare one with another id."
        } else {
            return
        }
        throw TargetEditError(.readOnly, detail)
    }

    private func checkRoom(for count: Int, _ state: State) throws(TargetEditError) {
        let total = state.total
        guard count > state.maximum - total else { return }
        throw TargetEditError(
            .tooMany,
            "There are \(total) targets, and limits.targets allows \(state.maximum): remove some or raise the limit."
        )
    }

    /// The target of a declaration with this id.
    private func declared(
        _ node: YAMLNode,
        as id: String,
        _ state: State
    ) throws(TargetEditError) -> APITarget {
        let settings = try reader(state, policy: state.policy, others: state.declared).read([node], isBatch: false)
        guard let target = settings.first else { throw Self.unknown }
        let number = state.written[id]?.number ?? state.nextNumber
        return APITarget(number: number, declaration: node.json, settings: target)
    }

    private func replace(
        by target: APITarget,
        _ notes: inout [LogMessage]
    ) throws(TargetEditError) -> StatusRecord {
        try commit([target], &notes)
        guard let record = registry.target(target.settings.id) else { throw Self.unknown }
        return record
    }

    /// Writes the change, and then applies it.
    private func commit(
        _ targets: [APITarget],
        removing id: String? = nil,
        _ notes: inout [LogMessage]
    ) throws(TargetEditError) {
        switch keeping {
        case .memory: break
        case .file(let file): try write(targets, removing: id, to: file, &notes)
        case .table(let file): try write(targets, removing: id, to: file, &notes)
        }
        state.withLock { $0.take(targets, removing: id) }
        registry.edit(targets.map(\.settings), removing: id.map { [$0] } ?? [])
    }

    /// Writes a state file with a change. Changes take turns, so the state cannot change meanwhile.
    private func write(
        _ targets: [APITarget],
        removing id: String?,
        to file: StateFile,
        _ notes: inout [LogMessage]
    ) throws(TargetEditError) {
        var (written, obstacle) = state.withLock { ($0.written, $0.obstacle) }
        if let obstacle { throw TargetEditError(.notWritten, obstacle) }
        for target in targets { written[target.settings.id] = target }
        if let id { written[id] = nil }
        do throws(SystemError) {
            try file.write(Self.contents(written.values.sorted { $0.number < $1.number }))
            report(.file(file.path))
        } catch {
            throw refused(file.path, "\(error)", isFull: error.code == ENOSPC || error.code == EDQUOT, &notes)
        }
    }

    /// Writes the differences into the table. A table that could not be opened, or is gone, is opened again and written
    /// completely.
    private func write(
        _ targets: [APITarget],
        removing id: String?,
        to file: DeclarationFile,
        _ notes: inout [LogMessage]
    ) throws(TargetEditError) {
        if let obstacle = state.withLock({ $0.obstacle }) { throw TargetEditError(.notWritten, obstacle) }
        do throws(HistoryError) {
            if let store = store.withLock({ $0 }) {
                try store.write(targets, removing: id)
            } else {
                let opened = try DeclarationStore(file)
                try opened.write(state.withLock { $0.writtenInOrder } + targets, removing: id)
                store.withLock { $0 = opened }
            }
            report(.file(file.path))
        } catch {
            if error.code == .removed { store.withLock { $0 = nil } }
            throw refused(file.path, "\(error)", isFull: error.code == .full, &notes)
        }
    }

    private func refused(
        _ path: String,
        _ words: String,
        isFull: Bool,
        _ notes: inout [LogMessage]
    ) -> TargetEditError {
        report(.unavailable(path, words))
        notes.append(
            LogMessage(.error, "the change of targets was refused, the state file cannot be written: \(words)")
        )
        return TargetEditError(isFull ? .noSpace : .notWritten, "The state file cannot be written: \(words).")
    }

    private static let conditionFailed = TargetEditError(
        .condition,
        "The target does not meet the request's condition; read it again."
    )
    private static let unknown = TargetEditError(.unknown, "The target does not exist; PUT creates it.")
}
