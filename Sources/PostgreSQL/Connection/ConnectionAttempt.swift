// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// One attempt: one address of one host, from the TCP connection to the check of the session, within one deadline. libpq would try
/// several hosts by itself, but has no time limit for each. On the loop's thread.
final class ConnectionAttempt {
    typealias Completion = (Result<(Session, DatabaseServer), DatabaseError>) -> Void

    private let loop: EventLoop
    private let settings: DatabaseSettings
    private let host: DatabaseHost
    private let address: String?
    private let requirement: SessionRequirement
    private var completion: Completion?
    private var link: LibraryConnection?
    private var session: Session?
    private var watch: WatchToken?
    private var timer: TimerToken?
    private var nextTurn: TimerToken?

    /// The oldest server that is supported.
    static let oldestVersion: Int32 = 130_000
    /// The limit of what a server sends before the connection is open: certificates, parameters and notices.
    static let startLimit: UInt64 = 1 << 20

    init(
        loop: EventLoop,
        settings: DatabaseSettings,
        host: DatabaseHost,
        address: String?,
        requirement: SessionRequirement,
        completion: @escaping Completion
    ) {
        self.loop = loop
        self.settings = settings
        self.host = host
        self.address = address
        self.requirement = requirement
        self.completion = completion
    }

    deinit { cancel() }

    /// Begins; the completion may be called from inside this call.
    func start() {
        timer = loop.schedule(after: settings.attemptTimeout.nanoseconds) { [weak self] in self?.deadlinePassed() }
        var parameters = settings.parameters(for: host, address: address)
        do {
            if let path = settings.passwordFile { parameters["password"] = try PasswordFile.read(path) }
        } catch {
            return fail(error)
        }
        guard let link = LibraryConnection(parameters: parameters) else {
            return fail(DatabaseError(.outOfResources, "there is no memory for a connection"))
        }
        self.link = link
        guard link.phase != .failed else { return fail(libraryError(in: .failed)) }
        // As libpq documents: as if the last poll had asked to write.
        wait(for: .writable)
    }

    /// Ends the attempt without calling the completion; a second call does nothing.
    func cancel() {
        completion = nil
        release()
        session?.close()
        session = nil
        link?.finish()
        link = nil
    }

    private func wait(for events: EventLoop.Events) {
        guard let socket = link?.socket else { return fail(DatabaseError(.unreachable, "libpq has no socket")) }
        do {
            watch = try loop.watch(socket, for: events) { [weak self] _ in self?.step() }
        } catch {
            fail(DatabaseError(.outOfResources, "\(error)"))
        }
    }

    private func step() {
        guard let link else { return }
        // The poll may close the socket and open another with the same number.
        if let watch { loop.unwatch(watch) }
        watch = nil
        let phase = link.phase
        let step = link.poll()
        guard link.bytesReceived <= Self.startLimit else {
            return fail(
                DatabaseError(.protocolViolation, "the server sent more than \(Self.startLimit) bytes during the start")
            )
        }
        switch step {
        case .failed: fail(libraryError(in: phase))
        case .awaitWritable: wait(for: .writable)
        case .awaitReadable:
            guard link.hasPendingBytes else { return wait(for: .readable) }
            // The bytes are behind a socket that does not become readable.
            nextTurn = loop.schedule(at: 0) { [weak self] in
                self?.nextTurn = nil
                self?.step()
            }
        case .connected: connected(link)
        }
    }

    private func connected(_ link: LibraryConnection) {
        guard link.serverVersion >= Self.oldestVersion else {
            return fail(DatabaseError(.serverTooOld, "the server's version \(link.serverVersion) is below 13"))
        }
        do {
            guard link.setNonBlocking() else { return fail(libraryError(in: .open)) }
            let session = try Session(
                loop: loop,
                link: link,
                limits: Session.Limits(
                    statementTimeout: settings.statementTimeout,
                    resultBytes: settings.resultLimit,
                    queue: settings.queueLimit
                )
            )
            self.session = session
            check(session, link)
        } catch {
            fail(DatabaseError(.outOfResources, "\(error)"))
        }
    }

    // MARK: The session's properties

    private func check(_ session: Session, _ link: LibraryConnection) {
        let isInRecovery = link.reportedFlag("in_hot_standby")
        let isReadOnly = link.reportedFlag("default_transaction_read_only")
        guard requirement != .any else { return succeed(isInRecovery: isInRecovery) }
        if let isInRecovery, let isReadOnly {
            return decide(isInRecovery: isInRecovery, isReadOnly: isReadOnly || isInRecovery)
        }
        // Servers before 14 and some poolers do not report them.
        session.ended = { [weak self] error in self?.fail(error) }
        let question = Statement(
            "SELECT pg_catalog.pg_is_in_recovery(), pg_catalog.current_setting('transaction_read_only') = 'on'"
        )
        session.execute(question, [], within: settings.attemptTimeout) { [weak self] result in
            do throws(DatabaseError) {
                let rows = try result.get()
                self?.decide(isInRecovery: try rows.bool(0, 0), isReadOnly: try rows.bool(0, 1))
            } catch {
                self?.fail(error)
            }
        }
    }

    private func decide(isInRecovery: Bool, isReadOnly: Bool) {
        if let rejection = requirement.rejection(isInRecovery: isInRecovery, isReadOnly: isReadOnly) {
            fail(
                DatabaseError(
                    .wrongSession,
                    "the server \(rejection) (target_session_attrs=\(settings.session.rawValue))"
                )
            )
        } else {
            succeed(isInRecovery: isInRecovery)
        }
    }

    // MARK: The end

    private func succeed(isInRecovery: Bool?) {
        guard let completion, let session, let link else { return }
        let server = DatabaseServer(
            version: link.serverVersion,
            host: host.name,
            address: address,
            port: host.port,
            usesTLS: link.usesTLS,
            isInRecovery: isInRecovery
        )
        self.completion = nil
        release()
        session.ended = nil
        self.session = nil
        self.link = nil
        completion(.success((session, server)))
    }

    private func deadlinePassed() {
        timer = nil
        let phase =
            switch link?.phase {
            case .tls: "during the TLS handshake"
            case .authentication: "during authentication"
            case .open: "while the session was checked"
            default: "to the connection request"
            }
        fail(DatabaseError(.connectTimeout, "no answer \(phase) within \(settings.attemptTimeout)"))
    }

    private func fail(_ error: DatabaseError) {
        guard let completion else { return }
        cancel()
        let place = address.map { $0 == host.name ? $0 : "\(host.name) (\($0))" } ?? host.name
        completion(.failure(error.prefixed("\(place) port \(host.port)")))
    }

    private func libraryError(in phase: LibraryConnection.Phase) -> DatabaseError {
        guard let link else { return DatabaseError(.closed, "the attempt was cancelled") }
        return LibraryMessage.error(link.message, phase: phase, needsPassword: link.needsPassword)
    }

    private func release() {
        if let watch { loop.unwatch(watch) }
        watch = nil
        for token in [timer, nextTurn] {
            if let token { loop.cancel(token) }
        }
        timer = nil
        nextTurn = nil
    }
}
