// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration

/// `reachd schema`
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of the configuration for editors, or its reference.",
        discussion: """
            An editor with a YAML language server completes and checks a file that begins with the line \
            `# yaml-language-server: $schema=PATH`. `reachd validate` also checks rules between several keys.
            """
    )

    /// What is printed.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        /// A JSON Schema of 2020-12.
        case json
        /// The reference.
        case markdown
    }

    @Option(help: "json: a JSON Schema (2020-12); markdown: the reference.")
    var format: Format = .json

    func run() {
        let text =
            switch format {
            case .json: ConfigurationJSONSchema.text()
            case .markdown: ConfigurationReference.text()
            }
        StandardStream.output.write(Array(text.utf8))
    }
}
