// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// Checks a YAML tree against the schema: finds unknown, duplicate and invalid keys and values, replaces variables,
/// applies the environment and the command line, and fills in defaults. Faults are collected, never thrown, so that one
/// reading finds them all.
struct SchemaReader {
    /// The file, and those that it includes: the numbers of nodes' files are indices of these.
    let paths: [String]
    let environment: [String: String]
    /// Values that override the file, by their dotted keys.
    let overrides: [String: ConfigurationOverride]
    /// The author of the text.
    let author: Author
    private(set) var diagnostics = DiagnosticCollector()
    /// The variables that the file refers to.
    private(set) var referredVariables: Set<String> = []
    private var pointer: [PointerPart] = []
    /// The variant of the enclosing mapping.
    private var variant: String?
    /// The number of enclosing sections that only exist as a whole.
    private var optionalSections = 0

    /// The author of a text, which decides what it may contain.
    enum Author {
        /// The operator: variables are replaced, and files may be named.
        case `operator`
        /// An API client: it must not learn the contents of variables or files.
        case client
    }

    private enum PointerPart {
        case key(String)
        case index(Int)
        /// A single value in place of a list.
        case only
    }

    init(
        path: String,
        including others: [String] = [],
        environment: [String: String],
        overrides: [String: ConfigurationOverride],
        author: Author = .operator
    ) {
        self.author = author
        paths = [path] + others
        self.environment = environment
        self.overrides = overrides
    }

    /// Reads a document.
    mutating func read(_ root: YAMLNode?, as schema: ObjectSchema) -> ValidatedMapping {
        let place = root.map(place(of:)) ?? .file(paths[0], .start)
        return object(root, schema, at: place) ?? ValidatedMapping(schema, at: place)
    }

    /// Reports a fault between values.
    mutating func report(
        _ code: ConfigurationDiagnostic.Code,
        at place: ConfigurationDiagnostic.Place,
        pointer: String,
        _ words: String,
        hint: String? = nil
    ) {
        diagnostics.add(ConfigurationDiagnostic(code, at: place, pointer: pointer, words, hint: hint))
    }

    // MARK: Mappings

    /// - Returns: nil when it is not a mapping.
    private mutating func object(
        _ node: YAMLNode?,
        _ schema: ObjectSchema,
        at place: ConfigurationDiagnostic.Place
    ) -> ValidatedMapping? {
        var object = ValidatedMapping(schema, at: place)
        if let node, !node.isNull {
            guard case .mapping(let pairs) = node.content else {
                report(.wrongType, at: node, "\(node.words), but \(schema.name) must be a mapping of keys")
                return nil
            }
            let around = variant
            defer { variant = around }
            if let key = schema.variants?.key {
                variant = nil
                for pair in pairs where pair.key.text == key { read(pair, into: &object) }
                variant = object.text(key)
                object.variant = variant
                for pair in pairs where pair.key.text != key { read(pair, into: &object) }
            } else {
                if schema.variants != nil { object.variant = variant }
                for pair in pairs { read(pair, into: &object) }
            }
        }
        complete(&object)
        return object
    }

    private mutating func read(_ pair: YAMLNode.Pair, into object: inout ValidatedMapping) {
        let schema = object.schema
        guard let key = pair.key.text else {
            return report(
                .wrongType,
                at: pair.key,
                "a key of \(schema.name) is \(pair.key.words), but must be a name"
            )
        }
        if schema.allowsExtensions, key.hasPrefix("x-") { return }
        pointer.append(.key(key))
        defer { pointer.removeLast() }
        guard let field = schema.field(key, of: object.variant) else {
            object.hasStrangers = true
            guard schema.field(key) == nil else {
                let words = "\(key) is for \(schema.owners(of: key)) only"
                return report(.conflict, at: pair.value, words, hint: "remove it")
            }
            let hint =
                key == "<<" ? "merge keys are not supported; use an alias for a whole value" : schema.hint(for: key)
            return report(.unknownKey, at: pair.key, "\(key.quoted) is not a key of \(schema.name)", hint: hint)
        }
        if let there = object[key]?.place.words(seenFrom: place(of: pair.key)) {
            return report(.duplicateKey, at: pair.key, "\(key.quoted) occurs twice, first \(there)")
        }
        if field.isOptionalSection { optionalSections += 1 }
        let value = value(pair.value, field.type)
        if field.isOptionalSection { optionalSections -= 1 }
        guard let value else { return }
        object.set(key, value, at: place(of: pair.value))
    }

