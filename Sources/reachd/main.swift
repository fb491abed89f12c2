// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

// Swift reads them from /proc, and has none where that is not: what was asked for would become the default command.
guard !CommandLine.arguments.isEmpty else {
    StandardStream.error.write(line: "reachd: cannot read the arguments: /proc is not mounted; mount it")
    exit(ExitStatus.system.rawValue)
}
exit(Program.run(Array(CommandLine.arguments.dropFirst())))
