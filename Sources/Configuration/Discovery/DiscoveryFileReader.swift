// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Discovery
import Schema

/// Reads a discovery file in Prometheus' file_sd format: a list of `{targets: […], labels: {…}}` in JSON or YAML.
package struct DiscoveryFileReader {
    let path: String
    private var diagnostics = DiagnosticCollector()

    /// Reads a file's contents; JSON by the file's suffix, else YAML.
    ///
    /// - Throws: everything that is wrong.
    package static func read(_ bytes: [UInt8], path: String) throws(ConfigurationDiagnostics) -> [DiscoveredGroup] {
        try read(bytes, path: path, isJSON: path.hasSuffix(".json"))
    }

    private static func read(
        _ bytes: [UInt8],
        path: String,
        isJSON: Bool
    ) throws(ConfigurationDiagnostics) -> [DiscoveredGroup] {
        var reader = DiscoveryFileReader(path: path)
        let root: YAMLNode?
        do throws(YAMLError) {
            root = isJSON ? try YAMLNode(json: bytes) : try YAMLReader.read(bytes)
        } catch {
            throw ConfigurationDiagnostics([ConfigurationDiagnostic(error, path: path)])
        }
        let groups = reader.groups(root)
        if let diagnostics = reader.diagnostics.result(path: path) { throw diagnostics }
        return groups
    }

    /// Reads a list that a server has, in JSON.
    ///
    /// - Parameter place: the place of all its items, which remain the same where the list is only written in another way.
    static func items(
        json bytes: [UInt8],
        place: ConfigurationDiagnostic.Place
    ) throws(ConfigurationDiagnostics) -> [DiscoveredItem] {
        let groups = try read(bytes, path: "\(place)", isJSON: true)
        return groups.flatMap { group in
            let labels = group.labels.map { DiscoveredItem.Label($0.name, $0.value.text) }
            return group.targets.map { DiscoveredItem(address: $0.text, labels: labels, place: place) }
        }
    }

    private init(path: String) {
        self.path = path
    }

    private mutating func groups(_ root: YAMLNode?) -> [DiscoveredGroup] {
        guard let root, !root.isNull else { return [] }
        guard case .sequence(let nodes) = root.content else {
            report(.wrongType, root, "", "a list of {targets: […], labels: {…}} is required")
            return []
        }
        return nodes.enumerated().compactMap { group($1, "/\($0)") }
    }

    private mutating func group(_ node: YAMLNode, _ pointer: String) -> DiscoveredGroup? {
        guard case .mapping(let pairs) = node.content else {
            report(.wrongType, node, pointer, "a mapping with targets and labels is required")
            return nil
        }
        var group = DiscoveredGroup()
        for pair in pairs {
            switch (pair.key.text, pair.value.content) {
            case ("targets", .sequence(let nodes)):
                group.targets += nodes.enumerated().compactMap { text($1, "\(pointer)/targets/\($0)") }
            case ("targets", _) where pair.value.isNull, ("labels", _) where pair.value.isNull:
                break
            case ("targets", _):
                report(.wrongType, pair.value, "\(pointer)/targets", "a list of addresses is required")
            case ("labels", .mapping(let labels)):
                for label in labels {
                    let name = label.key.text ?? ""
                    guard let value = text(label.value, "\(pointer)/labels/\(name)") else { continue }
                    // As in Prometheus, a label without a value is ignored.
                    if !value.text.isEmpty { group.labels.append((name, value)) }
                }
            case ("labels", _):
                report(.wrongType, pair.value, "\(pointer)/labels", "a mapping from names to texts is required")
            default:
                let name = pair.key.text ?? ""
                report(.unknownKey, pair.key, "\(pointer)/\(name)", "\(name.quoted) is neither targets nor labels")
            }
        }
        return group
    }

    private mutating func text(_ node: YAMLNode, _ pointer: String) -> DiscoveredGroup.Text? {
        guard let text = node.text, !node.isNull else {
            report(.wrongType, node, pointer, "text is required")
            return nil
        }
        return DiscoveredGroup.Text(text: text, place: .file(path, node.position))
    }

    private mutating func report(
        _ code: ConfigurationDiagnostic.Code,
        _ node: YAMLNode,
        _ pointer: String,
        _ words: String
    ) {
        diagnostics.add(ConfigurationDiagnostic(code, at: .file(path, node.position), pointer: pointer, words))
    }
}
