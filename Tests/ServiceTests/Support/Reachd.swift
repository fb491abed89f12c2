// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport

/// The program that was built beside these tests.
enum Reachd {
    /// Its path: executables and test bundles land in the same folder.
    static let path: String = {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/reachd"
    }()

    /// Variables that keep those of whoever runs the tests out, and what is kept out of his folders.
    static let cleanEnvironment = [
        "REACHD_CONFIG": "", "REACHD_URL": "", "REACHD_TOKEN_FILE": "", "COLUMNS": "", "NO_COLOR": "", "TZ": "UTC",
        "LC_ALL": "C.UTF-8", "NOTIFY_SOCKET": "", "STATE_DIRECTORY": "", "REACHD_HISTORY_ENABLED": "false",
        "REACHD_STATE_FILE": "none",
    ]

    /// What a command came to.
    struct Result {
        let status: Int32
        let output: String
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// Runs a command to its end.
    static func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        in namespace: NetworkNamespace? = nil
    ) throws -> Result {
        let process = try start(arguments, environment: environment, in: namespace)
        let output = process.readAll()
        return Result(status: process.wait(), output: output)
    }

    /// Starts a command that goes on.
    static func start(
        _ arguments: [String],
        environment: [String: String] = [:],
        in namespace: NetworkNamespace? = nil,
        wrapper: [String] = []
    ) throws -> ChildProcess {
        let variables = cleanEnvironment.merging(environment) { $1 }
        return try ChildProcess(wrapper + [path] + arguments, environment: variables, in: namespace)
    }
}
