// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths
package import Probing

/// The declaration of a target.
package struct TargetSettings: Sendable, Hashable {
    /// The origin of a declaration; raw values are the HTTP contract's.
    package enum Origin: String, Sendable, Hashable, CaseIterable {
        /// The configuration file.
        case config
        /// The HTTP API.
        case api
        /// A discovery file or another source of targets.
        case discovery
        /// The fleet, which assigned the target to this node.
        case fleet
        /// reachd itself, which watches what every machine has when nothing is configured.
        case auto
    }

    /// Unique among all targets: letters, digits, `-`, `_`, `.`, `:`; at most 128 bytes.
    package var id: String
    /// What people call it; the id when absent.
    package var name: String?
    /// What is monitored.
    package var request: PathRequest
    /// The text from which ``request`` was made, as the user wrote it: a host, an address.
    package var text: String
    /// The port, as information.
    package var port: UInt16?
    /// The group that it is shown in.
    package var group: String?
    /// Free labels.
    package var tags: [String: String]
    /// How it is asked whether it answers; nil to believe the path alone.
    package var probe: ProbePlan? {
        get { plan.value }
        set { plan = newValue.map(Plan.some) ?? .none }
    }
    /// The ids of the targets without which it cannot be reached.
    package var dependsOn: [String]
    /// When its failures are expected.
    package var maintenance: [MaintenanceWindow]
    /// The origin of the declaration.
    package var origin: Origin
    /// The name of the discovery source that found it; nil for other origins.
    package var source: String?

    /// What the kernel is asked: the way to what probes connect to, which may be a proxy.
    package var pathRequest: PathRequest {
        guard case .ask(let probe)? = probe?.method, probe.connectedHost != probe.host else { return request }
        var path = request
        switch probe.connectedHost {
        case .name(let name): path.target = .name(name)
        case .address(let address):
            let local = probe.source.flatMap { $0.family == address.family ? $0 : nil }
            path.target =
                local.map { .pair(local: $0, remote: address) } ?? .address(address, interface: probe.interface)
        }
        return path
    }

    /// Whether its host, address, port and URL, and what would give them away, are kept from everything that reachd shows.
    package var hidesAddress: Bool

    /// Whether it is there again after a restart: only the API can declare targets that are not.
    package var isPersistent: Bool

    /// Whether others than the operator declared it: `access.targets` restricts its probes.
    package var isClientDeclared: Bool { origin == .api || isDeclaredElsewhere }

    /// Whether they declared it elsewhere: a client of any node of the fleet that assigned it here, or the author of an object
    /// that a discovery source found.
    package var isDeclaredElsewhere: Bool

    /// A plan is large, and most targets have none: it is kept elsewhere.
    private enum Plan: Sendable, Hashable {
        case none
        indirect case some(ProbePlan)

        var value: ProbePlan? {
            if case .some(let plan) = self { plan } else { nil }
        }
    }

    private var plan: Plan

    /// Creates settings.
    package init(
        id: String,
        name: String? = nil,
        request: PathRequest,
        text: String,
        port: UInt16? = nil,
        group: String? = nil,
        tags: [String: String] = [:],
        probe: ProbePlan? = nil,
        dependsOn: [String] = [],
        maintenance: [MaintenanceWindow] = [],
        origin: Origin,
        source: String? = nil,
        hidesAddress: Bool = false,
        isPersistent: Bool = true,
        isDeclaredElsewhere: Bool = false
    ) {
        self.id = id
        self.name = name
        self.request = request
        self.text = text
        self.port = port
        self.group = group
        self.tags = tags
        plan = probe.map(Plan.some) ?? .none
        self.dependsOn = dependsOn
        self.maintenance = maintenance
        self.origin = origin
        self.source = source
        self.hidesAddress = hidesAddress
        self.isPersistent = isPersistent
        self.isDeclaredElsewhere = isDeclaredElsewhere
    }
}

/// How a target is asked whether it answers, and what its answers come to.
package struct ProbePlan: Sendable, Hashable {
    /// Which side begins.
    package enum Method: Sendable, Hashable {
        /// reachd asks the target. Indirect: every probe copies its plan several times.
        indirect case ask(ProbeRequest)
        /// The target calls reachd (`push`): it has the interval of ``verdict`` for it, and so much longer.
        case heartbeat(grace: Duration)
        /// Neither: the programs of this machine use it, and their connections are the evidence.
        case traffic(TrafficPlan)
    }

    /// Which side begins, and how.
    package var method: Method
    /// How many results make a verdict, and how long to wait between them.
    package var verdict: VerdictSettings
    /// How much a turn may be moved, as a fraction of the interval; see ``ProbeSchedule``.
    package var jitter: Double

    /// Creates a plan.
    package init(_ method: Method, verdict: VerdictSettings = .standard, jitter: Double = 0.1) {
        self.method = method
        self.verdict = verdict
        self.jitter = jitter
    }

    /// How many failures in a row make the target down: of probes, or of connections.
    package var fall: Int {
        if case .traffic(let plan) = method { plan.fall } else { verdict.fall }
    }

    /// Whether the target is the one that calls.
    package var isHeartbeat: Bool {
        if case .heartbeat = method { true } else { false }
    }

    /// Whether reachd sends nothing, so that no result took time.
    package var isPassive: Bool {
        if case .ask = method { false } else { true }
    }

    /// The kind's name in configuration and interface: `tcp`, `http`, … or `push`.
    package var type: String {
        switch method {
        case .ask(let request): request.kind.name
        case .heartbeat: "push"
        case .traffic: "traffic"
        }
    }
}

/// How the connections of this machine's own programs decide about a target.
package struct TrafficPlan: Sendable, Hashable {
    /// The target's TCP port.
    package var port: UInt16
    /// How many attempts in a row must fail, none succeeding, to make the target down.
    package var fall: Int
    /// After how long without any connection nothing is known of the target.
    package var maximumAge: Duration

    /// Creates a plan.
    package init(port: UInt16, fall: Int = 3, maximumAge: Duration = .seconds(300)) {
        self.port = port
        self.fall = fall
        self.maximumAge = maximumAge
    }
}
