// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import LinuxIO
import ServerTrust

/// A TLS session over a connected socket. On the loop's thread; nothing blocks.
@safe final class TLSConnection {
    private let connection: OpaquePointer
    private let check: TLSCheck
    /// What came after the bytes that were handed out last.
    private var stashed: reachd_tls_step?

    /// - Parameter descriptor: The socket; its owner keeps it open as long as this object is.
    init(_ descriptor: OwnedDescriptor, _ check: TLSCheck) throws(ProbeFault) {
        let connection = unsafe reachd_tls_connection_create(
            check.context.session,
            descriptor.number,
            check.name.serverName,
            check.argument
        )
        guard let connection = unsafe connection else {
            throw ProbeFault(reason: .outOfMemory, detail: "no memory for a TLS session")
        }
        unsafe self.connection = unsafe connection
        self.check = check
    }

    deinit {
        unsafe reachd_tls_connection_free(connection)
    }

    /// OpenSSL's `SSL *`; it lives as long as this object.
    var session: OpaquePointer { unsafe reachd_tls_connection_session(connection) }

    /// What the handshake came to so far; nil before the server has shown its chain.
    var report: TLSReport? { unsafe check.report(of: session) }

    /// Whether the server asked for a certificate and may still refuse it: with TLS 1.3 our side of the handshake ends
    /// before the server has looked at it.
    var isServerUndecided: Bool {
        unsafe reachd_tls_was_asked_for_identity(connection) != 0 && !hasTicket
            && String(cString: reachd_tls_version(session)) == "TLSv1.3"
    }

    /// How many bytes came from the network.
    var received: Int { unsafe reachd_tls_received(connection) }

    /// Whether the server sent a ticket.
    var hasTicket: Bool { unsafe reachd_tls_has_ticket(connection) != 0 }

    /// Whether there may be something to receive that the socket has no more: no event will tell. It is so after the
    /// handshake, whose last piece may have brought the first of what the peer says.
    private(set) var mayHavePending = true

    /// Goes on with the handshake.
    ///
    /// - Returns: What must happen to the socket first; nothing when the handshake is done.
    func handshake() throws(ProbeFault) -> EventLoop.Events? {
        let step = unsafe reachd_tls_handshake(connection)
        switch unsafe try waiting(for: step) {
        case .done: return nil
        case .waits(let events): return events
        case .ended:
            throw ProbeFault(reason: .connectionClosed, detail: "the peer closed the connection in the TLS handshake")
        }
    }

    /// Sends what the socket takes.
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

    /// Receives what there is, at most so many bytes; none is the peer's end.
    func receive(_ limit: Int) throws(ProbeFault) -> StreamStep<[UInt8]> {
        if let step = unsafe stashed {
            // It stays: nothing comes after it.
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

    /// Tells the peer that nothing more will be sent, if the socket takes it now.
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
        let words = unsafe step.words.map { unsafe String(cString: $0) } ?? "it failed without a reason"
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

/// What the two sides of a session agreed on, and what the server added by itself. OpenSSL's session is only read.
struct TLSAgreement {
    let version: String
    let cipher: String?
    let applicationProtocol: String?
    let staple: StapledResponse?

    /// - Parameters:
    ///   - session: An `SSL *`, whoever made it.
    ///   - chain: What the server showed in it.
    init(of session: OpaquePointer, _ chain: CertificateChain) {
        unsafe version = String(cString: reachd_tls_version(session))
        unsafe cipher = reachd_tls_cipher(session).map { unsafe String(cString: $0) }
        var count = 0
        let start = unsafe reachd_tls_alpn(session, &count)
        // At most 255 bytes, and by our leave one of those that we offered.
        unsafe applicationProtocol = start.map {
            unsafe PrintableBytes.escape(UnsafeBufferPointer(start: $0, count: count), limit: 255)
        }
        staple = unsafe StapledResponse(reachd_tls_read_staple(session, chain.certificates))
    }
}

extension StapledResponse {
    /// Creates a response from OpenSSL's reading; nil when there was none.
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
