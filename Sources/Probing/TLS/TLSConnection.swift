// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import LinuxIO
import ServerTrust

/// A TLS session on a connected socket. On the loop's thread; nothing blocks.
@safe final class TLSConnection {
    private let connection: OpaquePointer
    private let check: TLSCheck
    /// The step after the bytes that were returned last.
    private var stashed: reachd_tls_step?

    /// - Parameter descriptor: The socket; its owner keeps it open for the lifetime of this object.
    init(_ descriptor: OwnedDescriptor, _ check: TLSCheck) throws(ProbeFault) {
        let connection = unsafe reachd_tls_connection_create(
            check.context.session,
            descriptor.number,
            check.name.serverName,
            check.argument
        )
        guard let connection = unsafe connection else {
            throw ProbeFault(reason: .outOfMemory, detail: "out of memory for a TLS session")
        }
        unsafe self.connection = unsafe connection
        self.check = check
    }

    deinit {
        unsafe reachd_tls_connection_free(connection)
    }

    /// OpenSSL's `SSL *`; valid for the lifetime of this object.
    var session: OpaquePointer { unsafe reachd_tls_connection_session(connection) }

    /// The report of the handshake so far; nil before the server has sent its chain.
    var report: TLSReport? { unsafe check.report(of: session) }

    /// Whether the server requested a certificate and may still refuse it: in TLS 1.3 our side of the handshake ends
    /// before the server has verified it.
    var isServerUndecided: Bool {
        unsafe reachd_tls_was_asked_for_identity(connection) != 0 && !hasTicket
            && String(cString: reachd_tls_version(session)) == "TLSv1.3"
    }

    /// The number of bytes received from the network.
    var received: Int { unsafe reachd_tls_received(connection) }

    /// Whether the server sent a session ticket.
    var hasTicket: Bool { unsafe reachd_tls_has_ticket(connection) != 0 }

    /// Whether buffered data may exist without a socket event, as after the handshake: its last bytes may have included
    /// the peer's first data.
    private(set) var mayHavePending = true

    /// Continues the handshake.
    ///
    /// - Returns: The socket event to wait for; nil when the handshake is complete.
    func handshake() throws(ProbeFault) -> EventLoop.Events? {
        let step = unsafe reachd_tls_handshake(connection)
        switch unsafe try waiting(for: step) {
        case .done: return nil
        case .waits(let events): return events
        case .ended:
            throw ProbeFault(reason: .connectionClosed, detail: "the peer closed the connection during the handshake")
        }
    }

    /// Sends as much as the socket accepts.
    func send(_ bytes: ArraySlice<UInt8>) throws(ProbeFault) -> StreamStep<Int> {
        let step = unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return unsafe reachd_tls_step() }
            return unsafe reachd_tls_write(connection, start, buffer.count)
        }
        if unsafe step.count > 0 { return .done(unsafe step.count) }
        switch unsafe try waiting(for: step) {
        case .done: return .done(0)
        case .waits(let events): return .waits(events)
        case .ended: throw ProbeFault(reason: .connectionClosed, detail: "the peer closed the connection")
        }
    }

    /// Receives at most `limit` bytes; empty at the peer's end.
    func receive(_ limit: Int) throws(ProbeFault) -> StreamStep<[UInt8]> {
        if let step = unsafe stashed {
            // Stays false: nothing follows.
            mayHavePending = false
            if case .ended = unsafe try waiting(for: step) { return .done([]) }
        }
        var step = unsafe reachd_tls_step()
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            unsafe step = unsafe reachd_tls_read(connection, start, buffer.count)
            count = unsafe step.count
        }
        mayHavePending = bytes.count == limit
        if !bytes.isEmpty {
            switch unsafe reachd_tls_status(UInt32(bitPattern: step.status)) {
            case reachd_tls_done, reachd_tls_wants_read, reachd_tls_wants_write: break
            default:
                unsafe stashed = unsafe step
                mayHavePending = true
            }
            return .done(bytes)
        }
        switch unsafe try waiting(for: step) {
        case .done, .ended: return .done([])
        case .waits(let events): return .waits(events)
        }
    }

    /// Sends close_notify, if the socket accepts it now.
    func sendCloseNotify() { unsafe reachd_tls_say_goodbye(connection) }

    private enum Progress {
        case done
        case waits(EventLoop.Events)
        case ended
    }

    private func waiting(for step: reachd_tls_step) throws(ProbeFault) -> Progress {
        switch unsafe reachd_tls_status(UInt32(bitPattern: step.status)) {
        case reachd_tls_done: return .done
        case reachd_tls_wants_read: return .waits(.readable)
        case reachd_tls_wants_write: return .waits(.writable)
        case reachd_tls_ended: return .ended
        case reachd_tls_system:
            throw ProbeFault(SystemError(code: unsafe step.code, operation: "TLS"), at: .transfer)
        default: throw unsafe fault(of: step)
        }
    }

    private func fault(of step: reachd_tls_step) -> ProbeFault {
        let words = unsafe step.words.map { unsafe String(cString: $0) } ?? "unknown error"
        switch unsafe reachd_tls_status(UInt32(bitPattern: step.status)) {
        case reachd_tls_alert:
            let name = unsafe String(cString: reachd_tls_alert_words(step.code))
            return unsafe ProbeFault(
                reason: step.code == Self.protocolVersionAlert ? .tlsVersionUnsupported : .tlsAlert,
                detail: "the peer sent the alert \"\(name)\" (\(step.code))"
            )
        case reachd_tls_no_version: return ProbeFault(reason: .tlsVersionUnsupported, detail: "TLS: \(words)")
        case reachd_tls_refused:
            return check.fault ?? ProbeFault(reason: .tlsUntrusted, detail: "TLS: \(words)")
        default: return ProbeFault(reason: .tlsHandshakeFailed, detail: "TLS: \(words)")
        }
    }

    /// `protocol_version` (RFC 8446, section 6.2).
    private static let protocolVersionAlert: Int32 = 70
}

/// The negotiated parameters of a session, and the stapled OCSP response. OpenSSL's session is only read.
struct TLSAgreement {
    let version: String
    let cipher: String?
    let applicationProtocol: String?
    let staple: StapledResponse?

    /// - Parameters:
    ///   - session: An `SSL *` of any owner.
    ///   - chain: The server's chain.
    init(of session: OpaquePointer, _ chain: CertificateChain) {
        unsafe version = String(cString: reachd_tls_version(session))
        unsafe cipher = reachd_tls_cipher(session).map { unsafe String(cString: $0) }
        var count = 0
        let start = unsafe reachd_tls_alpn(session, &count)
        // At most 255 bytes, and one of the offered protocols.
        unsafe applicationProtocol = start.map {
            unsafe PrintableBytes.escape(UnsafeBufferPointer(start: $0, count: count), limit: 255)
        }
        staple = unsafe StapledResponse(reachd_tls_read_staple(session, chain.certificates))
    }
}

extension StapledResponse {
    /// Creates a response from OpenSSL's; nil when there was none.
    init?(_ staple: reachd_tls_staple) {
        guard staple.is_there != 0 else { return nil }
        let statuses: [Int32: Status] = [0: .good, 1: .revoked, 2: .unknown]
        func known(_ time: Int64) -> Int64? { time == .min ? nil : time }
        self.init(
            status: staple.response == 0 ? statuses[staple.status] ?? .unusable : .unusable,
            thisUpdate: known(staple.this_update),
            nextUpdate: known(staple.next_update),
            revokedAt: known(staple.revoked)
        )
    }
}
