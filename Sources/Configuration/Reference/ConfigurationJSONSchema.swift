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
        for schema in sections.dropFirst().map(\.schema) {
            guard let variants = schema.variants else {
                definitions.append((schema.identifier, .object(mapping(schema, types: ["object"]))))
                continue
            }
            if let key = variants.key { definitions.append((schema.identifier, choosing(schema, by: key, variants))) }
            for word in variants.words {
                let mapping = mapping(schema, of: word, types: ["object"])
                definitions.append((identifier(of: schema, word), .object(mapping)))
            }
        }
        pairs.append(("$defs", .object(definitions)))
        return JSONValue.object(pairs).formatted() + "\n"
    }

    /// A mapping that is one of several, by the word at a key. Of one that a variable chooses nothing is known.
    private static func choosing(_ schema: ObjectSchema, by key: String, _ variants: ObjectSchema.Variants) -> JSONValue
    {
        let field = schema.fields.filter { $0.name == key }.map { ($0.name, property($0, of: nil)) }
        let choices = variants.words.map { word in
            JSONValue.object([
                (
                    "if",
                    .object([
                        ("properties", .object([(key, .object([("const", .string(word))]))])),
                        ("required", .array([.string(key)])),
                    ])
                ), ("then", reference(schema, of: word)),
            ])
        }
        return .object([
            ("type", .string("object")), ("properties", .object(field)), ("required", .array([.string(key)])),
            ("allOf", .array(choices)),
        ])
    }

    private static func mapping(
        _ schema: ObjectSchema,
        of variant: String? = nil,
        types: [String]
    ) -> [(name: String, value: JSONValue)] {
        let fields = schema.fields(of: variant)
        var pairs: [(name: String, value: JSONValue)] = [
            ("type", Self.types(types)),
            ("properties", .object(fields.map { ($0.name, property($0, of: variant)) })),
        ]
        if schema.allowsExtensions { pairs.append(("patternProperties", .object([("^x-", .boolean(true))]))) }
        pairs.append(("additionalProperties", .boolean(false)))
        let required = fields.filter(\.isRequired)
        if !required.isEmpty { pairs.append(("required", .array(required.map { .string($0.name) }))) }
        if !schema.alternatives.isEmpty {
            let sets = schema.alternatives.map { keys in
                JSONValue.object([("required", .array(keys.map { .string($0) }))])
            }
            pairs.append(("oneOf", .array(sets)))
        }
        return pairs
    }

    private static func property(_ field: Field, of variant: String?) -> JSONValue {
        var pairs: [(name: String, value: JSONValue)] = [("description", .string(field.summary))]
        if field.type.takesScalar {
            if let standard = field.defaultValue { pairs.append(("default", value(standard, of: field.type))) }
            pairs.append(("examples", .array([value(unquoted(field.example), of: field.type)])))
        }
        // Where a mapping or a list is wanted nothing is as good as an empty one, unless something must be in it.
        switch field.type {
        case .object(let schema) where !schema.fields.contains(where: \.isRequired):
            pairs.append(("anyOf", .array([reference(schema, of: variant), .object([("type", .string("null"))])])))
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

    /// - Parameter variant: that of the mapping around it.
    private static func reference(_ schema: ObjectSchema, of variant: String? = nil) -> JSONValue {
        let name = variant.map { identifier(of: schema, $0) } ?? schema.identifier
        return .object([("$ref", .string("#/$defs/\(schema.variants == nil ? schema.identifier : name)"))])
    }

    private static func identifier(of schema: ObjectSchema, _ variant: String) -> String {
        "\(variant)_\(schema.identifier)"
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
