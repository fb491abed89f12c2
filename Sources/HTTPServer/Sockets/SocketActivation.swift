// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// What a service manager hands over when it listens in a service's place: the protocol of `sd_listen_fds(3)`.
package struct SocketActivation: Sendable {
    /// The sockets, in the manager's order.
    package let sockets: [InheritedSocket]

    /// The number of the first descriptor that is handed over.
    private static let first: Int32 = 3
    /// More than any unit has; a wrong number must not make descriptors of others ours.
    private static let limit = 64
    private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// Takes over what was handed to this process, and clears the variables that say so, so that no program started
    /// from here takes them for its own. Once, before there are threads.
    ///
    /// - Parameter environment: Names the process (`LISTEN_PID`), how many descriptors there are from 3 on
    ///   (`LISTEN_FDS`) and what each is called (`LISTEN_FDNAMES`, between colons). Variables for another process mean
    ///   that there are none.
    /// - Throws: ``HTTPServerError`` when one of them is no listening stream socket.
    package init(environment: [String: String]) throws(HTTPServerError) {
        for name in Self.variables { unsafe unsetenv(name) }
        guard environment["LISTEN_PID"].flatMap({ pid_t($0) }) == getpid(),
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), count > 0, count <= Self.limit
        else {
            sockets = []
            return
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        var sockets: [InheritedSocket] = []
        for index in 0..<count {
            let name = names.indices.contains(Int(index)) ? String(names[Int(index)]) : ""
            // The manager's word for a socket without a name.
            sockets.append(try InheritedSocket(owning: Self.first + index, name: name == "unknown" ? "" : name))
        }
        self.sockets = sockets
    }

    /// The sockets of a name, or all.
    package func sockets(named name: String?) -> [InheritedSocket] {
        guard let name else { return sockets }
        return sockets.filter { $0.name == name }
    }
}
