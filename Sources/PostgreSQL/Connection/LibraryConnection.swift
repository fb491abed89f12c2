// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CPostgreSQL

/// A connection of libpq as Swift values. It owns the socket; its user ends the watch of the socket before ``finish()`` and
/// ``poll()``, which close it. On the loop's thread.
@safe final class LibraryConnection {
    /// The next step while the connection is being made.
    enum Step {
        case failed
        case awaitReadable
        case awaitWritable
        case connected
    }

    /// How far the connection has come.
    enum Phase {
        case failed
        case connecting
        case tls
        case authentication
        case open
    }

    /// What is left to write.
    enum FlushResult {
        case done
        case full
        case failed
    }

    /// An answer to the statement in flight.
    enum Answer {
        /// A row was appended to the rows.
        case row
        /// The end of the rows.
        case end
        case error(DatabaseError)
        /// COPY.
        case unsupported
        /// The statement is over.
        case finished
    }

    private var handle: OpaquePointer?

    /// Begins a connection; nil when there is no memory.
    init?(parameters: [String: String]) {
        let keywords = Array(parameters.keys)
        let texts = TerminatedTexts(keywords + keywords.map { parameters[$0] ?? "" })
        let handle = unsafe texts.withPointers { pointers in
            unsafe reachd_pq_start(
                Array(pointers.prefix(keywords.count)) + [nil],
                Array(pointers.dropFirst(keywords.count)) + [nil]
            )
        }
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
    }

    deinit { finish() }

    /// Closes the socket; later calls of all methods do nothing and report failure.
    func finish() {
        unsafe reachd_pq_finish(handle)
        unsafe handle = nil
    }

    /// Continues a connection that is being made.
    func poll() -> Step {
        guard let handle = unsafe handle else { return .failed }
        let step = unsafe reachd_pq_poll(handle)
        return if step == Int32(reachd_pq_step_await_readable.rawValue) {
            .awaitReadable
        } else if step == Int32(reachd_pq_step_await_writable.rawValue) {
            .awaitWritable
        } else if step == Int32(reachd_pq_step_connected.rawValue) {
            .connected
        } else {
            .failed
        }
    }

    /// How far the connection has come.
    var phase: Phase {
        guard let handle = unsafe handle else { return .failed }
        let phase = unsafe reachd_pq_phase(handle)
        return if phase == Int32(reachd_pq_phase_connecting.rawValue) {
            .connecting
        } else if phase == Int32(reachd_pq_phase_tls.rawValue) {
            .tls
        } else if phase == Int32(reachd_pq_phase_authentication.rawValue) {
            .authentication
        } else if phase == Int32(reachd_pq_phase_open.rawValue) {
            .open
        } else {
            .failed
        }
    }

    /// The socket; nil when there is none.
    var socket: Int32? {
        guard let handle = unsafe handle else { return nil }
        let number = unsafe reachd_pq_socket(handle)
        return number >= 0 ? number : nil
    }

    /// Makes sending non-blocking.
    func setNonBlocking() -> Bool {
        guard let handle = unsafe handle else { return false }
        return unsafe reachd_pq_set_nonblocking(handle) == 1
    }

    /// libpq's last message.
    var message: String {
        guard let handle = unsafe handle else { return "" }
        return unsafe String(cString: reachd_pq_message(handle))
    }

    /// Whether the server asked for a password and none was given.
    var needsPassword: Bool {
        guard let handle = unsafe handle else { return false }
        return unsafe reachd_pq_needs_password(handle) == 1
    }

    /// The server's version, as 150018 for 15.18.
    var serverVersion: Int32 {
        guard let handle = unsafe handle else { return 0 }
        return unsafe reachd_pq_server_version(handle)
    }

    /// Whether the connection is encrypted.
    var usesTLS: Bool {
        guard let handle = unsafe handle else { return false }
        return unsafe reachd_pq_uses_tls(handle) == 1
    }

    /// A boolean parameter that the server reports by itself; nil when it does not.
    func reportedFlag(_ name: String) -> Bool? {
        guard let handle = unsafe handle, let value = unsafe reachd_pq_parameter(handle, name) else { return nil }
        return unsafe String(cString: value) == "on"
    }

