// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Discovery
import Monitoring
import NetworkPaths
import Schema

/// Makes targets from items of a source, by the rules of the configuration.
struct ItemAssembler {
    /// Notes on ignored parts.
    private(set) var notes: [String] = []
    private let defaults: DeclaredSource.TargetDefaults
    private let isRestricted: Bool
    private var targets: TargetAssembler
    /// The labels of the last item; many items of a list have the same.
    private var last: (labels: [DiscoveredItem.Label], read: DiscoveredLabels)?

    init(_ source: DeclaredSource, nameEvaluation: PathRequest.NameEvaluation) {
        defaults = source.defaults
        isRestricted = source.isRestricted
        targets = TargetAssembler(
            nameEvaluation: nameEvaluation,
            origin: .discovery,
            source: source.name,
            others: .unknown
        )
    }

    /// Adds a note, once.
    mutating func note(_ words: String) {
        if !notes.contains(words), notes.count < 100 { notes.append(words) }
    }

    /// The target of an item.
    ///
    /// - Throws: everything that is wrong with it.
    mutating func target(of item: DiscoveredItem) throws(ConfigurationDiagnostics) -> TargetSettings {
        var reader = SchemaReader(path: "", environment: [:], overrides: [:], author: .client)
        let declared = item.declaration.flatMap { Self.declared($0, &reader) }
        let object = object(of: item, declared, &reader)
        if let object, reader.diagnostics.diagnostics.isEmpty {
            // An id of its own: several items with one are no fault.
            var assembler = targets
            if var target = assembler.assemble([(index: 0, object: object)], &reader).first,
                reader.diagnostics.diagnostics.isEmpty
            {
                target.isDeclaredElsewhere = isRestricted
                return target
            }
        }
        let faults = reader.diagnostics.diagnostics.map { fault in
            ConfigurationDiagnostic(
                fault.code,
                at: fault.place,
                pointer: fault.pointer.hasPrefix("/targets/0") ? String(fault.pointer.dropFirst(10)) : fault.pointer,
                fault.words,
                hint: fault.hint
            )
        }
        throw ConfigurationDiagnostics(faults)
    }

    private mutating func object(
        of item: DiscoveredItem,
        _ declared: ValidatedMapping?,
        _ reader: inout SchemaReader
    ) -> ValidatedMapping? {
        do throws(Diagnostic) {
            var labels = try labels(of: item, &reader)
            labels.addTags(defaults.tags)
            let target = DiscoveredTarget(
                address: item.address,
                id: item.id,
                name: item.name,
                probe: declared?.object("probe") ?? defaults.probe,
                hasOwnProbe: declared?.has("probe") == true
            )
            var object = try target.object(labels, at: item.place)
            if let group = defaults.group { object.set("group", .text(group), at: item.place) }
            for name in Self.declarable where declared?.isWritten(name) == true && name != "probe" {
                guard let located = declared?[name] else { continue }
                var value = located.value
                if name == "tags", case .labels(let own) = value {
                    value = .labels(labels.tags.merging(own) { $1 })
                }
                object.set(name, value, at: located.place)
            }
            return object
        } catch {
            reader.report(
                error.code,
                at: item.place,
                pointer: "",
                "\(item.address.quoted) \(error.words)",
                hint: error.hint
            )
            return nil
        }
    }

    private mutating func labels(
        of item: DiscoveredItem,
        _ reader: inout SchemaReader
    ) throws(Diagnostic) -> DiscoveredLabels {
        if let last, last.labels == item.labels { return last.read }
        var labels = DiscoveredLabels()
        for label in item.labels where !label.value.isEmpty {
            do throws(Diagnostic) {
                try labels.take(label.name, label.value)
            } catch {
                let words = "the value \(label.value.quoted) of \(label.name.quoted) \(error.words)"
                reader.report(error.code, at: item.place, pointer: "", words, hint: error.hint)
            }
        }
        for name in labels.withoutEffect { note("the label \(name) has no effect") }
        guard reader.diagnostics.diagnostics.isEmpty else { return labels }
        try labels.checkCount()
        last = (item.labels, labels)
        return labels
    }

    // MARK: Declarations

    /// The keys of a target that an object may declare; its address is the object's own.
    private static let declarable = ConfigurationSchema.target.fields.map(\.name).filter {
        !["kind", "host", "address", "local_address", "interface", "family"].contains($0)
    }

    private static let schema = ObjectSchema(
        "a declaration",
        fields: [
            Field(
                "targets",
                .list(
                    .object(
                        ObjectSchema("a declaration", fields: declarable.compactMap(ConfigurationSchema.target.field))
                    )
                ),
                "The declaration."
            )
        ]
    )

    /// The largest declaration in bytes.
    private static let limit = 65_536

    private static func declared(
        _ declaration: DiscoveredItem.Declaration,
        _ reader: inout SchemaReader
    ) -> ValidatedMapping? {
        let bytes = Array(declaration.text.utf8.prefix(limit + 1))
        let root: YAMLNode?
        do throws(YAMLError) {
            guard bytes.count <= limit else {
                throw YAMLError(.tooLarge, at: .start, "the declaration is larger than \(limit) bytes")
            }
            root = try YAMLReader.read(bytes)
        } catch {
            let diagnostic = ConfigurationDiagnostic(error, path: declaration.document)
            reader.report(diagnostic.code, at: diagnostic.place, pointer: "", diagnostic.words, hint: diagnostic.hint)
            return nil
        }
        guard let root, !root.isNull else { return nil }
        // As an element of a list, it has only the keys that are written.
        let key = YAMLNode(.scalar("targets", isPlain: false), position: root.position)
        let list = YAMLNode(.sequence([root]), position: root.position)
        let whole = YAMLNode(.mapping([.init(key: key, value: list)]), position: root.position)
        var own = SchemaReader(path: declaration.document, environment: [:], overrides: [:], author: .client)
        let object = own.read(whole, as: schema).objects("targets").first?.object
        for fault in own.diagnostics.diagnostics {
            reader.report(fault.code, at: fault.place, pointer: fault.pointer, fault.words, hint: fault.hint)
        }
        if declaration.isConfined, let probe = object?.object("probe") { confine(probe, &reader) }
        return object
    }

    /// The keys of a probe that lead to another host than the target's.
    private static let leading = ["url", "proxy"]

    /// Refuses a probe that leads to another host than the object's own.
    private static func confine(_ probe: ValidatedMapping, _ reader: inout SchemaReader) {
        for name in leading where probe.isWritten(name) {
            reader.report(
                .targetDenied,
                at: probe.place(of: name),
                pointer: "/probe/\(name)",
                "\(name) is not allowed here: it may lead to another host than the object's own"
            )
        }
    }
}
