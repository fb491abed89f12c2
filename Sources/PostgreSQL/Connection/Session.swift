// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// An open connection: statements one after the other, notifications, and the end. On the loop's thread.
///
/// Statements are executed in the order of their calls. Completions are never called from inside ``execute(_:_:within:completion:)``.
final class Session {
    typealias Completion = (Result<DatabaseRows, DatabaseError>) -> Void

    /// Called for each notification, in their order.
    var notified: ((DatabaseNotification) -> Void)?
    /// Called once when the session ends without ``close()``, after the completions.
    var ended: ((DatabaseError) -> Void)?

    private let loop: EventLoop
    private let link: LibraryConnection
    private let limits: Limits
    private var isOpen = true
    private var watch: WatchToken?
    private var isWaitingForRoom = false
    private var timer: TimerToken?
    /// A turn that continues to read decrypted bytes, or reports a failure.
    private var nextTurn: TimerToken?

    private var current: PendingStatement?
    private var waiting: [PendingStatement] = []
    private var rows = DatabaseRows()
    private var failure: DatabaseError?
    private var bytesBefore: UInt64 = 0

    /// What bounds statements.
    struct Limits {
        let statementTimeout: Duration
        let resultBytes: Int
        let queue: Int
    }

    /// Takes over a connection that libpq has opened.
    ///
    /// - Throws: ``SystemError`` when the socket cannot be watched.
    init(loop: EventLoop, link: LibraryConnection, limits: Limits) throws(SystemError) {
        self.loop = loop
        self.link = link
        self.limits = limits
        guard let socket = link.socket else { throw SystemError(code: 9, operation: "PQsocket") }
        watch = try loop.watch(socket, for: .readable) { [weak self] events in self?.handle(events) }
    }

    deinit { release() }

    /// Executes a statement after those before it.
    func execute(
        _ statement: Statement,
        _ parameters: [DatabaseValue],
        within limit: Duration?,
        completion: @escaping Completion
    ) {
        let encoded: ParameterBuffer
        do throws(DatabaseError) {
            guard isOpen else { throw DatabaseError(.closed, "the connection is closed") }
            guard waiting.count < limits.queue else {
                throw DatabaseError(.queueFull, "\(waiting.count) statements are waiting (maximum: \(limits.queue))")
            }
            guard !statement.sql.utf8.contains(0) else {
                throw DatabaseError(.invalidInput, "the statement contains a zero byte")
            }
            encoded = try ParameterBuffer(parameters)
        } catch {
            let named = statement.name.map { error.prefixed($0) } ?? error
            _ = loop.schedule(at: 0) { completion(.failure(named)) }
            return
        }
        waiting.append(
            PendingStatement(
                statement: statement,
                parameters: encoded,
                limit: limit ?? limits.statementTimeout,
                completion: completion
            )
        )
        startNext()
    }

    /// Ends the session and fails its statements with `closed`; a second call does nothing.
    func close() {
        end(DatabaseError(.closed, "the connection was closed"), reports: false)
    }

    // MARK: Sending

    private func startNext() {
        guard isOpen, current == nil, !waiting.isEmpty else { return }
        let next = waiting.removeFirst()
        current = next
        rows = DatabaseRows()
        failure = nil
        bytesBefore = link.bytesReceived
        timer = loop.schedule(after: next.limit.nanoseconds) { [weak self, weak next] in
            guard let next else { return }
            self?.deadlinePassed(next)
        }
        if link.send(next.statement.sql, next.parameters) {
            flush()
        } else {
            failSoon()
        }
    }

    private func flush() {
        switch link.flush() {
        case .done: waitForRoom(false)
        case .full: waitForRoom(true)
        case .failed: failSoon()
        }
    }

    private func waitForRoom(_ isFull: Bool) {
        guard isFull != isWaitingForRoom, let watch else { return }
        isWaitingForRoom = isFull
        do {
            try loop.rewatch(watch, for: isFull ? [.readable, .writable] : .readable)
        } catch {
            failSoon()
        }
    }

    /// Reports a broken connection in another turn, after reading what the server said last.
    private func failSoon() {
        turnSoon { session in
            session.read()
            session.lost()
        }
    }

    private func turnSoon(_ work: @escaping (Session) -> Void) {
        if let nextTurn { loop.cancel(nextTurn) }
        nextTurn = loop.schedule(at: 0) { [weak self] in
            self?.nextTurn = nil
            if let self { work(self) }
        }
    }

    // MARK: Receiving

    private func handle(_ events: EventLoop.Events) {
        if events.contains(.readable) { read() }
        if isOpen, events.contains(.writable) { flush() }
    }

