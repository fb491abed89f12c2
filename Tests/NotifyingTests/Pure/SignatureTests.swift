// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import TestSupport
import Testing

@testable import Notifying

@Suite struct SignatureTests {
    struct Vector: Sendable {
        let key: [UInt8]
        let data: [UInt8]
        let code: String
    }

    @Test(
        "RFC 4231: the codes of its test cases",
        arguments: [
            Vector(
                key: [UInt8](repeating: 0x0b, count: 20),
                data: Array("Hi There".utf8),
                code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            Vector(
                key: Array("Jefe".utf8),
                data: Array("what do ya want for nothing?".utf8),
                code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            Vector(
                key: [UInt8](repeating: 0xaa, count: 20),
                data: [UInt8](repeating: 0xdd, count: 50),
                code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            Vector(
                key: [UInt8](repeating: 0xaa, count: 131),
                data: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ]
    )
    func vectors(vector: Vector) throws {
        let code = try #require(MessageSignature.code(of: vector.data, key: vector.key))
        #expect(PrintableBytes.hexadecimal(code) == vector.code)
    }

    @Test("openssl finds the same code over the time, a full stop and the body")
    func openssl() throws {
        let folder = try TemporaryFolder()
        let body = #"{"text":"ä \"quoted\" text"}"#
        let value = try #require(
            MessageSignature.value(body: Array(body.utf8), secret: Array("s3cret".utf8), time: 1_795_307_111)
        )
        try folder.write("1795307111." + body, to: "signed")
        let output = try Command.run(["openssl", "dgst", "-sha256", "-hmac", "s3cret", "-r", folder.path(of: "signed")])
        let code = try #require(output.split(separator: " ").first)
        #expect(value == "t=1795307111,v1=\(code)")
    }
}
