// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import LinuxIO
import Schema

/// Finds the configurations in documents: each document itself, or what a ConfigMap, a Secret, a HelmRelease, the values
/// of a chart and the like have inside, as YAML or as text. A Probe of Prometheus' operator is one itself.
struct ForeignSearch {
    private(set) var parts: [ForeignPart] = []
    /// Texts that look like a configuration and are not YAML.
    private(set) var faults: [(words: String, node: YAMLNode)] = []

    private let format: ForeignFormat?
    private let origin: ForeignOrigin
    private let lines: [ArraySlice<UInt8>]
    /// How many nodes, and bytes of texts, are still looked at.
    private var nodes = 200_000
    private var bytes = ConfigurationLoader.maximumSize
    private var texts = 1_000

    private static let maximumDepth = 16
    private static let maximumParts = 1_000

    /// Searches the documents of a file.
    ///
    /// - Parameter format: The only format to find; nil for all.
    init(_ documents: [YAMLNode], of text: [UInt8], format: ForeignFormat?, origin: ForeignOrigin) {
        self.format = format
        self.origin = origin
        lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for document in documents { look(at: document, Place()) }
        guard parts.isEmpty else { return }
        // A damaged configuration is one, so that its faults are named.
        for document in documents {
            guard case .mapping = document.content, let found = format ?? ForeignFormat(loosely: document) else {
                continue
            }
            parts.append(ForeignPart(format: found, root: document, origin: origin, wrapper: nil))
        }
    }

    /// Where the search is.
    private struct Place {
        /// The object of Kubernetes: `ConfigMap status`.
        var object = ""
        var path: [String] = []
        var isSecret = false

        var words: String { (object.isEmpty ? "" : "\(object), ") + path.joined(separator: ".") }
    }

    private mutating func look(at node: YAMLNode, _ place: Place) {
        nodes -= 1
        guard nodes >= 0, place.path.count <= Self.maximumDepth, parts.count < Self.maximumParts else { return }
        if format ?? .prometheus == .prometheus, let root = PrometheusProbe.configuration(node) {
            let name = node["metadata"]?["name"]?.text ?? ""
            parts.append(ForeignPart(format: .prometheus, root: root, origin: origin, wrapper: "Probe \(name)"))
            return
        }
        if let found = ForeignFormat(node), format == nil || found == format {
            let wrapper = place.path.isEmpty ? nil : place.words
            parts.append(ForeignPart(format: found, root: node, origin: origin, wrapper: wrapper))
            return
        }
        switch node.content {
        case .mapping(let pairs):
            var place = place
            if let kind = node["kind"]?.text, node["apiVersion"] != nil {
                place.object = kind + (node["metadata"]?["name"]?.text.map { " \($0)" } ?? "")
                place.path = []
                place.isSecret = kind == "Secret"
            }
            for pair in pairs { descend(pair.key.text ?? "?", pair.value, place) }
        case .sequence(let items):
            for (index, item) in items.enumerated() { descend("\(index)", item, place) }
        case .scalar(let text, _):
            look(in: text, at: node, place)
        }
    }

    private mutating func descend(_ key: String, _ node: YAMLNode, _ place: Place) {
        var place = place
        place.path.append(key)
        look(at: node, place)
    }

    private mutating func look(in text: String, at node: YAMLNode, _ place: Place) {
        var text = text
        if place.isSecret, place.path.first == "data", let decoded = Base64.bytes(text) {
            text = String(decoding: decoded, as: UTF8.self)
        }
        guard text.contains("\n"), ForeignFormat.keys.contains(where: text.contains), text.utf8.count <= bytes,
            texts > 0
        else { return }
        texts -= 1
        bytes -= text.utf8.count
        do throws(YAMLError) {
            guard let root = try YAMLReader.read(Array(text.utf8)), let found = ForeignFormat(root),
                format == nil || found == format
            else { return }
            let inner = ForeignOrigin(origin, in: node, lines: lines)
            parts.append(ForeignPart(format: found, root: root, origin: inner, wrapper: place.words))
        } catch {
            faults.append(("\(place.words) is not YAML: \(error.message)", node))
        }
    }
}
