// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import LinuxIO

/// A connection to PostgreSQL on an event loop, through libpq's non-blocking interface.
///
/// All methods and callbacks are on the loop's thread; a caller on another thread keeps the connection in a `ThreadConfined`. A
/// connection is opened once: create another one to reconnect. The resolver belongs to the same loop. The last reference is
/// released on the loop's thread or after the loop ended.
///
/// Every statement is its own transaction, and there is no `BEGIN`: a client that stops in mid-transaction would keep its locks.
/// Session state (`SET`, temporary tables, `LISTEN`) does not survive a pooler in transaction mode.
package final class DatabaseConnection {
    /// Called for each notification of the channels that the session listens to, whenever it arrives.
    package var notified: ((DatabaseNotification) -> Void)? {
        didSet { session?.notified = notified }
    }
    /// Called once when an open connection ends without ``close()``, after the completions of its statements.
    package var closed: ((DatabaseError) -> Void)?

    private let loop: EventLoop
    private let resolver: Resolver
    private let settings: DatabaseSettings
    private var connector: Connector?
    private var session: Session?
    private var connectCompletion: ((Result<DatabaseServer, DatabaseError>) -> Void)?
    private var wasUsed = false

    /// Creates a connection that is not open.
    package init(loop: EventLoop, resolver: Resolver, settings: DatabaseSettings) {
        self.loop = loop
        self.resolver = resolver
        self.settings = settings
    }

    deinit { close() }

    /// Whether statements can be executed.
    package var isOpen: Bool { session != nil }

    /// Opens the connection: tries each address of each host in order.
    ///
    /// - Parameter completion: Is called once, in a later turn of the loop, or from inside ``close()`` with `closed`.
    package func connect(completion: @escaping (Result<DatabaseServer, DatabaseError>) -> Void) {
        assert(loop.isCurrent, "a connection is used on its loop's thread")
        guard !wasUsed else {
            _ = loop.schedule(at: 0) {
                completion(.failure(DatabaseError(.closed, "a connection is opened only once")))
            }
            return
        }
        wasUsed = true
        connectCompletion = completion
        let connector = Connector(loop: loop, resolver: resolver, settings: settings) { [weak self] result in
            self?.connected(result)
        }
        self.connector = connector
        connector.start()
    }

    /// Executes a statement after those before it, and returns all its rows.
    ///
    /// - Parameters:
    ///   - sql: One statement, with parameters `$1`, `$2` and so on.
    ///   - parameters: Their values.
    ///   - within: The deadline from sending the statement to the end of its result; nil for the settings' own. When it passes, the
    ///     connection is closed: the statement fails with `timeout`, those behind it with `closed`, and whether the server executed
    ///     the statement is unknown.
    ///   - completion: Is called once, in a later turn of the loop, or from inside ``close()`` with `closed`.
    package func execute(
        _ sql: String,
        _ parameters: [DatabaseValue] = [],
        within: Duration? = nil,
        completion: @escaping (Result<DatabaseRows, DatabaseError>) -> Void
    ) {
        execute(Statement(sql), parameters, within: within, completion: completion)
    }

    /// As ``execute(_:_:within:completion:)``, with the statement's name in error messages.
    package func execute(
        _ statement: Statement,
        _ parameters: [DatabaseValue] = [],
        within: Duration? = nil,
        completion: @escaping (Result<DatabaseRows, DatabaseError>) -> Void
    ) {
        assert(loop.isCurrent, "a connection is used on its loop's thread")
        guard let session else {
            _ = loop.schedule(at: 0) { completion(.failure(DatabaseError(.closed, "the connection is not open"))) }
            return
        }
        session.execute(statement, parameters, within: within, completion: completion)
    }

    /// Closes the connection and fails what is pending with `closed`; a second call does nothing.
    package func close() {
        wasUsed = true
        connector?.cancel()
        connector = nil
        let session = session
        self.session = nil
        session?.close()
        let completion = connectCompletion
        connectCompletion = nil
        completion?(.failure(DatabaseError(.closed, "the connection was closed")))
    }

    private func connected(_ result: Result<(Session, DatabaseServer), DatabaseError>) {
        connector = nil
        let completion = connectCompletion
        connectCompletion = nil
        switch result {
        case .failure(let error): completion?(.failure(error))
        case .success((let session, let server)):
            self.session = session
            session.notified = notified
            session.ended = { [weak self] error in
                self?.session = nil
                self?.closed?(error)
            }
            completion?(.success(server))
        }
    }
}
