// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The nodes whose results a response combines: the values of the parameter `scope`.
///
/// Without a fleet both mean this node, and only ``node`` is accepted: a client that asks for a fleet's verdicts must not
/// take one node's for them.
enum ReportScope: String, CaseIterable {
    /// This node alone.
    case node
    /// All nodes of the fleet.
    case fleet

    /// The parameter.
    static let parameter = QueryParameter("scope")

    /// Reads the parameter and reports a scope that this node does not have.
    ///
    /// - Parameter hasFleet: Whether the fleet answers the request, too, and is then the default.
    init(_ reader: inout QueryReader, hasFleet: Bool) {
        let requested = reader.cases(Self.parameter.name, as: Self.self).first
        self = requested ?? (hasFleet ? .fleet : .node)
        guard self == .fleet, !hasFleet else { return }
        reader.fault(
            Self.parameter.name,
            "`node` is the only scope here: the node does not belong to a fleet, or the answer is always a node's own."
        )
        self = .node
    }
}
