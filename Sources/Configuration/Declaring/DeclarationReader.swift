// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
package import Monitoring
package import NetworkPaths
package import Probing
import Schema

/// Reads the declarations of API clients and of a fleet, by the same schema and rules as the configuration, but without
/// variables and without names of files.
package struct DeclarationReader {
    private let nameEvaluation: PathRequest.NameEvaluation
    private let origin: TargetSettings.Origin
    private let isPersistent: Bool
    private let policy: TargetPolicy?
    private let others: DeclaredTargets?

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - nameEvaluation: how a name is evaluated before its first answer, for targets without their own setting.
    ///   - origin: the origin of the declarations.
    ///   - isPersistent: whether targets are stored across restarts.
    ///   - policy: which targets may be declared; nil for all.
    ///   - others: existing targets, which the new ones may depend on.
    package init(
        nameEvaluation: PathRequest.NameEvaluation,
        origin: TargetSettings.Origin = .api,
        isPersistent: Bool,
        policy: TargetPolicy?,
        others: DeclaredTargets?
    ) {
        self.nameEvaluation = nameEvaluation
        self.origin = origin
        self.isPersistent = isPersistent
        self.policy = policy
        self.others = others
    }

    /// A reader of declarations that a fleet's database has, whose dependencies were checked when they were stored.
    package static var fleet: DeclarationReader {
        DeclarationReader(
            nameEvaluation: .optimistic,
            origin: .fleet,
            isPersistent: true,
            policy: nil,
            others: .unknown
        )
    }

    /// The body of a request, in the format of the configuration.
    private static let body = ObjectSchema(
        "the body",
        fields: [Field("targets", .list(.object(ConfigurationSchema.target)), "The targets.")]
    )

    private static let fleetBody = ObjectSchema(
        "the body",
        fields: [Field("targets", .list(.object(FleetWatch.target)), "The targets.")]
    )

    /// Reads a body.
    package static func parse(_ bytes: [UInt8]) throws(TargetEditError) -> YAMLNode {
        do throws(YAMLError) {
            return try YAMLNode(json: bytes)
        } catch {
            let place = "line \(error.position.line), column \(error.position.column)"
            let diagnostic = TargetEditError.Fault(pointer: "", detail: "\(place): \(error.message)")
            throw TargetEditError(.malformed, "The body is not JSON: \(place): \(error.message).", faults: [diagnostic])
        }
    }

    /// Refuses a merge patch that would replace a declaration as a whole.
    package static func checkPatch(_ patch: YAMLNode) throws(TargetEditError) {
        guard case .mapping = patch.content else {
            let detail = "a merge patch for a target must be a JSON object"
            throw TargetEditError(.invalid, detail, faults: [.init(pointer: "", detail: detail)])
        }
    }

    /// The declarations of a body with one or a list of them.
    package static func declarations(in body: YAMLNode) throws(TargetEditError) -> (nodes: [YAMLNode], isBatch: Bool) {
        guard case .mapping(let pairs) = body.content, pairs.contains(where: { $0.key.text == "targets" }) else {
            return ([body], false)
        }
        for pair in pairs {
            guard pair.key.text == "targets" else {
                let name = pair.key.text ?? ""
                let diagnostic = TargetEditError.Fault(
                    pointer: "/\(name)",
                    detail: "\(name.quoted) is not allowed next to targets"
                )
                throw TargetEditError(.invalid, diagnostic.detail, faults: [diagnostic])
            }
        }
        guard pairs.count == 1, case .sequence(let nodes) = pairs[0].value.content else {
            let detail = pairs.count > 1 ? "'targets' occurs twice" : "a list of targets is required"
            throw TargetEditError(.invalid, detail, faults: [.init(pointer: "/targets", detail: detail)])
        }
        return (nodes, true)
    }

    /// Checks declarations.
    ///
    /// - Returns: One target for each.
    /// - Throws: everything that is wrong; pointers begin in the list, or in the only declaration if it is not
    ///   `isBatch`.
    package func read(_ nodes: [YAMLNode], isBatch: Bool) throws(TargetEditError) -> [TargetSettings] {
        try read(nodes, isBatch: isBatch, as: Self.body) { targets, _, _ in targets }
    }

    /// Checks declarations of a fleet's targets; throws as ``read(_:isBatch:)``.
    func readFleet(_ nodes: [YAMLNode], isBatch: Bool) throws(TargetEditError) -> [FleetDeclaration] {
        try read(nodes, isBatch: isBatch, as: Self.fleetBody) { targets, objects, reader in
            let watches = FleetWatch.read(objects, &reader)
            // With a fault some are missing, and none is used.
            guard targets.count == nodes.count else { return [] }
            return zip(nodes, zip(targets, watches)).map { node, target in
                FleetDeclaration(target.0, target.1, node: node.declaration(id: target.0.id))
            }
        }
    }

    private func read<Value>(
        _ nodes: [YAMLNode],
        isBatch: Bool,
        as schema: ObjectSchema,
        _ finish: ([TargetSettings], [(index: Int, object: ValidatedMapping)], inout SchemaReader) -> Value
    ) throws(TargetEditError) -> Value {
        let position = nodes.first?.position ?? .start
        let list = YAMLNode(.sequence(nodes), position: position)
        let key = YAMLNode(.scalar("targets", isPlain: false), position: position)
        let root = YAMLNode(.mapping([.init(key: key, value: list)]), position: position)
        var reader = SchemaReader(path: "", environment: [:], overrides: [:], author: .client)
        let objects = reader.read(root, as: schema).objects("targets")
        var assembler = TargetAssembler(
            nameEvaluation: nameEvaluation,
            origin: origin,
            isPersistent: isPersistent,
            policy: policy,
            others: others
        )
        let value = finish(assembler.assemble(objects, &reader), objects, &reader)
        guard let diagnostics = reader.diagnostics.result(path: "") else { return value }
        let told = diagnostics.diagnostics.map { diagnostic in
            let pointer = isBatch ? diagnostic.pointer[...] : diagnostic.pointer.dropFirst("/targets/0".utf8.count)
            return TargetEditError.Fault(
                pointer: String(pointer),
                code: diagnostic.code.rawValue,
                detail: diagnostic.words + (diagnostic.hint.map { "; \($0)" } ?? "")
            )
        }
        throw TargetEditError(.invalid, told.first?.detail ?? "", faults: told)
    }

    /// A declaration with the id of its path.
    ///
    /// - Throws: when it has another id.
    package static func declaration(_ node: YAMLNode, id: String) throws(TargetEditError) -> YAMLNode {
        guard case .mapping(var pairs) = node.content else { return node }
        let own = pairs.filter { $0.key.text == "id" }
        if own.isEmpty {
            let key = YAMLNode(.scalar("id", isPlain: false), position: node.position)
            let value = YAMLNode(.scalar(id, isPlain: false), position: node.position)
            pairs.insert(.init(key: key, value: value), at: 0)
            return YAMLNode(.mapping(pairs), position: node.position)
        }
        // Several ids are reported by the reader.
        guard own.count > 1 || own[0].value.text == id else {
            let detail = "the id is not the one of the path, \(id.quoted); a target cannot change its id"
            throw TargetEditError(.invalid, detail, faults: [.init(pointer: "/id", detail: detail)])
        }
        return node
    }
}

