// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import NetworkPaths

/// Who may change something: without tokens only who is on this machine, and no page in a browser but our own.
struct WriteRule {
    /// Which names are ours.
    let hosts: HostRule
    /// Whether clients on other machines may.
    var isOpenToAll = false

    /// Why a request may not; nil for one that may.
    func refusal(of request: HTTPRequest) -> String? {
        guard isOpenToAll || request.isFromUnixSocket || request.peerAddress?.isLoopback == true else {
            return "Changes are taken from this machine only."
        }
        // A page elsewhere must not be able to press our buttons. Its browser says where it is from (RFC 6454, Fetch
        // Metadata); a request without these fields is no page's.
        if let site = request.header("Sec-Fetch-Site"), site != "same-origin", site != "none" { return Self.foreign }
        guard let origin = request.header("Origin") else {
            // A page's own GET has no origin; what it is told that it may do has to hold for its POST, which has one.
            let isAsking = request.method == "GET" && request.header("Sec-Fetch-Site") == "same-origin"
            return isAsking && !hosts.isOurs(request.header("Host") ?? "") ? Self.rebound : nil
        }
        guard let host = request.header("Host"), origin == "http://\(host)" || origin == "https://\(host)" else {
            return Self.foreign
        }
        // Where every name is allowed, one that somebody made to lead here is too (DNS rebinding); an address cannot be.
        return hosts.isOurs(host) ? nil : Self.rebound
    }

    private static let rebound =
        "Changes are taken from pages under an address of this server or a name of `allowed_hosts` only."
    private static let foreign = "Changes are not taken from pages of other sites."
}
