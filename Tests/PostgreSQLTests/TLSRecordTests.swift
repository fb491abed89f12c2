// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport
import Testing

/// PostgreSQL itself sends TLS records of 8 KiB, but other peers, such as poolers, send the largest that TLS permits.
@Suite(.timeLimit(.minutes(15))) struct TLSRecordTests {
    /// Answers one client and one statement with two records: the first ends in the middle of a row, the second has 16,384 bytes.
    /// libpq's buffer has room for less than that, so the end of the result stays in OpenSSL and the socket is not readable.
    private static let program = """
        import socket, ssl, struct, sys

        def message(kind, body=b""):
            return kind + struct.pack("!I", len(body) + 4) + body

        def row(size):
            return message(b"D", struct.pack("!HI", 1, size - 11) + b"x" * (size - 11))

        start = message(b"R", bytes(4)) + message(b"S", b"server_version\\0" + b"15.1\\0") + message(b"Z", b"I")
        head = message(b"1") + message(b"2") + message(b"T", b"\\0\\1a\\0" + struct.pack("!IHIhih", 0, 0, 25, -1, -1, 0))
        end = message(b"C", b"SELECT 1\\0") + message(b"Z", b"I")
        rest = 100 + 16384 - len(head) - len(end)
        rows = [row(100)] * (rest // 100 - 1)
        rows.append(row(rest - 100 * len(rows)))
        answer = head + b"".join(rows) + end
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], len(rows), flush=True)
        plain, _ = listener.accept()
        plain.recv(8)
        plain.sendall(b"S")
        client = context.wrap_socket(plain, server_side=True)
        client.recv(65536)
        client.sendall(start)
        client.recv(65536)
        client.sendall(answer[:100])
        client.sendall(answer[100:])
        client.recv(65536)
        """

    @Test("The end of a result that OpenSSL holds behind an unreadable socket arrives")
    func pendingBytes() async throws {
        let folder = try TemporaryFolder()
        let certificate = try SelfSignedCertificate("server", in: folder)
        let peer = try ChildProcess(["python3", "-c", Self.program, certificate.path, certificate.key])
        let line = try #require(peer.readLine())
        let numbers = line.split(separator: " ").compactMap { Int($0) }
        try #require(numbers.count == 2, "\(line)\n\(peer.readAll())")
        let uri = "postgresql://reachd@127.0.0.1:\(numbers[0])/reachd?sslrootcert=\(certificate.path)"
        var settings = try DatabaseClient.settings(uri)
        settings.attemptTimeout = .seconds(30)
        settings.connectTimeout = .seconds(30)
        let client = try DatabaseClient(settings)
        #expect(try await client.connect().usesTLS)
        // Beyond the hang limit: the last look before the deadline would also find the bytes.
        #expect(try await client.execute("SELECT 1", within: .seconds(3_600)).rowCount == numbers[1])
    }
}
