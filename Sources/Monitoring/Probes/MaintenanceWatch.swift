// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Tells the registry when declared maintenances begin and end.
final class MaintenanceWatch<World: ProbeWorld> {
    /// At the latest after so long the wall clock is looked at again: somebody may have set it.
    private static var longestWait: Int64 { 60_000 }

    private let registry: Registry
    private unowned let world: World
    private var targets: [UInt64: (id: String, windows: [MaintenanceWindow], isOn: Bool)] = [:]
    private var timer: World.Timer?

    init(registry: Registry, world: World) {
        self.registry = registry
        self.world = world
    }

    func watch(_ target: DeclaredTarget) {
        let settings = target.settings
        guard !settings.maintenance.isEmpty else {
            registry.setMaintenance(false, target: settings.id)
            return
        }
        targets[target.ordinal] = (settings.id, settings.maintenance, false)
        look()
    }

    func forget(_ ordinal: UInt64) { targets[ordinal] = nil }

    func close() {
        timer.map(world.cancel)
        targets = [:]
    }

    private func look() {
        timer.map(world.cancel)
        timer = nil
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
            self?.look()
        }
    }
}
