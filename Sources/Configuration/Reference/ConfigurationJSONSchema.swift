// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Schema

/// The JSON Schema (2020-12) of the configuration, for editors: made of the table that reads it.
///
/// It says less than the reader: what several keys have to do with one another is for `reachd validate`. What the reader
/// takes passes, variables included.
package enum ConfigurationJSONSchema {
    /// The schema's text, with a line end.
    package static func text() -> String {
        let sections = SchemaSections(ConfigurationSchema.root).sections
        var pairs: [(name: String, value: JSONValue)] = [
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
            ("title", .string("reachd's configuration")),
            ("description", .string("Made by `reachd schema`; `reachd validate` knows more.")),
        ]
        // An empty file is one.
        pairs += mapping(ConfigurationSchema.root, types: ["object", "null"])
        var definitions: [(name: String, value: JSONValue)] = [
            (
                "variable",
                .object([
                    ("description", .string("An environment variable: ${NAME} or ${NAME:-default}.")),
                    ("type", .string("string")), ("pattern", .string(#"\$\{"#)),
                ])
            )
        ]
        for section in sections.dropFirst() {
            definitions.append((section.schema.identifier, .object(mapping(section.schema, types: ["object"]))))
        }
        pairs.append(("$defs", .object(definitions)))
        return JSONValue.object(pairs).formatted() + "\n"
    }

    private static func mapping(_ schema: ObjectSchema, types: [String]) -> [(name: String, value: JSONValue)] {
        var pairs: [(name: String, value: JSONValue)] = [
            ("type", Self.types(types)),
            ("properties", .object(schema.fields.map { ($0.name, property($0)) })),
        ]
        if schema.allowsExtensions { pairs.append(("patternProperties", .object([("^x-", .boolean(true))]))) }
        pairs.append(("additionalProperties", .boolean(false)))
        let required = schema.fields.filter(\.isRequired)
        if !required.isEmpty { pairs.append(("required", .array(required.map { .string($0.name) }))) }
        return pairs
    }

    private static func property(_ field: Field) -> JSONValue {
        var pairs: [(name: String, value: JSONValue)] = [("description", .string(field.summary))]
        if field.type.takesScalar {
            if let standard = field.standard { pairs.append(("default", value(standard, of: field.type))) }
            pairs.append(("examples", .array([value(unquoted(field.example), of: field.type)])))
        }
        // Where a mapping or a list is wanted nothing is as good as an empty one, unless something must be in it.
        switch field.type {
        case .object(let schema) where !schema.fields.contains(where: \.isRequired):
            pairs.append(("anyOf", .array([reference(schema), .object([("type", .string("null"))])])))
        case .list(let element):
            pairs += [("type", types(["array", "null"])), ("items", .object(self.type(element)))]
        default:
            pairs += type(field.type)
        }
        return .object(pairs)
    }

    private static func type(_ type: FieldType) -> [(name: String, value: JSONValue)] {
        switch type {
        case .boolean:
            return [("anyOf", .array([.object([("type", .string("boolean"))]), variable]))]
        case .integer(let range):
            return [("anyOf", .array([integer(range), variable]))]
        case .duration:
            let units = ["d", "h", "m", "s", "ms"].map { "([0-9]+\($0))?" }.joined()
            return [("type", .string("string")), ("pattern", .string(#"\$\{|^(?=.)"# + units + "$"))]
        case .byteCount(let range):
            let text = JSONValue.object([
                ("type", .string("string")), ("pattern", .string(#"\$\{|^[0-9]+(B|KiB|MiB|GiB)?$"#)),
            ])
            return [("anyOf", .array([integer(range), text]))]
        case .choice(let choices):
            // YAML takes 1.2 for a number, unless it is quoted.
            let words: [JSONValue] = choices.flatMap { choice -> [JSONValue] in
                let number = number(choice.word).map { [$0] } ?? []
                return [.string(choice.word)] + number
            }
            return [("anyOf", .array([.object([("enum", .array(words))]), variable]))]
        case .text(let form):
            return text(form)
        case .labels:
            return [
                ("type", types(["object", "null"])), ("maxProperties", .integer(64)),
                ("propertyNames", .object([("pattern", .string("^[A-Za-z0-9_./-]{1,128}$"))])),
                ("additionalProperties", .object(text(.line))),
            ]
        case .list(let element):
            return [("type", .string("array")), ("items", .object(self.type(element)))]
        case .oneOrMore(let element):
            let list = JSONValue.object([("type", .string("array")), ("items", .object(self.type(element)))])
            guard case .textOrObject(let form, let schema) = element else {
                return [("anyOf", .array([.object(self.type(element)), list]))]
            }
            return [("anyOf", .array([.object(text(form)), reference(schema), list]))]
        case .object(let schema):
            return [("$ref", .string("#/$defs/\(schema.identifier)"))]
        case .textOrObject(let form, let schema):
            return [("anyOf", .array([.object(text(form)), reference(schema)]))]
        }
    }

    private static func text(_ form: TextForm) -> [(name: String, value: JSONValue)] {
        let types = form.description.mayLookLikeAnother ? ["string", "number", "boolean"] : ["string"]
        return [
            ("type", Self.types(types)), ("pattern", .string(#"\$|^("# + form.description.expression + ")$")),
        ]
    }

    private static func integer(_ range: ClosedRange<Int>) -> JSONValue {
        .object([
            ("type", .string("integer")), ("minimum", .integer(range.lowerBound)),
            ("maximum", .integer(range.upperBound)),
        ])
    }

    private static let variable = JSONValue.object([("$ref", .string("#/$defs/variable"))])

    private static func reference(_ schema: ObjectSchema) -> JSONValue {
        .object([("$ref", .string("#/$defs/\(schema.identifier)"))])
    }

    private static func types(_ names: [String]) -> JSONValue {
        names.count == 1 ? .string(names[0]) : .array(names.map(JSONValue.string))
    }

    /// A default or an example as JSON has it.
    private static func value(_ text: String, of type: FieldType) -> JSONValue {
        switch type {
        case .boolean: .boolean(text == "true")
        case .integer, .byteCount: Int(text).map(JSONValue.integer) ?? .string(text)
        case .oneOrMore(let element): value(text, of: element)
        default: .string(text)
        }
    }

    private static func number(_ word: String) -> JSONValue? {
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        return .number(word)
    }

    private static func unquoted(_ text: String) -> String {
        guard text.count >= 2, let quote = text.first, quote == "\"" || quote == "'", text.last == quote else {
            return text
        }
        return String(text.dropFirst().dropLast())
    }
}
