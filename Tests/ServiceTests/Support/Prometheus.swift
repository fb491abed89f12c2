// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport

/// Debian's Prometheus on a free port of the loopback interface, with a folder of its own.
final class Prometheus {
    private let process: ChildProcess
    private let folder: TemporaryFolder
    let port: UInt16

    struct NotReady: Error {
        let output: [String]
    }

    /// Starts it and waits until it takes requests.
    ///
    /// - Parameter scrapes: the elements of `scrape_configs`.
    init(_ scrapes: String) throws {
        folder = try TemporaryFolder()
        let settings = "global: { scrape_interval: 200ms, scrape_timeout: 200ms }\nscrape_configs:\n\(scrapes)"
        let file = try folder.write(settings, to: "prometheus.yml")
        port = try FreePort.next()
        process = try ChildProcess([
            "prometheus", "--config.file=\(file)", "--storage.tsdb.path=\(folder.path)/data",
            "--web.listen-address=127.0.0.1:\(port)", "--log.level=info", "--query.lookback-delta=1m",
        ])
        var output: [String] = []
        while let line = process.readLine() {
            output.append(line)
            if line.contains("Server is ready to receive web requests") { return }
        }
        throw NotReady(output: output)
    }

    /// The values of a query's result: of an instant vector each, of a matrix the last of each.
    func query(_ text: String) throws -> [Double] {
        let reply = try HTTPClient.get("/api/v1/query?query=\(Self.encoded(text))", port: port)
        guard reply.status == 200 else { throw QueryFailure(query: text, answer: reply.text) }
        return reply.text.split(separator: "\"value\":[").dropFirst().compactMap { part in
            part.split(separator: "\"").dropFirst().first.flatMap { Double($0) }
        }
    }

    struct QueryFailure: Error {
        let query: String
        let answer: String
    }

    /// Asks until the result is as wanted; nobody tells when a scrape was stored, so it is asked for again and again.
    ///
    /// - Returns: The result, also when the time was up.
    func query(_ text: String, until isWanted: ([Double]) -> Bool) throws -> [Double] {
        var result: [Double] = []
        for _ in 0..<200 {
            result = try query(text)
            if isWanted(result) { return result }
            _ = poll(nil, 0, 100)
        }
        return result
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
