// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import NetworkPaths
import Testing

@testable import Probing

/// Sessions that another library made, as far as that can be had without it.
@Suite(.timeLimit(.minutes(1))) struct TLSSessionTests {
    let certificates: TestCertificates
    let contexts = TLSContextCache()

    init() throws {
        certificates = try TestCertificates()
    }

    func check(_ name: String, skips: Bool = false, authority: String = "ca") throws -> TLSCheck {
        let context = try contexts.context(for: TLSSettings(authorityFile: certificates[authority]))
        return TLSCheck(context, for: .host(name), skips: skips, at: TLSReportReader.now())
    }

    /// A connected socket, and the session over it after its handshake.
    func shakeHands(_ port: UInt16, _ check: TLSCheck) throws -> (ProbeSocket, TLSConnection) {
        let socket = try ProbeSocket(SOCK_STREAM, to: IPAddress(ipv4: 0x7F00_0001), port: port, from: ProbeOrigin())
        func wait(for events: Int32) {
            var entry = pollfd(fd: socket.descriptor.number, events: Int16(events), revents: 0)
            _ = unsafe poll(&entry, 1, 30_000)
        }
        if try !socket.connect() { wait(for: POLLOUT) }
        try socket.checkError("connect")
        let connection = try TLSConnection(socket.descriptor, check)
        while let events = try connection.handshake() { wait(for: events == .readable ? POLLIN : POLLOUT) }
        return (socket, connection)
    }

    @Test("Any session is read") func read() throws {
        let server = try TLSServer(certificates)
        let check = try check("good.test")
        let (socket, connection) = try shakeHands(server.port, check)
        let report = unsafe TLSReportReader.read(ssl: connection.session, at: 5)
        let own = try #require(connection.report)
        #expect(report.chain == own.chain && report.chain.count == 2)
        #expect(report.version == own.version && report.cipher == own.cipher)
        #expect(report.chainExpiry == own.chainExpiry && report.checkedAt == 5)
        #expect(report.isTrusted)
        withExtendedLifetime((socket, check)) {}
    }

    @Test("A context that is lent a check obeys it, and not its own") func lent() throws {
        let server = try TLSServer(certificates)
        for (name, skips) in [("good.test", false), ("x", false), ("x", true)] {
            let lent = try check(name, skips: skips)
            let other = try check("never.test", authority: "own")
            unsafe lent.lend(to: other.context.session)
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
            #expect(lent.fault?.reason == (name == "good.test" ? nil : .tlsNameMismatch))
        }
    }
}
