// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Fleet
import LinuxIO
import Logging
import Monitoring
import Probing
import Synchronization
import Targets

/// Puts the targets that the fleet assigns to this node in force, on the control loop: reading many takes a moment, in which leases
/// must be renewed.
final class FleetTargets: Sendable {
    private let control: EventLoop
    private let book: TargetStore
    private let probes: ProbeMonitor
    private let log: Logger
    /// The newest list that is not in force yet; a newer one replaces it. The states are those of both.
    private let waiting = Mutex<(targets: [AssignedTarget], states: [String: TargetState])?>(nil)
    /// The targets in force as they were read: most of a list did not change since the one before.
    private let read = Mutex<[String: (target: AssignedTarget, settings: TargetSettings?)]>([:])

    init(control: EventLoop, book: TargetStore, probes: ProbeMonitor, log: Logger) {
        self.control = control
        self.book = book
        self.probes = probes
        self.log = log
    }

    /// Takes a list. Any thread; does not wait.
    ///
    /// - Parameters:
    ///   - targets: all targets of the fleet that this node watches.
    ///   - states: what the node's location reported last, by the target's id.
    func assign(_ targets: [AssignedTarget], resuming states: [String: TargetState]) {
        waiting.withLock { waiting in
            waiting = (targets, (waiting?.states ?? [:]).merging(states) { _, new in new })
        }
        control.execute { [self] in apply() }
    }

    /// Carries commands out, after the lists before them are in force. Any thread; does not wait.
    func execute(_ commands: [TargetCommand]) {
        control.execute { [probes] in
            for command in commands {
                // A command that comes too late is without effect: the target is paused, or another node's.
                switch command.action {
                case .probe: probes.probe(command.target) { _ in }
                case .heartbeat(let isFailure, let detail):
                    let result = ProbeResult.heartbeat(isFailure: isFailure, detail: detail)
                    probes.heartbeat(command.target, result, age: command.age) { _ in }
                }
            }
        }
    }

    private func apply() {
        let next = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        guard let (targets, states) = next else { return }
        let changes = book.assign(settings(of: targets), resuming: states).changes
        log.info(
            "the fleet assigned targets",
            metadata: [
                "targets": "\(targets.count)", "added": "\(changes.added)", "updated": "\(changes.updated)",
                "removed": "\(changes.removed)",
            ]
        )
    }

    private func settings(of targets: [AssignedTarget]) -> [TargetSettings] {
        read.withLock { known in
            let old = known
            known = [:]
            known.reserveCapacity(targets.count)
            return targets.compactMap { target in
                let settings =
                    if let known = old[target.id], known.target.hasDeclaration(of: target) {
                        known.settings
                    } else {
                        settings(of: target)
                    }
                known[target.id] = (target, settings)
                return settings
            }
        }
    }

    /// Reads a declaration of the fleet for lists.
    static func settings(_ declaration: String) -> TargetSettings? {
        guard let node = try? DeclarationReader.parse(Array(declaration.utf8)) else { return nil }
        return try? DeclarationReader.fleet.read([node], isBatch: false).first
    }

    private func settings(of target: AssignedTarget) -> TargetSettings? {
        do throws(TargetEditError) {
            let node = try DeclarationReader.parse(Array(target.declaration.utf8))
            // The coordinator applies dependencies: the parents may be other nodes' targets.
            let settings = try DeclarationReader.fleet.read([node.without("depends_on")], isBatch: false)
            if var settings = settings.first, settings.id == target.id {
                settings.isDeclaredElsewhere = target.isClientDeclared
                return settings
            }
            log.error("a declaration of the fleet has another id", metadata: ["target": "\(target.id)"])
        } catch {
            log.error(
                "cannot read a declaration of the fleet; its version of reachd may be newer",
                metadata: ["target": "\(target.id)", "error": "\(error.detail)"]
            )
        }
        return nil
    }
}

extension AssignedTarget {
    fileprivate func hasDeclaration(of other: AssignedTarget) -> Bool {
        declaration == other.declaration && isClientDeclared == other.isClientDeclared
    }
}
