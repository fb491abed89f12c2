// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// The credentials of a request. Files are read for each request, because tokens are renewed in their place.
package enum HTTPAuthorization: Sendable, Hashable {
    /// A bearer token (RFC 6750); printable ASCII.
    case bearer(String)
    /// The file with the bearer token as its only line.
    case bearerFile(String)
    /// A user and the password (RFC 7617).
    case basic(user: String, password: String)
    /// A user and the file with the password as its only line.
    case basicFile(user: String, file: String)

    /// Credentials whose files were read.
    enum Credentials {
        case bearer(String)
        case basic(user: String, password: String)
    }

    /// Reads the files.
    func credentials() throws(HTTPClientError) -> Credentials {
        switch self {
        case .bearer(let token): .bearer(token)
        case .bearerFile(let path): .bearer(try Self.line(of: path))
        case .basic(let user, let password): .basic(user: user, password: password)
        case .basicFile(let user, let path): .basic(user: user, password: try Self.line(of: path))
        }
    }

    /// The single line of a file with a secret, at most 16 KiB.
    private static func line(of path: String) throws(HTTPClientError) -> String {
        let limit = 16_384
        var bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileContents.read(path, limit: limit + 1)
        } catch {
            throw HTTPClientError(.credentials, "\(path) cannot be read: \(error)")
        }
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        // Any other character could end the header line, and begin another.
        guard !bytes.isEmpty, bytes.count <= limit, bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw HTTPClientError(.credentials, "\(path) does not have one line of printable ASCII")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A header field of a response.
package struct HTTPHeader: Sendable, Hashable {
    /// The name, in lower case.
    package let name: String
    /// The value, without spaces around it.
    package let value: String

    /// Parses a line of a response's head; nil for any other line.
    init?(line: [UInt8]) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
        let rest = line[(colon + 1)...].drop(while: isSpace)
        let end = rest.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? rest.startIndex
        name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        value = String(decoding: rest[..<end], as: UTF8.self)
    }
}
