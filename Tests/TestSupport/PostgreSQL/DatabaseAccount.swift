// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc

/// The account that PostgreSQL and pgbouncer run as: both refuse to run as root, also as root of a user namespace.
enum DatabaseAccount {
    /// The command prefix that runs a program as an ordinary user; it does not change the process's number.
    static let prefix: [String] = {
        guard geteuid() == 0 else { return [] }
        if ownsAllUsers { return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] }
        // A user namespace that maps only root (scripts/test): one inside it shows root as another user, and needs no privilege.
        return ["unshare", "--user", "--map-user=65534", "--map-group=65534"]
    }()

    /// Gives a folder and all in it to the account.
    static func own(_ path: String) throws {
        guard geteuid() == 0, ownsAllUsers else { return }
        try Command.run(["chown", "-R", "nobody:nogroup", path])
    }

    /// Whether this user namespace maps the account.
    private static let ownsAllUsers: Bool = {
        guard let map = try? Command.run(["cat", "/proc/self/uid_map"]) else { return false }
        return map.split(whereSeparator: \.isNewline).contains { line in
            let numbers = line.split(separator: " ").compactMap { UInt64($0) }
            return numbers.count == 3 && numbers[0] <= 65_534 && 65_534 - numbers[0] < numbers[2]
        }
    }()
}
