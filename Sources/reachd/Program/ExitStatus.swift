// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// The exit statuses of the program; those from 64 are defined by `sysexits.h`.
enum ExitStatus: Int32, Error {
    /// The result is negative: invalid, not reachable, not healthy.
    case negative = 1
    /// The arguments are invalid, or a named file, target or receiver cannot be used.
    case usage = 2
    /// `check`: the result is unknown. `validate --diff`: the targets differ.
    case other = 3
    /// `check`: the target cannot be reached, and is not at fault.
    case unreachable = 4
    /// `EX_UNAVAILABLE`: no service responds; `serve` and `path`: the kernel sends no events; `serve`: an address to listen
    /// on cannot be used, or another process uses the event log or the state file; `import`: the service is running; all
    /// commands: a system library has an unsupported version.
    case unavailable = 69
    /// `EX_OSERR`: the system refused a basic operation.
    case system = 71
    /// `EX_IOERR`: a required event log cannot be written, or the standard output is truncated.
    case inputOutput = 74
    /// `EX_PROTOCOL`: the server that responds is not reachd.
    case protocolFault = 76
    /// `EX_NOPERM`: the service requires a token, or rejects the request or its token.
    case noPermission = 77
    /// `EX_CONFIG`: the configuration is invalid, or the machine does not allow AF_NETLINK sockets.
    case configuration = 78
}

/// Reports errors of commands.
enum CommandError {
    /// Writes the text to the standard error, and returns the exit status for the command to throw.
    static func report(_ words: String, _ status: ExitStatus) -> ExitStatus {
        StandardStream.error.write(line: "reachd: \(TerminalText.safe(words))")
        return status
    }
}

/// The error that ends the service: its messages and the exit status.
struct ServiceFailure: Error {
    let status: ExitStatus
    let lines: [String]

    init(_ status: ExitStatus, _ lines: [String]) {
        self.status = status
        self.lines = lines
    }
}
