// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension TraceRequest.Method {
    /// The name in JSON and in options: `tcp`, `udp` or `icmp`.
    package var name: String {
        switch self {
        case .tcp: "tcp"
        case .udp: "udp"
        case .icmp: "icmp"
        }
    }
}

extension TraceResult.End {
    /// The name in JSON: `reached`, `refused`, `rejected`, `silent` or `failed`.
    package var name: String {
        switch self {
        case .reached: "reached"
        case .refused: "refused"
        case .error: "rejected"
        case .silent: "silent"
        case .fault: "failed"
        }
    }

    /// The names of all ends.
    package static var names: [String] { ["reached", "refused", "rejected", "silent", "failed"] }
}

extension TraceResult {
    /// What became of the packets, in one line for people.
    package var detail: String {
        let distance = hops.last.map { $0.number == 1 ? ", 1 hop away" : ", \($0.number) hops away" } ?? ""
        switch end {
        case .reached: return "\(request.destination)\(distance), answers"
        case .refused(let error):
            let words = error?.message.map { "\($0.meaning) (\($0.name))" } ?? "the connection is reset"
            return "\(request.destination)\(distance), refuses: \(words)"
        case .error where !loop.isEmpty, .silent where !loop.isEmpty:
            return "the packets circulate between \(loop.map { "\($0)" }.joined(separator: " and "))"
        case .error(let error):
            guard error.sender == .router, let message = error.message, let last = lastAnswering,
                let address = message.offender
            else { return ProbeFault(error, "error \(error.systemError)").detail }
            return "\(address) (hop \(last.number)) says: \(message.meaning) (\(message.name))"
        case .silent:
            guard let last = lastAnswering, let address = last.addresses.first else { return "no router answers" }
            if isCutOff { return "\(address) (hop \(last.number)) answers, and no hop behind it was asked" }
            return "no answer from behind \(address) (hop \(last.number))"
        case .fault(let fault): return fault.detail
        }
    }
}
