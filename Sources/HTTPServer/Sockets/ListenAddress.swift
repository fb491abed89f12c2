// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where a server listens.
public enum ListenAddress: Sendable, Hashable {
    /// A TCP address: a literal IPv4 or IPv6 address (with `%scope` where it needs one) and a port, 0 for any free one.
    ///
    /// `::` takes IPv4 clients too, unless the same server listens on an IPv4 address with the same port. `*` is `::`
    /// where there is IPv6, `0.0.0.0` where there is none. `localhost` is `127.0.0.1`.
    case tcp(host: String, port: UInt16)
    /// A unix socket's path and its file's permission bits.
    case unix(path: String, mode: UInt32)

    /// The permission bits of a unix socket for which none are given: its owner and group may connect.
    public static let defaultMode: UInt32 = 0o660

    /// Reads `127.0.0.1:7532`, `[::1]:7532`, `*:7532`, `:7532`, `localhost:7532` or `unix:/run/reachd.sock`.
    ///
    /// - Throws: ``HTTPServerError`` with the code `invalidAddress`.
    public init(parsing text: String) throws(HTTPServerError) {
        let invalid = HTTPServerError(
            code: .invalidAddress,
            message: "\(text): not an address and a port (127.0.0.1:7532, [::1]:7532, *:7532) or unix:/path"
        )
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/"), path.utf8.count < ListenSocket.pathLimit, !path.utf8.contains(0) else {
                throw invalid
            }
            self = .unix(path: path, mode: Self.defaultMode)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { throw invalid }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let port = UInt16(digits) else {
            throw invalid
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { throw invalid }
        } else if host.contains(":") {
            throw invalid
        }
        let name = host.isEmpty ? "*" : String(host)
        guard name == "*" || name == "localhost" || ListenSocket.isLiteral(name) else { throw invalid }
        self = .tcp(host: name, port: port)
    }
}

extension ListenAddress: CustomStringConvertible {
    /// The form that ``init(parsing:)`` reads.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path, _): "unix:\(path)"
        }
    }
}
