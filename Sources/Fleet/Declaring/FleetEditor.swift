// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Synchronization

/// Changes the fleet's targets for API clients, whichever nodes watch them.
///
/// A change is read, checked against what the database has, and written in one statement if no declaration was written in between;
/// otherwise it is checked again. Changes of one node take turns, so that only other nodes are in the way. Nodes put a change in
/// force with the next renewal of their leases. Any thread.
package final class FleetEditor: Sendable {
    /// The condition of a change on the target's version; nil if there is no such target.
    package typealias Condition = @Sendable (FleetRevision?) -> Bool
    /// What became of the change; called on the reader's thread or an executor's.
    package typealias Completion = @Sendable (Result<FleetEditOutcome, FleetEditFailure>) -> Void
    /// Runs a job, possibly later and on another thread.
    package typealias Executor = @Sendable (_ job: @escaping @Sendable () -> Void) -> Void

    /// The maximum number of targets in one request: the write locks the log's head, which every event needs.
    package static let maximumTargets = 10_000
    /// How often a change is checked and written before it is given up.
    private static let attempts = 32

    private let reader: FleetReader
    private let bodies: any FleetBodyReading
    private let execute: Executor
    private let turns = Mutex<(isBusy: Bool, waiting: [@Sendable () -> Void])>((false, []))

    /// Creates an editor.
    ///
    /// - Parameters:
    ///   - reader: asks the database.
    ///   - bodies: reads declarations.
    ///   - execute: runs the reading of bodies, which can be long.
    package init(reader: FleetReader, bodies: any FleetBodyReading, execute: @escaping Executor) {
        self.reader = reader
        self.bodies = bodies
        self.execute = execute
    }

    /// Makes a change, whole or not at all.
    ///
    /// - Parameters:
    ///   - edit: the change.
    ///   - condition: decides about the only target of the change, after everything else was found valid; not for an addition.
    ///   - completion: called once.
    package func perform(_ edit: FleetEdit, if condition: @escaping Condition, completion: @escaping Completion) {
        let turn: @Sendable () -> Void = { [self] in
            let change = PendingEdit(edit, condition) { [self] result in
                endTurn()
                completion(result)
            }
            guarded(change) { [self] () throws(FleetEditFailure) in try begin(change) }
        }
        let isFirst = turns.withLock { turns in
            if turns.isBusy { turns.waiting.append(turn) }
            defer { turns.isBusy = true }
            return !turns.isBusy
        }
        if isFirst { turn() }
    }

    private func endTurn() {
        let next = turns.withLock { turns -> (@Sendable () -> Void)? in
            guard !turns.waiting.isEmpty else {
                turns.isBusy = false
                return nil
            }
            return turns.waiting.removeFirst()
        }
        // Not inside the call that ended the turn before: many changes may wait.
        if let next { execute(next) }
    }

    // MARK: Steps

    private func begin(_ change: PendingEdit) throws(FleetEditFailure) {
        guard case .add(let body) = change.edit else {
            try check(change.edit)
            return attempt(change, nil, left: Self.attempts)
        }
        let draft = try read(body, id: nil)
        guard draft.declarations.count <= Self.maximumTargets else {
            let detail =
                "A request can add \(Self.maximumTargets) targets; reachd fleet apply declares \(FleetDeclarer.maximumTargets)."
            throw .refused(TargetEditError(.tooMany, detail))
        }
        guard !draft.declarations.isEmpty else {
            return change.completion(.success(FleetEditOutcome(ids: [], isNew: true, isBatch: true)))
        }
        attempt(change, draft, left: Self.attempts)
    }

    /// Refuses what is wrong whatever the database has.
    private func check(_ edit: FleetEdit) throws(FleetEditFailure) {
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

    /// Reads what the database has, and goes on.
    private func attempt(_ change: PendingEdit, _ draft: FleetBody?, left: Int) {
        guard left > 0 else { return change.completion(.failure(.contended)) }
        let ids = draft?.declarations.map(\.id) ?? change.edit.id.map { [$0] } ?? []
        ask(EditFacts.question(ids, isCounted: change.edit.canAdd), change) { [self] facts throws(FleetEditFailure) in
            guard let facts else { throw .unavailable(.notInitialized) }
            if case .remove(let id) = change.edit {
                return write(try removal(of: id, facts, change), change, left: left)
            }
            let draft = if let draft { draft } else { try read(change, facts) }
            try check(draft, facts, change)
            guard !draft.parents.isEmpty else { return try write(draft, facts, change, left: left) }
            ask(EditFacts.ancestors(of: draft.parents), change) { [self] ancestors throws(FleetEditFailure) in
                guard let ancestors else {
                    let detail = "The declarations lead to more than \(EditFacts.ancestorsLimit) other targets."
                    throw .refused(TargetEditError(.invalid, detail, faults: [.init(pointer: "", detail: detail)]))
                }
                let checked = try read(change, facts, among: ancestors)
                try write(checked, facts, change, left: left)
            }
        }
    }

    /// The declarations of a body, checked except for what they depend on.
    private func read(
        _ body: [UInt8],
        id: String?,
        patching base: FleetDeclaration? = nil,
        among ancestors: [String: [String]]? = nil
    ) throws(FleetEditFailure) -> FleetBody {
        do throws(TargetEditError) {
            return try bodies.read(body, id: id, patching: base, among: ancestors)
        } catch {
            throw .refused(error)
        }
    }

    private func read(
        _ change: PendingEdit,
        _ facts: EditFacts,
        among ancestors: [String: [String]]? = nil
    ) throws(FleetEditFailure) -> FleetBody {
        switch change.edit {
        case .add(let body):
            return try read(body, id: nil, among: ancestors)
        case .put(let id, let body):
            try facts.checkWritable(id)
            return try read(body, id: id, among: ancestors)
        case .patch(let id, let body):
            try facts.checkWritable(id)
            guard let target = facts.targets[id] else { throw .refused(PendingEdit.unknown) }
            // The patch's result differs for another declaration, which is not checked.
            try change.check(facts.revision(of: id))
            guard let base = target.declaration else {
                let detail = "The stored declaration cannot be read; PUT replaces it."
                throw .refused(TargetEditError(.invalid, detail, faults: [.init(pointer: "", detail: detail)]))
            }
            return try read(body, id: id, patching: base, among: ancestors)
        case .remove:
            return FleetBody(declarations: [], isBatch: false)
        }
    }

    private func check(_ draft: FleetBody, _ facts: EditFacts, _ change: PendingEdit) throws(FleetEditFailure) {
        switch change.edit {
        case .add:
            try facts.checkAbsent(draft)
            try facts.checkRoom(for: draft.declarations.count)
        case .put(let id, _):
            try change.check(facts.revision(of: id))
            if facts.targets[id] == nil { try facts.checkRoom(for: 1) }
        case .patch, .remove:
            break
        }
    }

    private func removal(
        of id: String,
        _ facts: EditFacts,
        _ change: PendingEdit
    ) throws(FleetEditFailure) -> DeclarationChange {
        try facts.checkWritable(id)
        guard let target = facts.targets[id] else { throw .refused(PendingEdit.unknown) }
        try change.check(facts.revision(of: id))
        guard target.dependents.isEmpty else {
            let names = target.dependents.joined(separator: ", ")
            let detail = "Other targets depend on it: \(names). Change or remove them first."
            throw .refused(TargetEditError(.inUse, detail))
        }
        var removal = DeclarationChange(source: nil, version: facts.declared)
        removal.removed = [id]
        let declaration = target.declaration ?? FleetDeclaration(id: id, placement: .single, text: "", interval: .zero)
        removal.events = [event(.removed, declaration)]
        return removal
    }

    private func event(_ action: TargetAction, _ declaration: FleetDeclaration) -> TargetEvent {
        TargetEvent(action, declaration, reader.settings(of: declaration.text), origin: .api)
    }

    // MARK: Writing

    private func write(
        _ body: FleetBody,
        _ facts: EditFacts,
        _ change: PendingEdit,
        left: Int
    ) throws(FleetEditFailure) {
        var written = DeclarationChange(source: nil, version: facts.declared)
        written.declarations = body.declarations.filter { facts.targets[$0.id]?.declaration != $0 }
        let outcome = FleetEditOutcome(
            ids: body.declarations.map(\.id),
            isNew: body.declarations.allSatisfy { facts.targets[$0.id] == nil },
            isBatch: body.isBatch
        )
        guard !written.declarations.isEmpty else { return change.completion(.success(outcome)) }
        written.events = written.declarations.map { declaration in
            event(facts.targets[declaration.id] == nil ? .added : .updated, declaration)
        }
        write(written, change, draft: change.edit.canReuse ? body : nil, outcome, left: left)
    }

    private func write(
        _ written: DeclarationChange,
        _ change: PendingEdit,
        draft: FleetBody? = nil,
        _ outcome: FleetEditOutcome = FleetEditOutcome(ids: [], isNew: false, isBatch: false),
        left: Int
    ) {
        let placements = written.placements
        let write: @Sendable ([Placement: Int64]) -> Void = { [self] numbers in
            ask(written.write(numbers), change) { [self] isWritten throws(FleetEditFailure) in
                guard isWritten else { return attempt(change, draft, left: left - 1) }
                change.completion(.success(outcome))
            }
        }
        guard !placements.isEmpty else { return write([:]) }
        ask(DeclarationChange.add(placements), change) { numbers throws(FleetEditFailure) in
            guard placements.allSatisfy({ numbers[$0] != nil }) else {
                let detail =
                    "The fleet has \(Placement.maximumCount) different values of watch, and cannot have another one."
                throw .refused(TargetEditError(.tooMany, detail))
            }
            write(numbers)
        }
    }

    // MARK: Parts

    /// Asks the database, and goes on with its answer on the executor.
    private func ask<Answer>(
        _ question: FleetQuestion<Answer>,
        _ change: PendingEdit,
        then next: @escaping @Sendable (Answer) throws(FleetEditFailure) -> Void
    ) {
        reader.ask(question) { [self] result in
            switch result {
            case .failure(let fault): change.completion(.failure(.unavailable(fault)))
            case .success(let answer): guarded(change) { () throws(FleetEditFailure) in try next(answer) }
            }
        }
    }

    private func guarded(_ change: PendingEdit, _ body: @escaping @Sendable () throws(FleetEditFailure) -> Void) {
        execute {
            do throws(FleetEditFailure) {
                try body()
            } catch {
                change.completion(.failure(error))
            }
        }
    }
}

/// A change whose turn has come.
private struct PendingEdit: Sendable {
    let edit: FleetEdit
    let condition: FleetEditor.Condition
    let completion: FleetEditor.Completion

    init(
        _ edit: FleetEdit,
        _ condition: @escaping FleetEditor.Condition,
        _ completion: @escaping FleetEditor.Completion
    ) {
        (self.edit, self.condition, self.completion) = (edit, condition, completion)
    }

    func check(_ revision: FleetRevision?) throws(FleetEditFailure) {
        guard !condition(revision) else { return }
        let detail = "The target does not meet the request's condition; read it again."
        throw .refused(TargetEditError(.condition, detail))
    }

    static let unknown = TargetEditError(.unknown, "The target does not exist; PUT creates it.")
}

extension FleetEdit {
    /// The target of the path; nil without one.
    fileprivate var id: String? {
        switch self {
        case .add: nil
        case .put(let id, _), .patch(let id, _), .remove(let id): id
        }
    }

    /// Whether it can make targets more.
    fileprivate var canAdd: Bool {
        switch self {
        case .add, .put: true
        case .patch, .remove: false
        }
    }

    /// Whether the declarations stay the same whatever the database has.
    fileprivate var canReuse: Bool {
        if case .add = self { true } else { false }
    }
}

extension EditFacts {
    fileprivate func checkWritable(_ id: String) throws(FleetEditFailure) {
        guard let source = targets[id]?.source else { return }
        let detail = "The source \(source) declares the target: change its file and run reachd fleet apply."
        throw .refused(TargetEditError(.readOnly, detail))
    }

    fileprivate func checkAbsent(_ body: FleetBody) throws(FleetEditFailure) {
        let taken = body.declarations.indices.filter { targets[body.declarations[$0].id] != nil }
        guard !taken.isEmpty else { return }
        let faults = taken.prefix(100).map { index in
            TargetEditError.Fault(
                pointer: (body.isBatch ? "/targets/\(index)" : "") + "/id",
                detail: "a target with the id '\(body.declarations[index].id)' already exists"
            )
        }
        throw .refused(TargetEditError(.exists, faults[0].detail + "; PUT replaces it", faults: faults))
    }

    fileprivate func checkRoom(for number: Int) throws(FleetEditFailure) {
        let total = count ?? 0
        guard number > maximum - total else { return }
        let detail =
            "There are \(total) targets, and the fleet's setting max_targets allows \(maximum): remove some or raise it."
        throw .refused(TargetEditError(.tooMany, detail))
    }
}
