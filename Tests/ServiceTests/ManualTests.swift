// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@Suite("The manual page and completions", .timeLimit(.minutes(15)))
struct ManualTests {
    /// The repository: tests stand in it.
    private static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }

    @Test("docs/man/reachd.1 matches the help of the program")
    func isCurrent() throws {
        let output = try Command.run(["python3", "\(Self.root)/scripts/manual", "--check", Reachd.path])
        #expect(output.isEmpty)
    }

    @Test("groff has nothing to warn of")
    func isClean() throws {
        #expect(try Command.run(["groff", "-man", "-ww", "-z", "\(Self.root)/docs/man/reachd.1"]).isEmpty)
        let text = try Command.run(["groff", "-man", "-Tutf8", "\(Self.root)/docs/man/reachd.1"])
        for command in ["serve", "status", "targets", "watch", "check", "explain", "doctor", "validate"] {
            #expect(text.contains(command))
        }
    }

    @Test("completions are scripts that their shells take", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) throws {
        let script = try Reachd.run(["--generate-completion-script", shell])
        #expect(script.status == 0)
        #expect(script.output.contains("reachd targets --ids"))
        guard shell == "bash" else { return }
        let folder = try TemporaryFolder()
        try Command.run(["bash", "-n", try folder.write(script.output, to: "reachd.bash")])
        // What is behind each of these is completed by files, or out of a closed set.
        try Command.run(["touch", folder.path(of: "some.yaml")])
        for (words, expected) in [
            ("reachd serve --config so", "some.yaml"), ("reachd status --config so", "some.yaml"),
            ("reachd import so", "some.yaml"), ("reachd backup --from so", "some.yaml"),
            ("reachd export --file so", "some.yaml"), ("reachd trust --anchors so", "some.yaml"),
            ("reachd watch --event rea", "reachability"), ("reachd status --fail-on unr", "unreachable"),
        ] {
            let line = words.split(separator: " ").map(String.init)
            let program = """
                source ./reachd.bash; COMP_WORDS=(\(words)); COMP_CWORD=\(line.count - 1)
                COMP_LINE='\(words)'; COMP_POINT=\(words.count); COMPREPLY=()
                _reachd reachd '\(line[line.count - 1])' '\(line[line.count - 2])' 2>/dev/null; echo "${COMPREPLY[*]}"
                """
            let found = try Command.run(["bash", "-c", "cd '\(folder.path)'; \(program)"])
            #expect(found.contains(expected), "\(words): \(found)")
        }
    }
}