    /// Whether decrypted bytes wait behind a socket that does not become readable.
    var hasPendingBytes: Bool {
        guard let handle = unsafe handle else { return false }
        return unsafe reachd_pq_pending(handle) > 0
    }

    /// How many bytes TCP has received; 0 on a Unix socket.
    var bytesReceived: UInt64 {
        guard let handle = unsafe handle else { return 0 }
        return unsafe reachd_pq_bytes_received(handle)
    }

    /// The fatal error that the server sent outside of a statement before it closed the connection.
    var lastNotice: DatabaseError? {
        guard let handle = unsafe handle else { return nil }
        let state = unsafe String(cString: reachd_pq_notice_state(handle))
        guard !state.isEmpty else { return nil }
        return DatabaseError(sqlState: state, message: unsafe String(cString: reachd_pq_notice_message(handle)))
    }

    // MARK: Statements

    /// Sends a statement; false on an error.
    func send(_ sql: String, _ parameters: ParameterBuffer) -> Bool {
        guard let handle = unsafe handle else { return false }
        return unsafe parameters.withPointers { values in
            unsafe reachd_pq_send(handle, sql, Int32(parameters.count), values) == 1
        }
    }

    /// Writes what is left to send.
    func flush() -> FlushResult {
        guard let handle = unsafe handle else { return .failed }
        switch unsafe reachd_pq_flush(handle) {
        case 0: return .done
        case 1: return .full
        default: return .failed
        }
    }

    /// Reads what has arrived; false on an error or at the end of the stream.
    func consume() -> Bool {
        guard let handle = unsafe handle else { return false }
        return unsafe reachd_pq_consume(handle) == 1
    }

    /// Whether ``nextAnswer(_:limit:)`` would have to wait.
    var isBusy: Bool {
        guard let handle = unsafe handle else { return true }
        return unsafe reachd_pq_is_busy(handle) == 1
    }

    /// The next answer to the statement in flight. Only when not busy.
    func nextAnswer(_ rows: inout DatabaseRows) -> Answer {
        guard let handle = unsafe handle, let result = unsafe reachd_pq_next_result(handle) else { return .finished }
        defer { unsafe reachd_pq_free_result(result) }
        let kind = unsafe reachd_pq_result_kind(result)
        if kind == Int32(reachd_pq_result_row.rawValue) {
            let columns = unsafe reachd_pq_result_columns(result)
            rows.beginRow(columns: Int(columns))
            for column in 0..<columns {
                var count = 0
                let value = unsafe reachd_pq_result_value(result, column, &count)
                unsafe rows.append(value.map { unsafe UnsafeBufferPointer(start: $0, count: count) })
            }
            return .row
        }
        if kind == Int32(reachd_pq_result_end.rawValue) {
            let affected = unsafe String(cString: reachd_pq_result_affected(result))
            rows.end(columns: Int(unsafe reachd_pq_result_columns(result)), affectedRows: Int(affected) ?? 0)
            return .end
        }
        guard kind == Int32(reachd_pq_result_error.rawValue) else { return .unsupported }
        let message = unsafe String(cString: reachd_pq_result_message(result))
        guard let state = unsafe reachd_pq_result_state(result) else {
            return .error(LibraryMessage.error(ofOpen: message))
        }
        return .error(DatabaseError(sqlState: unsafe String(cString: state), message: message))
    }

    /// Takes the next notification that was read.
    func takeNotification() -> DatabaseNotification? {
        guard let handle = unsafe handle else { return nil }
        var raw = unsafe reachd_pq_notification()
        guard unsafe reachd_pq_take_notification(handle, &raw) == 1 else { return nil }
        defer { unsafe reachd_pq_free_notification(&raw) }
        return DatabaseNotification(
            channel: unsafe raw.channel.map { unsafe String(cString: $0) } ?? "",
            payload: unsafe raw.payload.map { unsafe String(cString: $0) } ?? "",
            process: unsafe raw.process
        )
    }
}
