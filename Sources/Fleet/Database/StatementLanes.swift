// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO
internal import PostgreSQL

/// Passes statements to a connection one at a time, renewals of the lease before all others. On the loop's thread.
///
/// A renewal thus waits for one statement at most, which ends by its deadline.
final class StatementLanes {
    /// Returns the statement when its turn comes; nil when it is not needed any more.
    typealias Preparation = () -> (statement: Statement, parameters: [DatabaseValue])?
    typealias Completion = (Result<DatabaseRows, DatabaseError>) -> Void

    private struct Waiting {
        let prepare: Preparation
        let completion: Completion
    }

    private let loop: EventLoop
    private let executor: any StatementExecutor
    private var urgent: [Waiting] = []
    private var ordinary: [Waiting] = []
    private var isBusy = false
    private var isOpen = true

    /// How many ordinary statements may wait.
    static let limit = 1_024

    /// Creates lanes to an open connection.
    init(loop: EventLoop, executor: any StatementExecutor) {
        self.loop = loop
        self.executor = executor
    }

    /// Executes a statement before all that wait.
    func executeFirst(_ prepare: @escaping Preparation, completion: @escaping Completion) {
        guard isOpen else { return fail(completion, DatabaseError(.closed, "the connection is closed")) }
        urgent.append(Waiting(prepare: prepare, completion: completion))
        startNext()
    }

    /// Executes a statement after those that wait. The completion is called once, in a later turn of the loop, unless the
    /// preparation returns nil.
    func execute(_ prepare: @escaping Preparation, completion: @escaping Completion) {
        guard isOpen else { return fail(completion, DatabaseError(.closed, "the connection is closed")) }
        guard ordinary.count < Self.limit else {
            return fail(completion, DatabaseError(.queueFull, "\(ordinary.count) statements are waiting"))
        }
        ordinary.append(Waiting(prepare: prepare, completion: completion))
        startNext()
    }

    /// Fails what waits; a second call does nothing. The statement in flight is the connection's.
    func close(_ error: DatabaseError) {
        guard isOpen else { return }
        isOpen = false
        let waiting = urgent + ordinary
        urgent = []
        ordinary = []
        for statement in waiting { fail(statement.completion, error) }
    }

    private func startNext() {
        while isOpen, !isBusy {
            guard !urgent.isEmpty || !ordinary.isEmpty else { return }
            let next = urgent.isEmpty ? ordinary.removeFirst() : urgent.removeFirst()
            guard let (statement, parameters) = next.prepare() else { continue }
            isBusy = true
            executor.execute(statement, parameters) { [weak self] result in
                self?.isBusy = false
                next.completion(result)
                self?.startNext()
            }
        }
    }

    private func fail(_ completion: @escaping Completion, _ error: DatabaseError) {
        _ = loop.schedule(at: 0) { completion(.failure(error)) }
    }
}

/// A caller on the loop's thread that is not the session itself.
extension StatementLanes: StatementExecutor {
    func execute(
        _ statement: Statement,
        _ parameters: [DatabaseValue],
        completion: @escaping (Result<DatabaseRows, DatabaseError>) -> Void
    ) {
        execute({ (statement, parameters) }, completion: completion)
    }
}
