// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import COpenSSL
import Glibc
import LinuxIO
import ServerTrust
import TestSupport
import Testing

@testable import Probing

/// Sessions that another library made, as far as that can be had without it.
@Suite(.timeLimit(.minutes(15))) struct TLSSessionTests {
    let certificates: TestCertificates
    let contexts = TLSContextCache()

    init() throws {
        certificates = try TestCertificates()
    }

    func check(_ name: String, skips: Bool = false, authority: String = "ca") throws -> TLSCheck {
        let policy: SecurityPolicy = skips ? .permissive : .default
        let settings = TLSSettings(serverName: name, authorityFile: certificates[authority], policy: policy)
        let peer = try TLSPeerName(settings, host: .name(name))
        // Not shared, as another library does not share its own.
        let (context, trust) = try (TLSContext(settings), contexts.evaluator(for: settings))
        return TLSCheck(context, trust, for: peer, at: SystemTime.now())
    }

    /// A connected socket, and the session over it after its handshake.
    func shakeHands(_ port: UInt16, _ check: TLSCheck) throws -> (ProbeSocket, TLSConnection) {
        let socket = try ProbeSocket(SOCK_STREAM, to: IPAddress(ipv4: 0x7F00_0001), port: port, from: ProbeOrigin())
        func wait(for events: Int32) {
            var entry = pollfd(fd: socket.descriptor.number, events: Int16(events), revents: 0)
            _ = unsafe poll(&entry, 1, 600_000)
        }
        if try !socket.connect() { wait(for: POLLOUT) }
        try socket.checkError("connect")
        let connection = try TLSConnection(socket.descriptor, check)
        while let events = try connection.handshake() { wait(for: events == .readable ? POLLIN : POLLOUT) }
        return (socket, connection)
    }

    @Test("A context that is lent a check obeys it, and not its own") func lent() throws {
        let server = try TLSServer(certificates)
        for (name, skips) in [("good.test", false), ("x", false), ("x", true)] {
            let lent = try check(name, skips: skips)
            let other = try check("never.test", authority: "own")
            let isLent = unsafe reachd_tls_context_lend(
                lent.context.session,
                other.context.session,
                tlsCheckCalled,
                lent.argument
            )
            #expect(isLent != 0)
            // A second time it would leave the first argument behind.
            let again = unsafe reachd_tls_context_lend(
                lent.context.session,
                other.context.session,
                tlsCheckCalled,
                lent.argument
            )
            #expect(again == 0)
            var found: ProbeReason?
            do {
                let (socket, connection) = try shakeHands(server.port, other)
                let report = try #require(unsafe lent.report(of: connection.session))
                #expect(report.isTrusted == (name == "good.test") && report.version == "TLSv1.3")
                withExtendedLifetime(socket) {}
            } catch let fault as ProbeFault {
                found = fault.reason
            }
            #expect(found == (name == "x" && !skips ? .tlsUntrusted : nil), "the session's own check was not asked")
            #expect(lent.fault?.reason == (name == "x" && !skips ? .tlsHostnameMismatch : nil))
        }
    }
}
