// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// What forbids a change.
extension EditFacts {
    func checkWritable(_ id: String) throws(FleetEditFailure) {
        guard let source = targets[id]?.source else { return }
        let detail = "The source \(source) declares the target: change its file and run reachd fleet apply."
        throw .refused(TargetEditError(.readOnly, detail))
    }

    func checkAbsent(_ body: FleetBody) throws(FleetEditFailure) {
        let taken = body.declarations.indices.filter { targets[body.declarations[$0].id] != nil }
        guard !taken.isEmpty else { return }
        let faults = taken.prefix(100).map { index in
            TargetEditError.Fault(
                pointer: (body.isBatch ? "/targets/\(index)" : "") + "/id",
                detail: "a target with the id '\(body.declarations[index].id)' already exists"
            )
        }
        throw .refused(TargetEditError(.exists, faults[0].detail + "; PUT replaces it", faults: faults))
    }

    func checkRoom(for number: Int) throws(FleetEditFailure) {
        let total = count ?? 0
        guard number > maximum - total else { return }
        let detail =
            "There are \(total) targets, and the fleet's setting max_targets allows \(maximum): remove some or raise it."
        throw .refused(TargetEditError(.tooMany, detail))
    }
}
