// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// The reference of the configuration as Markdown: made of the table that reads it, and of the reader's own words.
package enum ConfigurationReference {
    /// The document, with a line end.
    package static func text() -> String {
        let sections = SchemaSections(ConfigurationSchema.root).sections
        var lines = introduction
        for section in sections {
            let title = section.places == [""] ? "The file" : capitalised(section.schema.title)
            lines += ["", "## \(title)", ""]
            lines += [placesLine(section), ""]
            for field in section.schema.fields { lines += entry(field, in: section) }
            lines.removeLast()
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let introduction = [
        "# Configuration",
        "",
        "<!-- Made by `reachd schema --format markdown` of the table that reads the configuration. Change the table. -->",
        "",
        "Every key of the configuration file, with what the reader itself says when it is wrong.",
        "[config/reachd.yaml](../config/reachd.yaml) shows all of them in their places, and",
        "[config/reachd.schema.json](../config/reachd.schema.json) tells editors about them; the line",
        "`# yaml-language-server: $schema=…` at the top of a file names it. `reachd schema` prints the schema of the program at",
        "hand, and `reachd schema --format markdown` this document.",
        "",
        "- The file is YAML. Every key has a default; an empty file and none are the same.",
        "- `reachd validate FILE` says everything that is wrong with it, each with line and column.",
        "- A duration is whole numbers with units: `500ms`, `30s`, `1h30m`, `2d`. A number of bytes is bare or has `KiB`,",
        "  `MiB` or `GiB`.",
        "- Values may hold `${VARIABLE}` and `${VARIABLE:-default}`; `$$` is a dollar sign.",
        "- Where an environment variable stands beside a key, it wins over the file. Several values are separated by commas,",
        "  and an empty variable counts as not set.",
        "- *Reload*: SIGHUP or `POST /-/reload` takes a change up. *Restart*: a change waits until reachd is started again;",
        "  the log and the reload's answer name it.",
        "- Keys of the file that begin with `x-` are passed over, as a home for YAML's anchors.",
    ]

    private static func placesLine(_ section: SchemaSections.Section) -> String {
        let places = section.places.filter { !$0.isEmpty }
        guard !places.isEmpty else { return "The keys of the file itself." }
        return "At " + places.map { "`\($0)`" }.formatted(last: "and") + "."
    }

    private static func entry(_ field: Field, in section: SchemaSections.Section) -> [String] {
        var lines = ["### `\(field.name)`", "", plain(field.summary), ""]
        var value = "- " + field.type.bounds
        if let standard = field.defaultValue {
            value += "; default `\(standard)`"
        } else if field.isRequired {
            value += "; required"
        }
        lines.append(value)
        if !field.variants.isEmpty { lines.append("- for \(section.schema.owners(of: field))") }
        lines.append("- " + changes(field, in: section))
        lines.append("- example: `\(field.name): \(field.example)`")
        if let diagnostic = report(field) {
            lines.append("- a fault: `\(field.name): \(field.type.counterexample)`: \(diagnostic)")
        }
        return lines + [""]
    }

    private static func changes(_ field: Field, in section: SchemaSections.Section) -> String {
        let keys = section.places.map { $0.isEmpty ? field.name : "\($0).\(field.name)" }
        var parts: [String] = []
        let restarts = keys.map(needsRestart)
        if restarts.allSatisfy(\.self) {
            parts.append("restart")
        } else if restarts.contains(true) {
            let places = zip(keys, restarts).filter(\.1).map { "`\($0.0)`" }.formatted(last: "and")
            parts.append("reload; restart at \(places)")
        } else {
            parts.append("reload")
        }
        let variables = EnvironmentVariables.keys.filter { keys.contains($0.value) }.keys.sorted()
        if !variables.isEmpty { parts.append(variables.map { "`\($0)`" }.joined(separator: ", ")) }
        return parts.joined(separator: "; ")
    }

    /// Whether a change of a key waits for a restart: what the comparison of two configurations says of the setting that
    /// the key is a part of.
    private static func needsRestart(_ key: String) -> Bool {
        let parts = key.split(separator: ".").map { part in
            part.hasSuffix("[]") ? String(part.dropLast(2)) : String(part)
        }
        let settings = SettingChange.all.map(\.change)
        for count in (1...parts.count).reversed() {
            let above = parts.prefix(count).joined(separator: ".")
            if let setting = settings.first(where: { $0.key == above }) { return setting.needsRestart }
        }
        // A section: as most of its keys.
        let inside = settings.filter { $0.key.hasPrefix(parts.joined(separator: ".") + ".") }
        return !inside.isEmpty && inside.allSatisfy(\.needsRestart)
    }

    /// What the reader says of something that people write there.
    static func report(_ field: Field) -> String? {
        let diagnostics = SchemaProbe.diagnostics(of: field, written: field.type.counterexample)
        return diagnostics.first.map { diagnostic in
            "`\(diagnostic.words)\(diagnostic.hint.map { "; \($0)" } ?? "") [\(diagnostic.code.rawValue)]`"
        }
    }

    /// A text that means nothing to Markdown but where it has backticks itself.
    private static func plain(_ text: String) -> String {
        var result = ""
        var isCode = false
        for character in text {
            if character == "`" { isCode.toggle() }
            if !isCode, "*_[]<>".contains(character) { result += "\\" }
            result.append(character)
        }
        return result
    }

    private static func capitalised(_ text: String) -> String {
        (text.first?.uppercased() ?? "") + text.dropFirst()
    }
}

/// The mappings of the configuration, each once, with all the places where it stands.
struct SchemaSections {
    /// A mapping and where it stands.
    struct Section {
        let schema: ObjectSchema
        /// Dotted keys, `[]` behind those of lists: `targets[].probe`. Empty for the file itself.
        var places: [String]
    }

    /// In the order of the file, depth first.
    private(set) var sections: [Section] = []
    private var indices: [String: Int] = [:]

    init(_ root: ObjectSchema) {
        collect(root, at: "")
    }

    private mutating func collect(_ schema: ObjectSchema, at place: String) {
        if let index = indices[schema.name] {
            sections[index].places.append(place)
        } else {
            indices[schema.name] = sections.count
            sections.append(Section(schema: schema, places: [place]))
        }
        for field in schema.fields {
            let key = place.isEmpty ? field.name : "\(place).\(field.name)"
            collect(field.type, at: key)
        }
    }

    private mutating func collect(_ type: FieldType, at place: String) {
        switch type {
        case .object(let schema): collect(schema, at: place)
        case .list(let element): collect(element, at: place + "[]")
        case .oneOrMore(let element): collect(element, at: place + "[]")
        case .textOrObject(_, let schema): collect(schema, at: place)
        default: break
        }
    }
}

/// Asks the reader what it makes of one value at one key.
enum SchemaProbe {
    /// The faults of a key with a value, as YAML has it on one line.
    static func diagnostics(of field: Field, written value: String) -> [ConfigurationDiagnostic] {
        let text = Array("\(field.name): \(value)\n".utf8)
        do throws(YAMLError) {
            let root = try YAMLReader.read(text)
            var reader = SchemaReader(path: "reachd.yaml", environment: [:], overrides: [:])
            _ = reader.read(root, as: ObjectSchema("an example", fields: [field]))
            return reader.diagnostics.diagnostics
        } catch {
            return [ConfigurationDiagnostic(.syntax, at: .option(field.name), "this is not YAML")]
        }
    }
}