    /// Applies overrides and fills in the defaults of absent keys.
    private mutating func complete(_ object: inout ValidatedMapping) {
        let prefix = sectionPrefix
        for field in object.schema.fields(of: object.variant) {
            if let prefix, field.type.takesScalar, let override = overrides[prefix + field.name] {
                pointer.append(.key(field.name))
                object.set(field.name, overriding(override, field.type), at: override.place)
                pointer.removeLast()
            }
            guard !object.has(field.name) else { continue }
            // Elements of a list have only written keys.
            if case .object(let schema) = field.type, prefix != nil, !field.isOptionalSection {
                pointer.append(.key(field.name))
                let section = self.object(nil, schema, at: object.place).map(ValidatedValue.object)
                object.set(field.name, section ?? .faulty, at: object.place)
                pointer.removeLast()
            } else if let standard = field.defaultValue {
                let text = ScalarText(text: standard, raw: standard, isBare: true, place: object.place)
                if let value = try? field.type.read(text) { object.set(field.name, value, at: object.place) }
            } else if field.isRequired {
                report(.missingKey, at: object.place, "\(object.schema.name) needs the key \(field.name)")
            }
        }
    }

    /// The enclosing dotted keys, with a trailing dot; nil inside a list, where nothing can be overridden.
    private var sectionPrefix: String? {
        guard optionalSections == 0 else { return nil }
        var prefix = ""
        for part in pointer {
            guard case .key(let key) = part else { return nil }
            prefix += key + "."
        }
        return prefix
    }

    private mutating func overriding(_ override: ConfigurationOverride, _ type: FieldType) -> ValidatedValue {
        guard case .oneOrMore(let element) = type else { return checked(override.scalar(override.text), type) }
        let parts = override.text.split(separator: ",", omittingEmptySubsequences: false)
        return .list(
            parts.map { part in
                let trimmed = String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
                return .init(value: checked(override.scalar(trimmed), element), place: override.place)
            }
        )
    }

    // MARK: Values

    /// - Returns: nil when the value counts as absent.
    private mutating func value(_ node: YAMLNode, _ type: FieldType) -> ValidatedValue? {
        if let tag = node.tag, tag != "!" {
            report(.tag, at: node, "the YAML tag \(tag.quoted) has no meaning here", hint: "remove it")
            return .faulty
        }
        switch type {
        case .object(let schema):
            return object(node, schema, at: place(of: node)).map(ValidatedValue.object) ?? .faulty
        case .list(let element):
            guard !node.isNull else { return nil }
            guard case .sequence(let nodes) = node.content else { return wrongType(node, type) }
            return .list(list(nodes, element))
        case .oneOrMore(let element):
            switch (node.content, element) {
            case (.sequence(let nodes), _):
                return .list(list(nodes, element))
            case (.mapping, .textOrObject):
                pointer.append(.only)
                defer { pointer.removeLast() }
                return value(node, element).map { .list([.init(value: $0, place: place(of: node))]) }
            default:
                return scalarValue(node, type)
            }
        case .textOrObject(_, let schema):
            guard case .mapping = node.content else { return scalarValue(node, type) }
            return object(node, schema, at: place(of: node)).map(ValidatedValue.object) ?? .faulty
        case .labels:
            guard !node.isNull else { return nil }
            guard case .mapping(let pairs) = node.content else { return wrongType(node, type) }
            return labels(pairs)
        default:
            return scalarValue(node, type)
        }
    }

    private mutating func list(_ nodes: [YAMLNode], _ element: FieldType) -> [ValidatedValue.Located] {
        var values: [ValidatedValue.Located] = []
        values.reserveCapacity(nodes.count)
        for (index, node) in nodes.enumerated() {
            pointer.append(.index(index))
            if node.isNull {
                report(
                    .wrongType,
                    at: node,
                    "this element of the list is empty",
                    hint: "write a value or remove the line"
                )
            } else if let value = value(node, element) {
                values.append(.init(value: value, place: place(of: node)))
            }
            pointer.removeLast()
        }
        return values
    }

