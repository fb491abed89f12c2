// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Notifies the registry when declared maintenances begin and end.
final class MaintenanceMonitor<World: ProbeEnvironment> {
    /// The longest time between two reads of the wall clock, which may be set at any time.
    private static var longestWait: Int64 { 60_000 }

    private let registry: Registry
    private unowned let world: World
    private var targets: [UInt64: (id: String, windows: [MaintenanceWindow], isOn: Bool)] = [:]
    private var isOutdated = false
    private var timer: World.Timer?

    init(registry: Registry, world: World) {
        self.registry = registry
        self.world = world
    }

    /// Takes a target's windows; ``look()`` has to follow.
    func watch(_ target: DeclaredTarget) {
        let settings = target.settings
        guard !settings.maintenance.isEmpty else { return forget(target.ordinal) }
        let isOn = targets[target.ordinal]?.isOn ?? false
        targets[target.ordinal] = (settings.id, settings.maintenance, isOn)
        isOutdated = true
    }

    /// The target is gone, or has no windows any more: a maintenance that is on ends.
    func forget(_ ordinal: UInt64) {
        guard let target = targets.removeValue(forKey: ordinal) else { return }
        if target.isOn { registry.setMaintenance(false, target: target.id) }
    }

    /// Looks at the clock, if there are windows that were not looked at yet.
    func look() {
        if isOutdated { checkAll() }
    }

    func close() {
        timer.map(world.cancel)
        targets = [:]
    }

    private func checkAll() {
        timer.map(world.cancel)
        timer = nil
        isOutdated = false
        let now = registry.clock.now().milliseconds
        var wait: Int64?
        for (ordinal, target) in targets {
            let isOn = target.windows.contains { $0.isActive(at: now) }
            if isOn != target.isOn {
                targets[ordinal]?.isOn = isOn
                registry.setMaintenance(isOn, target: target.id)
            }
            let change = target.windows.compactMap { $0.nextChange(after: now) }.min()
            if let change { wait = min(wait ?? Self.longestWait, change - now, Self.longestWait) }
        }
        guard let wait else { return }
        timer = world.schedule(at: world.now() + UInt64(max(wait, 1)) * 1_000_000) { [weak self] in
            self?.timer = nil
            self?.checkAll()
        }
    }
}