/// The existing targets, for a reader of a few declarations: only targets that the declarations lead to are looked up,
/// so that reading one costs the same among any number.
package struct DeclaredTargets {
    /// Whether a target with an id exists.
    let contains: (String) -> Bool
    /// The dependencies of a target.
    let parents: (String) -> [String]
    /// Whether another target depends on one.
    let hasChildren: (String) -> Bool

    /// Targets that cannot be looked up: any id may be one.
    static var unknown: DeclaredTargets {
        DeclaredTargets(contains: { _ in true }, parents: { _ in [] }, hasChildren: { _ in false })
    }

    /// Creates a value from look-ups, which are called while declarations are read.
    package init(
        contains: @escaping (String) -> Bool,
        parents: @escaping (String) -> [String],
        hasChildren: @escaping (String) -> Bool
    ) {
        self.contains = contains
        self.parents = parents
        self.hasChildren = hasChildren
    }

    /// The direct and indirect dependencies of these targets, each with its own dependencies; without the targets
    /// themselves.
    func ancestors(of targets: [(id: String, dependsOn: [String])]) -> [(id: String, dependsOn: [String])] {
        var seen = Set(targets.map(\.id))
        var waiting = targets.flatMap(\.dependsOn)
        var found: [(id: String, dependsOn: [String])] = []
        while let id = waiting.popLast() {
            guard seen.insert(id).inserted, contains(id) else { continue }
            let parents = parents(id)
            found.append((id, parents))
            waiting += parents
        }
        return found
    }
}
