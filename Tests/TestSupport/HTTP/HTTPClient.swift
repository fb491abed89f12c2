// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One request, one connection, one reply.
package enum HTTPClient {
    /// Makes a request and reads the whole reply.
    ///
    /// - Parameters:
    ///   - method: The method as it is sent.
    ///   - path: The target as it is sent: path and query.
    ///   - port: The server's port.
    ///   - headers: Fields beside `Host` and `Connection: close`.
    ///   - body: The body, sent with its length when it is there.
    ///   - namespace: Where to connect, nil for the test's own network.
    package static func request(
        _ method: String = "GET",
        _ path: String,
        port: UInt16,
        headers: [String: String] = [:],
        body: String? = nil,
        in namespace: NetworkNamespace? = nil
    ) throws -> HTTPReply {
        let connection = try HTTPConnection(port: port, in: namespace)
        var fields = headers
        if let body { fields["Content-Length"] = String(body.utf8.count) }
        fields["Connection"] = fields["Connection"] ?? "close"
        try connection.send(head(method, path, fields) + (body ?? ""))
        return try connection.receive(toHead: method == "HEAD")
    }

    /// Makes a GET request and reads the whole reply.
    package static func get(
        _ path: String,
        port: UInt16,
        headers: [String: String] = [:],
        in namespace: NetworkNamespace? = nil
    ) throws -> HTTPReply {
        try request("GET", path, port: port, headers: headers, in: namespace)
    }

    static func head(_ method: String, _ path: String, _ headers: [String: String]) -> String {
        var fields = headers
        fields["Host"] = fields["Host"] ?? "localhost"
        let lines = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }
        return "\(method) \(path) HTTP/1.1\r\n\(lines.joined())\r\n"
    }
}
