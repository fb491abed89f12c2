// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// A change whose turn has come, and what it amounts to on what the database has. It does no I/O.
struct PendingEdit: Sendable {
    let edit: FleetEdit
    let condition: FleetEditor.Condition
    let bodies: any FleetBodyReading
    let completion: FleetEditor.Completion

    init(
        _ edit: FleetEdit,
        _ condition: @escaping FleetEditor.Condition,
        _ bodies: any FleetBodyReading,
        _ completion: @escaping FleetEditor.Completion
    ) {
        (self.edit, self.condition, self.bodies, self.completion) = (edit, condition, bodies, completion)
    }

    /// The declarations of the edit's body.
    ///
    /// - Parameters:
    ///   - facts: what the database has; nil for an addition, which needs nothing of it.
    ///   - ancestors: the dependencies of the targets that they lead to; nil to check none.
    func read(_ facts: EditFacts?, among ancestors: [String: [String]]? = nil) throws(FleetEditFailure) -> FleetBody {
        switch edit {
        case .add(let body):
            return try read(body, id: nil, among: ancestors)
        case .put(let id, let body):
            try facts?.checkWritable(id)
            return try read(body, id: id, among: ancestors)
        case .patch(let id, let body):
            try facts?.checkWritable(id)
            guard let target = facts?.targets[id] else { throw .refused(Self.unknown) }
            // The patch's result differs for another declaration, which is not checked.
            try checkCondition(facts?.revision(of: id))
            guard let base = target.declaration else {
                let detail = "The stored declaration cannot be read; PUT replaces it."
                throw .refused(TargetEditError(.invalid, detail, faults: [.init(pointer: "", detail: detail)]))
            }
            return try read(body, id: id, patching: base, among: ancestors)
        case .remove:
            return FleetBody(declarations: [], isBatch: false)
        }
    }

    private func read(
        _ body: [UInt8],
        id: String?,
        patching base: FleetDeclaration? = nil,
        among ancestors: [String: [String]]?
    ) throws(FleetEditFailure) -> FleetBody {
        do throws(TargetEditError) {
            return try bodies.read(body, id: id, patching: base, among: ancestors)
        } catch {
            throw .refused(error)
        }
    }

    /// Refuses what is wrong whatever the database has.
    func checkBody() throws(FleetEditFailure) {
        switch edit {
        case .add, .remove: break
        case .put(_, let body), .patch(_, let body):
            let isPatch = if case .patch = edit { true } else { false }
            do throws(TargetEditError) {
                try bodies.check(body, isPatch: isPatch)
            } catch {
                throw .refused(error)
            }
        }
    }

    /// Refuses what cannot be added to, or changed in, what the database has.
    func check(_ draft: FleetBody, _ facts: EditFacts) throws(FleetEditFailure) {
        switch edit {
        case .add:
            try facts.checkAbsent(draft)
            try facts.checkRoom(for: draft.declarations.count)
        case .put(let id, _):
            try checkCondition(facts.revision(of: id))
            if facts.targets[id] == nil { try facts.checkRoom(for: 1) }
        case .patch, .remove:
            break
        }
    }

    private func checkCondition(_ revision: FleetRevision?) throws(FleetEditFailure) {
        guard !condition(revision) else { return }
        let detail = "The target does not meet the request's condition; read it again."
        throw .refused(TargetEditError(.condition, detail))
    }

    /// The target that ``FleetEdit/remove(_:)`` removes; a declaration that cannot be read has its id only.
    func removed(_ id: String, _ facts: EditFacts) throws(FleetEditFailure) -> FleetDeclaration {
        try facts.checkWritable(id)
        guard let target = facts.targets[id] else { throw .refused(Self.unknown) }
        try checkCondition(facts.revision(of: id))
        guard target.dependents.isEmpty else {
            let names = target.dependents.joined(separator: ", ")
            let detail = "Other targets depend on it: \(names). Change or remove them first."
            throw .refused(TargetEditError(.inUse, detail))
        }
        return target.declaration ?? FleetDeclaration(id: id, placement: .single, text: "", interval: .zero)
    }

    private static let unknown = TargetEditError(.unknown, "The target does not exist; PUT creates it.")
}
