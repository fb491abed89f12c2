// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import Testing

@testable import HTTPServer

@Suite("Values")
struct ValueTests {
    @Test("dates as RFC 9110 wants them")
    func date() {
        #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(1_709_164_800) == "Thu, 29 Feb 2024 00:00:00 GMT")
    }

    @Test("a request made for a test answers like one from a socket")
    func request() {
        var request = HTTPRequest(
            method: "GET",
            path: "/",
            headers: [HTTPHeader("Accept", "a"), HTTPHeader("ACCEPT", "b")]
        )
        #expect(request.header("accept") == "a")
        #expect(request.header("accep") == nil)
        #expect(request.peer == "test")
        request.headers.append(HTTPHeader("X", "y"))
        request.peer = "[::1]:1"
        #expect(request.header("x") == "y")
        #expect(request.peer == "[::1]:1")
    }

    @Test("peers as text")
    func peers() {
        let addresses = ["192.0.2.1:4711", "[2001:db8::1]:1", "[fe80::1%2]:1", "unix"]
        for text in addresses {
            let peer = PeerAddress(text)
            #expect(peer.description == text)
            #expect(peer != .text(text), "\(text) is kept as a text")
        }
        #expect(PeerAddress("[fe80::1%2]:1").host == "fe80::1%2")
        func request(_ peer: String) -> HTTPRequest { HTTPRequest(method: "GET", path: "/", peer: peer) }
        #expect(request("[fe80::1%2]:1").peerAddress == IPAddress("fe80::1"))
        #expect(request("[::ffff:192.0.2.1]:1").peerAddress == IPAddress("192.0.2.1"))
        #expect(request("test").peerAddress == nil)
        #expect(request("unix").isFromUnixSocket)
    }

    @Test("a prepared body returns its bytes")
    func preparedBody() {
        #expect(PreparedBody([1, 2, 3]).bytes == [1, 2, 3])
        #expect(PreparedBody([UInt8]()).bytes.isEmpty)
        let written = unsafe PreparedBody(capacity: 10) { room in
            unsafe room[0] = 7
            return 1
        }
        #expect(written.bytes == [7])
        #expect(written.count == 1)
    }
}
