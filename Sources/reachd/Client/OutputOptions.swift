// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser

/// How an answer looks.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false

    @Option(help: "When to colour; auto: on a terminal, unless NO_COLOR is set.")
    var color: ColorChoice = .auto

    /// The standard output.
    var terminal: Terminal { Terminal(color) }
}

extension StandardStream {
    /// Writes a service's JSON as it is; to a terminal without what that could obey.
    func write(json body: [UInt8]) {
        let safe = Terminal.isOutput ? TerminalText.safe(json: body) : body
        write(safe + (safe.last == 0x0A ? [] : [0x0A]))
    }
}
