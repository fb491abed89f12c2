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
            let change = PendingEdit(edit, condition, bodies) { [self] result in
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
        guard case .add = change.edit else {
            try change.checkBody()
            return attempt(change, nil, left: Self.attempts)
        }
        let draft = try change.read(nil)
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

    /// Reads what the database has, and goes on.
    private func attempt(_ change: PendingEdit, _ draft: FleetBody?, left: Int) {
        guard left > 0 else { return change.completion(.failure(.contended)) }
        let ids = draft?.declarations.map(\.id) ?? change.edit.id.map { [$0] } ?? []
        ask(EditFacts.question(ids, isCounted: change.edit.canAdd), change) { [self] facts throws(FleetEditFailure) in
            guard let facts else { throw .unavailable(.notInitialized) }
            if case .remove(let id) = change.edit {
                var removal = DeclarationChange(source: nil, version: facts.declared)
                removal.events = [event(.removed, try change.removed(id, facts))]
                removal.removed = [id]
                return write(removal, change, left: left)
            }
            let draft = if let draft { draft } else { try change.read(facts) }
            try change.check(draft, facts)
            guard !draft.parents.isEmpty else { return try write(draft, facts, change, left: left) }
            ask(EditFacts.ancestors(of: draft.parents), change) { [self] ancestors throws(FleetEditFailure) in
                guard let ancestors else {
                    let detail = "The declarations lead to more than \(EditFacts.ancestorsLimit) other targets."
                    throw .refused(TargetEditError(.invalid, detail, faults: [.init(pointer: "", detail: detail)]))
                }
                let checked = try change.read(facts, among: ancestors)
                try write(checked, facts, change, left: left)
            }
        }
    }

    private func event(_ action: TargetAction, _ declaration: FleetDeclaration) -> DeclarationEvent {
        DeclarationEvent(action, declaration, reader.settings(of: declaration.text), origin: .api)
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
