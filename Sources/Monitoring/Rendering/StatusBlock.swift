// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import JSON
package import NetworkPaths
import Probing

/// What a target and the machine's own network have in common. What is not known is absent: before the first verdict there are no
/// flags, no path, no resolution.
extension JSONWriter {
    /// The path, the resolution, and in a member of its own what Apple's interfaces say of them.
    package mutating func statusBlock(_ path: NetworkPath?, supportsDNS: Bool) {
        pathAndResolution(path, supportsDNS: supportsDNS)
        member("system_configuration") { $0.systemConfigurationMembers(path) }
    }

    package mutating func pathAndResolution(_ path: NetworkPath?, supportsDNS: Bool, fields: FieldSelection = .all) {
        guard let path else { return }
        if fields.contains(.path) {
            member("path") { $0.pathMembers(path, supportsDNS: supportsDNS) }
        }
        if fields.contains(.resolution) { member("resolution") { $0.resolutionMembers(path.resolution) } }
    }

    /// AFNetworking's status, and SystemConfiguration's flags.
    package mutating func systemConfigurationMembers(_ path: NetworkPath?) {
        let status = path?.reachability ?? .unknown
        member("status", status.name)
        member("status_code", status.rawValue)
        member("reachable", status.isReachable)
        member("reachable_via_wwan", status == .reachableViaWWAN)
        member("reachable_via_wifi", status == .reachableViaWiFi)
        if let path { member("flags") { $0.flagsMembers(path.flags) } }
    }

    /// The target's id, or null for the machine's own network.
    package mutating func subject(_ record: StatusRecord) { subject(record.target?.settings.id) }

    /// A target's id, or null for the machine's own network.
    package mutating func subject(_ id: String?) {
        key("target")
        if let id { string(id) } else { null() }
    }

    /// The machine's own network: the block, and what only it has.
    package mutating func network(_ record: StatusRecord, resolvers: [ScopedAddress]) {
        member("since", record.since)
        key("resolvers")
        array(resolvers) { $0.string($1.description) }
        statusBlock(record.shownPath, supportsDNS: record.supportsDNS)
    }

    package mutating func flagsMembers(_ flags: SCNetworkReachabilityFlags) {
        member("value", flags.rawValue)
        key("names")
        array(flags.names) { $0.string($1) }
        member("text", flags.text)
    }

    package mutating func pathMembers(_ path: NetworkPath, supportsDNS: Bool) {
        member("status", path.status.rawValue)
        if let reason = path.unsatisfiedReason { member("unsatisfied_reason", reason.rawValue) }
        if let interface = path.interface {
            member("interface") {
                $0.member("name", interface.name)
                $0.member("index", interface.index)
                $0.member("type", interface.type.rawValue)
            }
        }
        if let source = path.sourceAddress { member("source_address", source.description) }
        if let gateway = path.gateway { member("gateway", gateway.description) }
        member("is_expensive", path.isExpensive)
        member("is_constrained", path.isConstrained)
        member("supports_ipv4", path.supportsIPv4)
        member("supports_ipv6", path.supportsIPv6)
        member("supports_dns", supportsDNS)
        member("generation", path.generation)
    }

    package mutating func resolutionMembers(_ resolution: Resolution) {
        member("state", resolution.state.rawValue)
        key("addresses")
        array(resolution.addresses) { $0.string($1.description) }
        if let error = resolution.error { member("error", error) }
    }

    package mutating func reasonMembers(_ reason: StateReason) {
        member("code", reason.code.rawValue)
        member("detail", reason.detail)
        offenderMember(reason.offender)
        if let end = reason.pathEnd { member("trace") { $0.pathEndMembers(end) } }
    }

    /// The host that reported why a packet did not arrive, if one did.
    mutating func offenderMember(_ offender: Offender?) {
        guard let offender else { return }
        member("offender") {
            if let address = offender.address { $0.member("address", address.description) }
            $0.member("role", offender.role.rawValue)
            if let hops = offender.message.hops { $0.member("hops", hops) }
            $0.member("icmp_type", Int(offender.message.type))
            $0.member("icmp_code", Int(offender.message.code))
            $0.member("message", offender.message.meaning)
        }
    }
}

extension StatusRecord {
    /// The path as everybody may see it: a target that hides its address has no addresses.
    package var shownPath: NetworkPath? {
        guard target?.settings.hidesAddress == true, var path else { return path }
        path.resolution.addresses = []
        // What keeps this machine from asking names nobody.
        if path.resolution.error != nil, path.resolution.state != .pending {
            path.resolution.error = "the name was not found, or no server answered"
        }
        return path
    }
}
