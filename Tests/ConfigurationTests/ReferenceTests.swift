// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema
import Testing

@testable import Configuration

/// The reference and the JSON Schema that are made of the table; scripts/documents holds the schema against the reader.
@Suite struct ReferenceTests {
    static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }

    @Test(
        "the committed schema is what reachd schema prints",
        arguments: [
            ("config/reachd.schema.json", ConfigurationJSONSchema.text()),
            ("docs/configuration.md", ConfigurationReference.text()),
        ]
    )
    func committedIsCurrent(path: String, text: String) throws {
        let committed = String(decoding: try BoundedFile.read("\(Self.root)/\(path)", maximum: 1 << 22), as: UTF8.self)
        #expect(committed == text, "\(path) is not what `reachd schema` prints")
    }

    static let fields = SchemaSections(ConfigurationSchema.root).sections.flatMap { section in
        section.schema.fields.map { (key: "\(section.schema.identifier).\($0.name)", field: $0) }
    }

    @Test("every mapping has a name of its own")
    func namesAreUnique() {
        let sections = SchemaSections(ConfigurationSchema.root).sections
        #expect(Set(sections.map(\.schema.identifier)).count == sections.count)
        #expect(Set(sections.flatMap(\.places)).count == sections.flatMap(\.places).count)
        #expect(
            sections.contains {
                $0.places.contains("targets[].probe.tls") && $0.places.contains("notify[].webhook.tls")
            }
        )
    }

    @Test("every example can be read")
    func examplesCanBeRead() {
        for (key, field) in Self.fields {
            let diagnostics = SchemaProbe.diagnostics(of: field, written: field.example)
            #expect(diagnostics.isEmpty, "\(key): \(field.example): \(diagnostics)")
        }
    }

    @Test("every key has something that the reader complains of")
    func faultsAreFaults() {
        for (key, field) in Self.fields {
            #expect(!SchemaProbe.diagnostics(of: field, written: field.type.counterexample).isEmpty, "\(key)")
        }
    }

    @Test("the reference states whether a change needs a reload or a restart, and the variable")
    func changes() {
        let text = ConfigurationReference.text()
        #expect(text.contains("- reload; `REACHD_LOG_LEVEL`\n"))
        #expect(text.contains("- restart; `REACHD_EVENTS_MAX_STREAMS`\n"))
        #expect(!text.contains("REACHD_TARGETS"))
    }
}
