// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import JSON
import LinuxIO
package import Monitoring
import Schema
import Synchronization

extension TargetBook: TargetEditing {
    /// As the protocol has it; the state file is written before the registry knows.
    package func add(_ body: [UInt8]) throws(TargetEditError) -> AddedTargets {
        // Before anything is made of them: a list can be as long as the body is large.
        let room = state.withLock { $0.maximum - $0.total }
        let count = JSONReader.count(of: "targets", in: body, upTo: max(1, room))
        if count > max(1, room) {
            try state.withLock { state throws(TargetEditError) in try checkRoom(for: count, state) }
        }
        let (nodes, isBatch) = try DeclarationReader.declarations(in: DeclarationReader.parse(body))
        return try state.withLock { state throws(TargetEditError) -> AddedTargets in
            let snapshot = state
            let settings = try reader(state, policy: state.policy, others: { snapshot.effective }).read(
                nodes,
                isBatch: isBatch
            )
            let taken = settings.indices.filter { isTaken(settings[$0].id, snapshot) }
            guard taken.isEmpty else {
                let faults = taken.prefix(100).map { index in
                    TargetEditError.Fault(
                        pointer: (isBatch ? "/targets/\(index)" : "") + "/id",
                        detail: "there is a target with the id \(settings[index].id.quoted)"
                    )
                }
                throw TargetEditError(.exists, faults[0].detail + "; PUT replaces it", faults: faults)
            }
            try checkRoom(for: settings.count, state)
            var written: [WrittenTarget] = []
            written.reserveCapacity(settings.count)
            for (node, target) in zip(nodes, settings) {
                let declaration = try DeclarationReader.declaration(node, id: target.id)
                let number = state.nextNumber + UInt64(written.count)
                written.append(WrittenTarget(number: number, declaration: declaration.json, settings: target))
            }
            try commit(written, &state)
            return AddedTargets(records: settings.compactMap { registry.target($0.id) }, isBatch: isBatch)
        }
    }

    /// As the protocol has it.
    package func put(
        _ id: String,
        _ body: [UInt8],
        if condition: Condition
    ) throws(TargetEditError) -> PutTarget {
        let node = try DeclarationReader.declaration(DeclarationReader.parse(body), id: id)
        return try state.withLock { state throws(TargetEditError) -> PutTarget in
            let known = state.written[id]
            try checkWritable(id, state)
            // Before the condition, which only counts where all else is right (RFC 9110, section 13.2.1).
            let target = try declared(node, as: id, state)
            guard condition(registry.target(id)) else { throw Self.conditionFailed }
            if known == nil { try checkRoom(for: 1, state) }
            return PutTarget(record: try replace(by: target, &state), isNew: known == nil)
        }
    }

    /// As the protocol has it.
    package func patch(
        _ id: String,
        _ body: [UInt8],
        if condition: Condition
    ) throws(TargetEditError) -> StatusRecord {
        let patch = try DeclarationReader.parse(body)
        guard case .mapping = patch.content else {
            let detail = "a merge patch for a target is an object"
            throw TargetEditError(.invalid, detail, faults: [.init(pointer: "", detail: detail)])
        }
        return try state.withLock { state throws(TargetEditError) -> StatusRecord in
            try checkWritable(id, state)
            guard let known = state.written[id] else { throw Self.unknown }
            // What the patch comes to is another thing with another target: that one is not judged.
            guard condition(registry.target(id)) else { throw Self.conditionFailed }
            let merged = try DeclarationReader.parse(known.declaration).merged(with: patch)
            let target = try declared(DeclarationReader.declaration(merged, id: id), as: id, state)
            return try replace(by: target, &state)
        }
    }

    /// As the protocol has it; a target that others depend on stays.
    package func remove(_ id: String, if condition: Condition) throws(TargetEditError) {
        try state.withLock { state throws(TargetEditError) in
            try checkWritable(id, state)
            guard state.written[id] != nil else { throw Self.unknown }
            guard condition(registry.target(id)) else { throw Self.conditionFailed }
            let dependents = state.effective.filter { $0.dependsOn.contains(id) }.prefix(10).map(\.id)
            guard dependents.isEmpty else {
                let names = dependents.joined(separator: ", ")
                throw TargetEditError(.inUse, "Other targets depend on it: \(names). Change or remove them first.")
            }
            try commit([], removing: id, &state)
        }
    }

    // MARK: Under the lock

    private func isTaken(_ id: String, _ state: State) -> Bool {
        state.configuredIDs.contains(id) || state.written[id] != nil || state.foundIDs.contains(id)
            || registry.target(id) != nil
    }

    private func checkWritable(_ id: String, _ state: State) throws(TargetEditError) {
        let detail: String
        if state.configuredIDs.contains(id) {
            detail = "It is declared in the configuration file: change it there and reload."
        } else if state.written[id] != nil {
            return
        } else if state.foundIDs.contains(id) {
            detail = "It comes from a file of targets (discovery): change it there."
        } else if registry.target(id) != nil {
            detail = "reachd watches it of itself (auto_targets): declare one with another id."
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

    /// What a declaration with this id comes to.
    private func declared(
        _ node: YAMLNode,
        as id: String,
        _ state: State
    ) throws(TargetEditError) -> WrittenTarget {
        let settings = try reader(state, policy: state.policy, others: { state.effective }).read([node], isBatch: false)
        guard let target = settings.first else { throw Self.unknown }
        let number = state.written[id]?.number ?? state.nextNumber
        return WrittenTarget(number: number, declaration: node.json, settings: target)
    }

    private func replace(
        by target: WrittenTarget,
        _ state: inout State
    ) throws(TargetEditError) -> StatusRecord {
        try commit([target], &state)
        guard let record = registry.target(target.settings.id) else { throw Self.unknown }
        return record
    }

    /// Writes the state file, and then takes up what is in it.
    private func commit(
        _ targets: [WrittenTarget],
        removing id: String? = nil,
        _ state: inout State
    ) throws(TargetEditError) {
        var written = state.written
        for target in targets { written[target.settings.id] = target }
        if let id { written[id] = nil }
        if let file {
            if let obstacle = state.obstacle { throw TargetEditError(.notWritten, obstacle) }
            do throws(SystemError) {
                try file.write(Self.contents(written.values.sorted { $0.number < $1.number }))
                report(.file(file.path))
            } catch {
                report(.unavailable(file.path, "\(error)"))
                note(.error, "the change of targets was refused, the state file cannot be written: \(error)")
                let isFull = error.code == ENOSPC || error.code == EDQUOT
                throw TargetEditError(isFull ? .noSpace : .notWritten, "The state file cannot be written: \(error).")
            }
        }
        state.written = written
        state.nextNumber = max(state.nextNumber, (targets.map(\.number).max() ?? 0) + 1)
        registry.edit(targets.map(\.settings), removing: id.map { [$0] } ?? [])
    }

    private static let conditionFailed = TargetEditError(
        .condition,
        "The target is not what the request's condition asks for; read it again."
    )
    private static let unknown = TargetEditError(.unknown, "There is no such target; PUT adds one.")
}
