// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a transfer comes to whose time is over.
enum HTTPTimeout {
    /// - Returns: How far it came, nil when there is no transfer, and the fault.
    static func fault(of transfer: CurlTransfer?, usesProxy: Bool) -> (CurlResponse?, ProbeFault) {
        guard let transfer else { return (nil, ProbeFault(reason: .timeout, detail: "no answer in time")) }
        transfer.inform()
        let response = transfer.response
        if let fault = response.fault { return (response, fault) }
        let detail: String
        if response.times.connected == 0 {
            detail = usesProxy ? "no connection to the proxy in time" : "no connection in time"
        } else if transfer.request.url.isSecure, response.times.secured == 0 {
            detail = "connected, and the TLS handshake did not end in time"
        } else if response.status == 0 {
            detail = "connected, and no response came in time"
        } else {
            detail = "status \(response.status), and the response did not end in time"
        }
        return (response, ProbeFault(reason: .timeout, detail: detail))
    }
}
