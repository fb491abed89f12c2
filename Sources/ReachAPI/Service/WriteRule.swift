// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import NetworkPaths

/// Who may change something: without tokens only who is on this machine, and no page in a browser but our own.
enum WriteRule {
    /// What is answered to a request that may not; nil for one that may.
    ///
    /// - Parameter isOpenToAll: whether clients on other machines may.
    static func refusal(of request: HTTPRequest, isOpenToAll: Bool) -> HTTPResponse? {
        guard isOpenToAll || request.isFromUnixSocket || isLocal(request.peer) else {
            return Problem(kind: .forbidden, detail: "Changes are taken from this machine only.").response
        }
        // A browser says where a page is from that makes it send something (RFC 6454); a page elsewhere must not
        // be able to press our buttons. A request without that field is no page's.
        guard let origin = request.header("Origin"), origin != request.header("Host").map({ "http://\($0)" }) else {
            return nil
        }
        return Problem(kind: .forbidden, detail: "Changes are not taken from pages of other sites.").response
    }

    /// - Parameter peer: as in ``HTTPRequest/peer``.
    private static func isLocal(_ peer: String) -> Bool {
        let host =
            peer.hasPrefix("[")
            ? peer.dropFirst().prefix { $0 != "]" && $0 != "%" }
            : peer.prefix { $0 != ":" }
        return IPAddress(String(host))?.isLoopback ?? false
    }
}
