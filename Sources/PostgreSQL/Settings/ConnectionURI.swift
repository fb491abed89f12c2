// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CPostgreSQL

/// libpq's connection URI, parsed by libpq.
enum ConnectionURI {
    /// The parameters that a URI may set. Others are secrets, name files that must not be read, or are set by the connection.
    static let allowed: Set<String> = [
        "host", "hostaddr", "port", "dbname", "user", "target_session_attrs", "connect_timeout", "application_name",
        "options",
        "sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl", "sslcrldir", "sslsni", "ssl_min_protocol_version",
        "ssl_max_protocol_version", "channel_binding", "requirepeer", "require_auth", "keepalives", "keepalives_idle",
        "keepalives_interval", "keepalives_count", "tcp_user_timeout",
    ]

    /// The size limit of a URI, in bytes.
    static let limit = 8_192

    /// The parameters that a URI sets.
    ///
    /// - Throws: `invalid_settings`. The message quotes no part of the URI that could be a password.
    static func parse(_ uri: String) throws(DatabaseError) -> [String: String] {
        guard uri.hasPrefix("postgresql://") || uri.hasPrefix("postgres://") else {
            throw DatabaseError(.invalidSettings, "the database is not a URI that begins with postgresql://")
        }
        guard uri.utf8.count <= limit, !uri.utf8.contains(0) else {
            throw DatabaseError(.invalidSettings, "the URI is longer than \(limit) bytes or contains a zero byte")
        }
        let values = try read(uri)
        if values["password"] != nil {
            throw DatabaseError(.invalidSettings, "the URI contains a password; remove it and set password_file")
        }
        for name in values.keys.sorted() where !allowed.contains(name) {
            throw DatabaseError(.invalidSettings, "the parameter \(name) is not supported\(hints[name] ?? "")")
        }
        return values
    }

    private static let hints = [
        "passfile": "; set password_file",
        "sslpassword": "; use a key without a password",
    ]

    private static func read(_ uri: String) throws(DatabaseError) -> [String: String] {
        let collector = Collector()
        var error = [CChar](repeating: 0, count: 512)
        let size = error.count
        let isValid = withExtendedLifetime(collector) {
            unsafe reachd_pq_parse(uri, Unmanaged.passUnretained(collector).toOpaque(), collect, &error, size) == 1
        }
        guard isValid else {
            let text = String(decoding: error.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw DatabaseError(.invalidSettings, mayContainPassword(uri) ? concealed : text)
        }
        return collector.values
    }

    private static let concealed =
        "the URI is invalid; libpq's message is omitted because it may quote a password. Escape special characters (%40 for @)"

    /// Whether the user's part could contain a password, or a parameter be one. An unescaped `?`, `/` or `@` in a password moves it
    /// into other parts of the URI.
    private static func mayContainPassword(_ uri: String) -> Bool {
        guard let start = uri.firstRange(of: "://")?.upperBound else { return true }
        let rest = uri[start...]
        if rest.firstRange(of: "password") != nil || rest.contains("%") { return true }
        guard let end = rest.lastIndex(of: "@") else { return false }
        return rest[..<end].contains(":")
    }
}

/// The parameters while libpq's list is read.
private final class Collector {
    var values: [String: String] = [:]
}

private func collect(_ context: UnsafeMutableRawPointer, _ keyword: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>)
{
    let collector = unsafe Unmanaged<Collector>.fromOpaque(context).takeUnretainedValue()
    unsafe collector.values[String(cString: keyword)] = unsafe String(cString: value)
}
