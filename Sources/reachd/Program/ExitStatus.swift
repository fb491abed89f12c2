// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// How the program ends; those from 64 on are of `sysexits.h`.
enum ExitStatus: Int32, Error {
    /// The answer is no: faults, not reachable, not healthy.
    case negative = 1
    /// The arguments make no sense, or lead to nothing that could be judged.
    case usage = 2
    /// Of `check`: nothing is known. Of `validate --diff`: something is different.
    case other = 3
    /// `EX_UNAVAILABLE`: a library of the system is of a version that is not known to work; this kernel gives no network events; the address to listen on, or the event log, is another's; no service
    /// answers.
    case unavailable = 69
    /// `EX_OSERR`: the system refused something that always works.
    case system = 71
    /// `EX_IOERR`: the disk does not take what must be kept, or the standard output an answer.
    case inputOutput = 74
    /// `EX_PROTOCOL`: what answers is not reachd.
    case protocolFault = 76
    /// `EX_NOPERM`: the service wants a token, or another one.
    case noPermission = 77
    /// `EX_CONFIG`: the configuration has faults, or the machine's forbids netlink.
    case configuration = 78
}

/// What goes wrong in a command, said once.
enum CommandError {
    /// Says it on the standard error; returns what the command is to end with.
    static func report(_ words: String, _ status: ExitStatus) -> ExitStatus {
        StandardStream.error.write(line: "reachd: \(TerminalText.safe(words))")
        return status
    }
}

/// Why the service does not run: what to say, and how to end.
struct ServiceFailure: Error {
    let status: ExitStatus
    let lines: [String]

    init(_ status: ExitStatus, _ lines: [String]) {
        self.status = status
        self.lines = lines
    }
}
