// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What is said of the names of hosts.
enum HostWords {
    /// That a host's name has letters that no name server knows; nil when it has none.
    ///
    /// - Parameter text: What was written, with the host in it.
    static func foreignLetters(in host: some StringProtocol, of text: String) -> String? {
        guard host.utf8.contains(where: { $0 >= 0x80 }) else { return nil }
        let shown = TerminalText.safe(text, limit: 256)
        return "'\(shown)' has a name with letters that are not ASCII: write its ASCII form, which begins with xn--"
    }
}
