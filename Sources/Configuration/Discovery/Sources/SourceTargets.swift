// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Discovery
package import LinuxIO
package import Monitoring
package import NetworkPaths
package import Schema

/// The targets of a source. A value that makes them from its items; the caller keeps it between reports.
package struct SourceTargets: Sendable {
    /// The result of a report.
    package struct Outcome: Sendable {
        /// Why the report was not used; the previous targets remain.
        package var error: SourceError?
        /// New faults of single items, which have the targets of their last valid state, if any.
        package var faults: [ConfigurationDiagnostic] = []
        /// New messages on ignored parts.
        package var notes: [LogMessage] = []
    }

    /// The targets, each id once.
    package private(set) var targets: [TargetSettings] = []
    /// The declaration of the source.
    package private(set) var declaration: DeclaredSource
    private var nameEvaluation: PathRequest.NameEvaluation
    /// The items of the last used report; nil before the first.
    private var items: [DiscoveredItem]?
    private var made: [DiscoveredItem: TargetSettings] = [:]
    /// The targets by what the source calls each.
    private var named: [String: TargetSettings] = [:]
    private var told: Set<String> = []

    /// Creates the value without targets.
    ///
    /// - Parameter nameEvaluation: how names are evaluated before their first answers.
    package init(_ declaration: DeclaredSource, nameEvaluation: PathRequest.NameEvaluation) {
        self.declaration = declaration
        self.nameEvaluation = nameEvaluation
    }

    /// Applies another declaration. Its targets are made again, unless the source itself is another one, whose report decides.
    ///
    /// - Parameter room: the maximum number of targets.
    package mutating func apply(
        _ declaration: DeclaredSource,
        nameEvaluation: PathRequest.NameEvaluation,
        room: Int
    ) -> Outcome {
        let isSame = declaration.isSame(as: self.declaration)
        let isEqual = declaration == self.declaration && nameEvaluation == self.nameEvaluation
        self.declaration = declaration
        self.nameEvaluation = nameEvaluation
        guard !isEqual else { return Outcome() }
        made = [:]
        guard isSame, let items else {
            items = nil
            return Outcome()
        }
        return take(items, room: room)
    }

    /// Makes the targets of a report.
    ///
    /// - Parameter room: the maximum number of targets.
    @discardableResult
    package mutating func take(_ items: [DiscoveredItem], room: Int) -> Outcome {
        var assembler = ItemAssembler(declaration, nameEvaluation: nameEvaluation)
        var outcome = Outcome()
        var new: [TargetSettings] = []
        var newMade: [DiscoveredItem: TargetSettings] = [:]
        var ids: Set<String> = []
        var repeated = 0
        var messages: Set<String> = []
        var newNamed: [String: TargetSettings] = [:]
        for item in items {
            let target: TargetSettings
            if let known = made[item] ?? newMade[item] {
                target = known
            } else {
                do throws(ConfigurationDiagnostics) {
                    target = try assembler.target(of: item)
                } catch {
                    for fault in error.diagnostics.prefix(20) where messages.insert("\(fault)").inserted {
                        if !told.contains("\(fault)") { outcome.faults.append(fault) }
                    }
                    let name = Self.name(of: item)
                    guard let kept = named[name], ids.insert(kept.id).inserted else { continue }
                    newNamed[name] = kept
                    new.append(kept)
                    continue
                }
            }
            newMade[item] = target
            guard ids.insert(target.id).inserted else {
                repeated += 1
                continue
            }
            newNamed[Self.name(of: item)] = target
            new.append(target)
        }
        guard new.count <= room else {
            let words = "there are \(new.count) targets; limits.targets leaves room for \(max(0, room))"
            return Outcome(error: SourceError(.tooMany, words))
        }
        if repeated > 0 { assembler.note("\(repeated) targets occur more than once") }
        for note in assembler.notes where messages.insert(note).inserted && !told.contains(note) {
            outcome.notes.append(LogMessage(.info, note))
        }
        outcome.faults = Array(outcome.faults.prefix(20))
        told = messages
        self.items = items
        made = newMade
        named = newNamed
        targets = new
        return outcome
    }

    private static func name(of item: DiscoveredItem) -> String { item.id ?? item.address }
}
