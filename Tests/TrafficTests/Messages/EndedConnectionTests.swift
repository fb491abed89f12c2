// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import TestSupport
import Testing

@testable import Traffic

@Suite("How connections ended") struct EndedConnectionTests {
    @Test("messages of a kernel are classified")
    func samples() throws {
        let client = try #require(SampleMessage.client.connection())
        #expect(client.ending == .closed)
        #expect(client.family == .ipv4)
        #expect(client.bytesSent == 100)
        #expect(client.bytesReceived == 50)
        #expect(client.minimumRoundTrip == 10)
        let server = try #require(SampleMessage.served.connection(.server))
        #expect(server.ending == .closed)
        #expect(server.family == .ipv4)
        #expect(server.bytesSent == 50)
        #expect(SampleMessage.ipv6.connection()?.ending == .closed)
        let refused = try #require(SampleMessage.refused.connection())
        #expect(refused.ending == .refused)
        #expect(refused.minimumRoundTrip == nil)
        #expect(refused.roundTrip == nil)
        #expect(refused.isFailure)
    }

    @Test("an attempt without a reply is unanswered after a retransmission, and abandoned before")
    func attempts() {
        let silent = SampleMessage.refused.with(.segmentsIn, 0)
        #expect(silent.connection()?.ending == .abandoned)
        #expect(silent.connection()?.isFailure == false)
        #expect(silent.with(.totalRetransmissions, 1).connection()?.ending == .unanswered)
        #expect(silent.with(.totalRetransmissions, 1).connection()?.isFailure == true)
        // The neighbour did not answer, so that no segment left the machine again.
        #expect(silent.with(.retransmits, 3).connection()?.ending == .unanswered)
    }

    @Test("without an acknowledged FIN a connection was reset; what was sent again does not count as acknowledged")
    func resets() {
        // The client's SYN counts as one byte, the server's does not.
        #expect(SampleMessage.client.with(.bytesAcknowledged, 101).connection()?.ending == .reset)
        #expect(SampleMessage.served.with(.bytesAcknowledged, 50).connection(.server)?.ending == .reset)
        let again = SampleMessage.client.with(.bytesSent, 400).with(.bytesRetransmitted, 300)
        #expect(again.connection()?.ending == .closed)
        #expect(again.connection()?.bytesSent == 100)
        #expect(again.with(.bytesAcknowledged, 101).connection()?.ending == .reset)
        #expect(again.with(.bytesAcknowledged, 101).connection()?.isFailure == false)
        // More retransmitted than sent cannot be; it must not trap.
        #expect(SampleMessage.client.with(.bytesRetransmitted, .max).connection()?.bytesSent == 0)
    }

    @Test("a reset with unread data is this machine's own; one byte is the peer's FIN")
    func aborted() {
        var reset = SampleMessage.client.with(.bytesAcknowledged, 101)
        reset.set(UInt32(1), at: 72)
        #expect(reset.connection()?.ending == .reset)
        reset.set(UInt32(70), at: 72)
        #expect(reset.connection()?.ending == .aborted)
    }

    @Test("unanswered retransmissions or probes at the end are a timeout, a failure only of the remote side")
    func timeouts() {
        #expect(SampleMessage.client.with(.retransmits, 2).connection()?.ending == .timedOut)
        #expect(SampleMessage.client.with(.probes, 2).connection()?.ending == .timedOut)
        #expect(SampleMessage.client.with(.probes, 2).connection()?.isFailure == true)
        #expect(SampleMessage.served.with(.probes, 2).connection(.server)?.isFailure == false)
    }

    @Test("a kernel without tcpi_bytes_sent does not tell resets")
    func older() {
        let old = SampleMessage.client.with(.bytesAcknowledged, 101).cut(infoTo: 168)
        #expect(old.connection()?.ending == .closed)
        #expect(old.connection()?.bytesSent == 101)
    }

    @Test("sockets that never connected, and those without tcp_info, are none")
    func none() {
        var listener = SampleMessage.client
        listener.set(UInt16(0), at: 22)
        #expect(listener.connection() == nil)
        #expect(SampleMessage.client.cut(infoTo: 100).connection() == nil)
    }
}
