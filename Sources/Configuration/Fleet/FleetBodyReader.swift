// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Fleet
package import Monitoring
import NetworkPaths
package import Probing
import Schema

/// Reads declarations of a fleet's targets in requests, as ``FleetDocumentReader`` reads those in a file.
package struct FleetBodyReader: FleetBodyReading {
    private let policy: @Sendable () -> TargetPolicy?

    /// Creates a reader.
    ///
    /// - Parameter policy: the targets that API clients may declare on this node now; nil for all. Any thread.
    package init(policy: @escaping @Sendable () -> TargetPolicy?) {
        self.policy = policy
    }

    /// See the protocol.
    package func check(_ body: [UInt8], isPatch: Bool) throws(TargetEditError) {
        let node = try DeclarationReader.parse(body)
        if isPatch { try DeclarationReader.checkPatch(node) }
    }

    /// See the protocol.
    package func read(
        _ body: [UInt8],
        id: String?,
        patching base: FleetDeclaration?,
        among ancestors: [String: [String]]?
    ) throws(TargetEditError) -> FleetBody {
        let parsed = try DeclarationReader.parse(body)
        let (nodes, isBatch) =
            if let id {
                ([try DeclarationReader.declaration(try Self.merge(parsed, into: base), id: id)], false)
            } else {
                try DeclarationReader.declarations(in: parsed)
            }
        let reader = DeclarationReader(
            nameEvaluation: .optimistic,
            origin: .fleet,
            isPersistent: true,
            policy: policy(),
            others: DeclaredTargets(
                contains: { ancestors?.keys.contains($0) ?? true },
                parents: { ancestors?[$0] ?? [] },
                hasChildren: { _ in true }
            )
        )
        return FleetBody(declarations: try reader.readFleet(nodes, isBatch: isBatch), isBatch: isBatch)
    }

    private static func merge(_ body: YAMLNode, into base: FleetDeclaration?) throws(TargetEditError) -> YAMLNode {
        guard let base else { return body }
        return try DeclarationReader.parse(Array(base.text.utf8)).with("watch", base.watch).merged(with: body)
    }
}

extension FleetDeclaration {
    /// The key `watch`, without what is the default: so a patch of `watchers` changes the majority, too.
    fileprivate var watch: YAMLNode {
        func number(_ value: Int) -> YAMLNode { YAMLNode(.scalar("\(value)", isPlain: true), position: .start) }
        func word(_ text: String) -> YAMLNode { YAMLNode(.scalar(text, isPlain: false), position: .start) }
        var watch = YAMLNode(.mapping([]), position: .start).with("watchers", number(placement.watchers))
        if placement.quorum != placement.watchers / 2 + 1 { watch = watch.with("quorum", number(placement.quorum)) }
        if !placement.locations.isEmpty {
            watch = watch.with("locations", YAMLNode(.sequence(placement.locations.map(word)), position: .start))
        }
        if isPartialUp { watch = watch.with("partial", word("up")) }
        return watch
    }
}

extension YAMLNode {
    /// A mapping with another key at its end.
    fileprivate func with(_ name: String, _ value: YAMLNode) -> YAMLNode {
        guard case .mapping(let pairs) = content else { return self }
        let key = YAMLNode(.scalar(name, isPlain: false), position: position)
        return YAMLNode(.mapping(pairs + [Pair(key: key, value: value)]), position: position)
    }
}
