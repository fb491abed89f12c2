// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Addresses

/// One host of a connection URI: a name, an address or the folder of a Unix socket.
struct DatabaseHost: Sendable, Hashable {
    /// The name, which the server's certificate must contain; or the folder of a Unix socket, or `@` and an abstract name.
    let name: String
    /// The address that `hostaddr` sets; nil when the name must be resolved.
    let address: String?
    /// The port.
    let port: UInt16

    /// The most hosts of a URI.
    static let limit = 16
    private static let standardPort: UInt16 = 5432

    /// Whether this is a Unix socket.
    var isSocket: Bool { address == nil && (name.hasPrefix("/") || name.hasPrefix("@")) }

    /// The hosts of libpq's three comma-separated lists. One port applies to all hosts.
    ///
    /// - Throws: `invalid_settings`.
    static func list(names: String, addresses: String, ports: String) throws(DatabaseError) -> [DatabaseHost] {
        let names = split(names)
        let addresses = split(addresses)
        let ports = split(ports)
        let count = max(names.count, addresses.count, 1)
        guard count <= limit else {
            throw DatabaseError(.invalidSettings, "the URI names \(count) hosts (maximum: \(limit))")
        }
        guard names.isEmpty || names.count == count, addresses.isEmpty || addresses.count == count,
            ports.count <= 1 || ports.count == count
        else {
            throw DatabaseError(.invalidSettings, "host, hostaddr and port have different numbers of values")
        }
        var hosts: [DatabaseHost] = []
        for index in 0..<count {
            let address = addresses.isEmpty ? "" : addresses[index]
            guard address.isEmpty || IPAddress(address) != nil else {
                throw DatabaseError(.invalidSettings, "hostaddr contains a value that is not an IP address")
            }
            let name = names.isEmpty || names[index].isEmpty ? address : names[index]
            let text = ports.isEmpty ? "" : ports.count == 1 ? ports[0] : ports[index]
            guard let port = text.isEmpty ? standardPort : UInt16(text), port > 0 else {
                throw DatabaseError(.invalidSettings, "the port of host \(index + 1) is not a number from 1 to 65535")
            }
            hosts.append(
                DatabaseHost(
                    name: name.isEmpty ? DatabaseSettings.socketFolder : name,
                    address: address.isEmpty ? nil : address,
                    port: port
                )
            )
        }
        return hosts
    }

    private static func split(_ list: String) -> [String] {
        list.isEmpty ? [] : list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
}
