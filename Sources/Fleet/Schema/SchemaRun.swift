// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// Executes the actions of a plan, one after the other, and ends the transaction when one fails. On the connection's event loop.
final class SchemaRun {
    private let connection: DatabaseConnection
    private let timeout: Duration
    private let command: String
    private let progress: (SchemaStep) -> Void
    /// What remains, the next action last.
    private var remaining: [SchemaAction] = []
    private var steps: [SchemaStep] = []
    private var completion: ((Result<[SchemaStep], SchemaProblem>) -> Void)?

    init(
        connection: DatabaseConnection,
        timeout: Duration,
        command: String,
        progress: @escaping (SchemaStep) -> Void
    ) {
        self.connection = connection
        self.timeout = timeout
        self.command = command
        self.progress = progress
    }

    /// Begins; the completion is called once.
    func start(
        _ actions: [SchemaAction],
        completion: @escaping (Result<[SchemaStep], SchemaProblem>) -> Void
    ) {
        remaining = actions.reversed()
        self.completion = completion
        proceed()
    }

    private func proceed() {
        while let action = remaining.popLast() {
            guard let statement = action.statement else {
                report(action)
                continue
            }
            connection.execute(statement, action.parameters, within: timeout) { [self] result in
                finish(action, result)
            }
            return
        }
        end(.success(steps))
    }

    private func finish(_ action: SchemaAction, _ result: Result<DatabaseRows, DatabaseError>) {
        switch result {
        case .failure(let error): fail(.database(error))
        case .success(let rows):
            do throws(SchemaFailure) {
                remaining += try action.next?(rows).reversed() ?? []
            } catch {
                return fail(error)
            }
            report(action)
            proceed()
        }
    }

    private func report(_ action: SchemaAction) {
        guard let step = action.step else { return }
        steps.append(step)
        progress(step)
    }

    private func fail(_ failure: SchemaFailure) {
        remaining = []
        let problem =
            switch failure {
            case .problem(let problem): problem
            case .database(let error): SchemaProblem(error, command: command)
            }
        // On a connection that ended this fails as well, and the server has ended the transaction.
        connection.execute(Statement("ROLLBACK", name: "rollback"), within: timeout) { [self] _ in
            end(.failure(problem))
        }
    }

    private func end(_ result: Result<[SchemaStep], SchemaProblem>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}
