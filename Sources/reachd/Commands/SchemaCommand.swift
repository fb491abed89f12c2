// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Configuration

/// `reachd schema`
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints what can be configured: a JSON Schema for editors, or the reference for people.",
        discussion: """
            Both are made of the table that reads the configuration. An editor with a YAML language server completes and \
            checks a file that begins with the line `# yaml-language-server: $schema=PATH`. `reachd validate` knows more: \
            what several keys have to do with one another.
            """
    )

    /// What is printed.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        /// A JSON Schema of 2020-12.
        case json
        /// The reference.
        case markdown
    }

    @Option(help: "json is a JSON Schema (2020-12), markdown the reference.")
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
