// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// Which reason a look-up without addresses is.
enum ResolverReason {
    static func fault(of outcome: ResolverAnswer.Outcome, name: String) -> ProbeFault {
        switch outcome {
        case .addresses: ProbeFault(reason: .nameError, detail: "\(name) has addresses that cannot be used")
        case .noSuchName: ProbeFault(reason: .nameNotFound, detail: "there is no name \(name)")
        case .noData: ProbeFault(reason: .nameWithoutAddress, detail: "\(name) has no address")
        case .timedOut: ProbeFault(reason: .nameTimeout, detail: "no name server answered about \(name)")
        case .serverFailure: ProbeFault(reason: .nameServerFailure, detail: "the name servers failed on \(name)")
        case .refused: ProbeFault(reason: .nameServerRefused, detail: "the name servers refused to look up \(name)")
        case .unreachable: ProbeFault(reason: .nameServerUnreachable, detail: "no name server can be reached")
        case .badName: ProbeFault(reason: .nameInvalid, detail: "\(PrintableBytes.quote(name.utf8)) is no name")
        case .failed(let code): ProbeFault(reason: .nameError, detail: "looking up \(name) failed, c-ares code \(code)")
        }
    }
}