    /// How often one turn reads: a TLS record is larger than what libpq reads at once.
    private static let readsInTurn = 8

    private func read() {
        for _ in 0..<Self.readsInTurn {
            guard isOpen else { return }
            let isAlive = link.consume()
            takeAnswers()
            guard isOpen else { return }
            if !isAlive || link.phase != .open { return lost() }
            // Reading may also have written.
            if isWaitingForRoom { flush() }
            // OpenSSL may hold the rest of a record, for which the socket does not become readable.
            if !link.hasPendingBytes { return }
        }
        turnSoon { $0.read() }
    }

    private func takeAnswers() {
        takeNotifications()
        while isOpen, let statement = current, !link.isBusy {
            switch link.nextAnswer(&rows) {
            case .row:
                if rows.size > limits.resultBytes { return end(tooLarge, reports: true) }
            case .end: break
            case .error(let error): failure = failure ?? error
            case .unsupported:
                return end(DatabaseError(.protocolViolation, "COPY is not supported"), reports: true)
            case .finished:
                // libpq ends the statement with its own error when the connection is gone; `lost()` knows more.
                guard link.phase == .open else { return }
                // Other errors of libpq mean that it does not understand the server.
                if let failure, failure.sqlState == nil { return end(failure, reports: true) }
                finish(statement)
            }
            takeNotifications()
        }
        // One long value is not a row before its last byte. Without a statement the limit applies to one notification.
        if isOpen, exceedsLimit { end(tooLarge, reports: true) }
    }

    private func takeNotifications() {
        while isOpen, let notification = link.takeNotification() {
            if current == nil { bytesBefore = link.bytesReceived }
            notified?(notification)
        }
    }

    private var exceedsLimit: Bool {
        let received = link.bytesReceived
        return received > bytesBefore && received - bytesBefore > UInt64(clamping: limits.resultBytes) + Self.overhead
    }

    /// What a result may have beside its values: other messages, and the framing of TLS.
    private static let overhead: UInt64 = 4 << 20

    private var tooLarge: DatabaseError {
        DatabaseError(.resultTooLarge, "the result exceeds \(limits.resultBytes) bytes")
    }

    private func finish(_ statement: PendingStatement) {
        if let timer { loop.cancel(timer) }
        timer = nil
        current = nil
        let result: Result<DatabaseRows, DatabaseError> =
            failure.map { .failure(statement.named($0)) } ?? .success(rows)
        rows = DatabaseRows()
        failure = nil
        // The server works on the next one while the completion runs.
        startNext()
        statement.completion(result)
    }

    // MARK: The end

    private func deadlinePassed(_ statement: PendingStatement) {
        timer = nil
        // The result may have arrived while the loop's thread was busy.
        read()
        guard isOpen, current === statement else { return }
        end(DatabaseError(.timeout, "no result within \(statement.limit)"), reports: true)
    }

    /// The server or the network ended the connection.
    private func lost() {
        guard isOpen else { return }
        // The server's own words are before libpq's about the end of the stream.
        let stated = failure?.reason == .shuttingDown ? failure : link.lastNotice
        end(stated ?? LibraryMessage.error(ofOpen: link.message), reports: true)
    }

    private func end(_ error: DatabaseError, reports: Bool) {
        guard isOpen else { return }
        isOpen = false
        release()
        let first = current
        // The server rejected the statement before the connection ended.
        let rejection = failure?.sqlState == nil ? nil : failure
        let rest = waiting
        current = nil
        waiting = []
        failure = nil
        rows = DatabaseRows()
        let ended = ended
        self.ended = nil
        notified = nil
        if let first { first.completion(.failure(first.named(rejection ?? error))) }
        let unsent = DatabaseError(.closed, "the statement was not sent: \(error.message)")
        for statement in rest { statement.completion(.failure(statement.named(unsent))) }
        if reports { ended?(error) }
    }

    private func release() {
        if let watch { loop.unwatch(watch) }
        watch = nil
        for token in [timer, nextTurn] {
            if let token { loop.cancel(token) }
        }
        timer = nil
        nextTurn = nil
        link.finish()
    }
}

/// A statement that waits or is in flight.
private final class PendingStatement {
    let statement: Statement
    let parameters: ParameterBuffer
    let limit: Duration
    let completion: Session.Completion

    init(statement: Statement, parameters: ParameterBuffer, limit: Duration, completion: @escaping Session.Completion) {
        self.statement = statement
        self.parameters = parameters
        self.limit = limit
        self.completion = completion
    }

    /// The error with the statement's name.
    func named(_ error: DatabaseError) -> DatabaseError { statement.name.map { error.prefixed($0) } ?? error }
}
