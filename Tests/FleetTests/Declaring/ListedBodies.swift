// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport

@testable import Fleet

/// Reads bodies of words: `a`, or `a<p,q` with parents, with `*` before a list; `!` is invalid. A patch adds its words to the group.
final class ListedBodies: FleetBodyReading {
    /// What the declarations may depend on, as it was stated.
    let ancestors = Recorder<[String: [String]]>()
    func check(_ body: [UInt8], isPatch: Bool) {}

    func read(
        _ body: [UInt8],
        id: String?,
        patching base: FleetDeclaration?,
        among ancestors: [String: [String]]?
    ) throws(TargetEditError) -> FleetBody {
        let text = String(decoding: body, as: UTF8.self)
        if text.contains("!") { throw TargetEditError(.invalid, "wrong") }
        if let ancestors { self.ancestors.record(ancestors) }
        let words = text.split(separator: " ").filter { $0 != "*" }
        let own = Set(words.map { String($0.prefix { $0 != "<" }) })
        var declarations: [FleetDeclaration] = []
        for word in words {
            let parts = word.split(separator: "<", maxSplits: 1)
            let parents = parts.count > 1 ? parts[1].split(separator: ",").map(String.init) : []
            if let ancestors, let missing = parents.first(where: { ancestors[$0] == nil && !own.contains($0) }) {
                throw TargetEditError(.invalid, "there is no \(missing)")
            }
            let name = id ?? String(parts[0])
            declarations.append(
                FleetDeclaration(
                    id: name,
                    placement: base?.placement ?? .single,
                    text: #"{"id":"\#(name)","port":\#(parts[0].utf8.count)}"#,
                    interval: .seconds(10),
                    group: base.map { ($0.group ?? "") + String(parts[0]) } ?? (id == nil ? nil : String(parts[0])),
                    parents: parents
                )
            )
        }
        return FleetBody(declarations: declarations, isBatch: text.hasPrefix("*"))
    }
}
