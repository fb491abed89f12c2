// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import LinuxIO
import Monitoring
import Schema
import Synchronization

extension TargetStore {
    /// The contents of the state file: one line per target, so that people can read and compare it.
    static func contents(_ targets: [APITarget]) -> [UInt8] {
        var bytes = Array("{\"version\":1,\"targets\":[".utf8)
        bytes.reserveCapacity(targets.reduce(64) { $0 + $1.declaration.count + 2 })
        for (index, target) in targets.enumerated() {
            bytes += index > 0 ? ",\n".utf8 : "\n".utf8
            bytes += target.declaration
        }
        return bytes + "\n]}\n".utf8
    }

    /// Restores the state file; what cannot be used is kept under another name and logged.
    func restore(from file: StateFile, _ notes: inout [LogMessage]) {
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try file.read()
        } catch {
            return refuse(file, "cannot be read: \(error)", isMoved: true, &notes)
        }
        guard let bytes else {
            if let obstacle = file.obstacle {
                report(.unavailable(file.path, "\(obstacle)"))
                let words =
                    "the state file \(file.path) cannot be written: \(obstacle); the API refuses targets until its "
                    + "directory is writable"
                notes.append(LogMessage(.error, words))
            }
            return
        }
        let nodes: [YAMLNode]
        do throws(YAMLError) {
            var limits = YAMLLimits()
            limits.nodes = .max
            nodes = try Self.targets(in: YAMLNode(json: bytes, limits: limits))
        } catch {
            let place = "\(error.position.line):\(error.position.column)"
            return refuse(file, "is damaged: \(file.path):\(place): \(error.message)", isMoved: true, &notes)
        }
        restore(nodes, from: file, &notes)
    }

    static func targets(in root: YAMLNode) throws(YAMLError) -> [YAMLNode] {
        guard case .scalar("1", isPlain: true)? = root["version"]?.content else {
            throw YAMLError(.syntax, at: root.position, "the version of the file is not 1")
        }
        guard case .sequence(let nodes)? = root["targets"]?.content else {
            throw YAMLError(.syntax, at: root.position, "the list of targets is missing")
        }
        return nodes
    }

    private func restore(_ nodes: [YAMLNode], from file: StateFile, _ notes: inout [LogMessage]) {
        let (count, refused) = state.withLock { state in
            let reader = reader(state, policy: nil, others: nil)
            var refused: [String] = []
            for node in nodes {
                do throws(TargetEditError) {
                    try Self.take(node, number: state.nextNumber, reader, &state)
                } catch {
                    refused.append(Self.words(for: error, of: node))
                }
            }
            refused += Self.breakCircles(&state)
            return (state.written.count, refused)
        }
        notes.append(LogMessage(.info, "\(count) API targets were read from \(file.path)"))
        guard !refused.isEmpty else { return }
        notes += refused.prefix(100).map { LogMessage(.error, "a target in \(file.path) is faulty: \($0)") }
        refuse(file, "has \(refused.count) targets that cannot be used", isMoved: false, &notes)
    }

    static func words(for error: TargetEditError, of node: YAMLNode) -> String {
        let name = node["id"]?.text ?? "line \(node.position.line)"
        return "\(name): " + error.faults.map { "\($0.pointer): \($0.detail)" }.joined(separator: "; ")
    }

    /// Restores a stored declaration.
    ///
    /// - Parameter reader: one without a policy, because a target that the policy denies remains, without probes.
    static func take(
        _ node: YAMLNode,
        number: UInt64,
        _ reader: DeclarationReader,
        _ state: inout State
    ) throws(TargetEditError) {
        // It may depend on targets of the configuration, which is not known yet, or on removed ones.
        let settings = try reader.read([node.without("depends_on")], isBatch: false)
        guard var target = settings.first, state.written[target.id] == nil else {
            let detail = "another target has this id"
            throw TargetEditError(.invalid, detail, faults: [.init(pointer: "/id", detail: detail)])
        }
        target.dependsOn = try Self.dependencies(of: node)
        state.written[target.id] = APITarget(
            number: number,
            declaration: try DeclarationReader.declaration(node, id: target.id).json,
            settings: target
        )
        state.nextNumber = max(state.nextNumber, number + 1)
    }

    private static func dependencies(of node: YAMLNode) throws(TargetEditError) -> [String] {
        guard let list = node["depends_on"] else { return [] }
        var ids: [String?] = [list.text]
        if case .sequence(let nodes) = list.content { ids = nodes.map(\.text) }
        let valid = ids.compactMap { $0 }.filter(TextForm.isIdentifier)
        guard valid.count == ids.count else {
            let fault = TargetEditError.Fault(pointer: "/depends_on", detail: "the value is not an id or a list of ids")
            throw TargetEditError(.invalid, fault.detail, faults: [fault])
        }
        return valid
    }

    /// The file may have been edited by hand to contain a dependency cycle: its targets are left out.
    static func breakCircles(_ state: inout State) -> [String] {
        var refused: [String] = []
        while true {
            let edges = state.written.values.map { target in
                (id: target.settings.id, dependsOn: target.settings.dependsOn.filter { state.written[$0] != nil })
            }
            guard let first = ParentGraph.cycle(in: edges)?.first, state.written[first] != nil else { return refused }
            state.written[first] = nil
            refused.append("\(first): /depends_on: the dependencies form a cycle")
        }
    }

    /// Keeps a file that cannot be used, completely or in part; if that fails, it is never overwritten.
    func refuse(_ file: StateFile, _ words: String, isMoved: Bool, _ notes: inout [LogMessage]) {
        do throws(SystemError) {
            let aside = try file.setAside(isMoved: isMoved)
            let words =
                "the state file \(file.path) \(words); it is kept as \(aside): repair it, move it back and restart "
                + "reachd, or declare the targets again"
            notes.append(LogMessage(.error, words))
        } catch {
            let obstacle =
                "The state file \(file.path) \(words), and it cannot be kept under another name (\(error)): repair or "
                + "move it, and restart reachd."
            state.withLock { $0.obstacle = obstacle }
            report(.unavailable(file.path, obstacle))
            notes.append(LogMessage(.error, obstacle))
        }
    }
}