    private mutating func labels(_ pairs: [YAMLNode.Pair]) -> ValidatedValue {
        var labels: [String: String] = [:]
        if let extra = pairs.dropFirst(64).first {
            report(.outOfRange, at: extra.key, "there are \(pairs.count) tags, more than 64")
            return .faulty
        }
        for pair in pairs {
            guard let key = pair.key.text, Self.isLabelName(key) else {
                let hint = "letters, digits, -, _, . and /, at most 128 of them"
                report(.invalidValue, at: pair.key, "this is not the name of a tag", hint: hint)
                continue
            }
            pointer.append(.key(key))
            defer { pointer.removeLast() }
            guard labels[key] == nil else {
                report(.duplicateKey, at: pair.key, "\(key.quoted) occurs twice")
                continue
            }
            if case .text(let text)? = scalarValue(pair.value, .text(.line)) { labels[key] = text }
        }
        return .labels(labels)
    }

    /// Whether a text can be the name of a tag.
    static func isLabelName(_ name: String) -> Bool {
        !name.utf8.contains(UInt8(ascii: ":"))
            && TextForm.isIdentifier(String(name.map { $0 == "/" ? "_" : $0 }))
    }

    private mutating func scalarValue(_ node: YAMLNode, _ type: FieldType) -> ValidatedValue? {
        guard case .scalar(let raw, let isPlain) = node.content else { return wrongType(node, type) }
        guard !node.isNull else {
            report(.wrongType, at: node, "the value is missing", hint: "write \(type.words), or remove the key")
            return .faulty
        }
        let place = place(of: node)
        do throws(Diagnostic) {
            guard author == .operator else {
                return client(.init(text: raw, raw: raw, isBare: isPlain, place: place), type)
            }
            let (text, names) = try Substitution.replace(in: raw, environment: environment)
            guard !names.isEmpty else {
                return checked(.init(text: text, raw: raw, isBare: isPlain, place: place), type)
            }
            referredVariables.formUnion(names)
            guard !text.isEmpty else { return nil }
            return checked(.init(text: text, raw: raw, isBare: true, place: place), type)
        } catch {
            add(error, of: raw, at: place)
            return .faulty
        }
    }

    /// A client's value, which must not name a file.
    private mutating func client(_ scalar: ScalarText, _ type: FieldType) -> ValidatedValue {
        let value = checked(scalar, type)
        guard type.isFile(scalar.text) else { return value }
        if case .faulty = value { return value }
        let hint = "declare the target in the configuration file"
        add(
            Diagnostic(.conflict, "is the name of a file, which API clients may not use", hint: hint),
            of: scalar.raw,
            at: scalar.place
        )
        return .faulty
    }

    private mutating func checked(_ scalar: ScalarText, _ type: FieldType) -> ValidatedValue {
        do throws(Diagnostic) {
            return try type.read(scalar)
        } catch {
            // A hint repeats parts of the value, and a variable's value may be a secret.
            add(scalar.isSubstituted ? error.withoutHint : error, of: scalar.raw, at: scalar.place)
            return .faulty
        }
    }

    // MARK: Faults

    private func place(of node: YAMLNode) -> ConfigurationDiagnostic.Place {
        .file(paths[Int(node.file)], node.position)
    }

    private mutating func wrongType(_ node: YAMLNode, _ type: FieldType) -> ValidatedValue {
        report(.wrongType, at: node, "\(node.words), but \(type.words) is required")
        return .faulty
    }

    private mutating func add(_ diagnostic: Diagnostic, of raw: String, at place: ConfigurationDiagnostic.Place) {
        let subject = diagnostic.hidesText ? "the value" : raw.quoted
        report(diagnostic.code, at: place, "\(subject) \(diagnostic.words)", hint: diagnostic.hint)
    }

    private mutating func report(
        _ code: ConfigurationDiagnostic.Code,
        at node: YAMLNode,
        _ words: String,
        hint: String? = nil
    ) {
        report(code, at: place(of: node), words, hint: hint)
    }

    private mutating func report(
        _ code: ConfigurationDiagnostic.Code,
        at place: ConfigurationDiagnostic.Place,
        _ words: String,
        hint: String? = nil
    ) {
        diagnostics.add(ConfigurationDiagnostic(code, at: place, pointer: pointerText, words, hint: hint))
    }

    /// RFC 6901.
    private var pointerText: String {
        var text = ""
        for part in pointer {
            switch part {
            case .index(let index):
                text += "/\(index)"
            case .only:
                break
            case .key(let key):
                text += "/"
                for character in key.prefix(128) {
                    text += character == "~" ? "~0" : character == "/" ? "~1" : String(character)
                }
            }
        }
        return text
    }
}

extension YAMLNode {
    /// The value, in words.
    fileprivate var words: String {
        switch content {
        case .scalar(let text, _): "\(text.quoted) is text"
        case .sequence: "this is a list"
        case .mapping: "this is a mapping"
        }
    }
}
