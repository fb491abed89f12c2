// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import ServerTrust

// Measures the evaluation of a chain, cached and not. Arguments: the file of the anchors, the domain, the number of rounds, the
// files of the chain. Prints medians in microseconds: cached, not cached, not cached with pinned keys, not cached with pinned
// certificates.

func microseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

func median(_ rounds: Int, _ body: () throws -> Bool) rethrows -> Double {
    var times: [Double] = []
    for _ in 0..<rounds {
        let start = microseconds()
        guard try body() else { exit(1) }
        times.append(microseconds() - start)
    }
    return times.sorted()[rounds / 2]
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 4, let rounds = Int(words[2]) else { exit(2) }
let anchors = try TrustAnchors(files: [words[0]])
let domain = words[1]
let time: Int64 = 1_771_113_600
let files = Array(words[3...])
let chain = try CertificateChain(files: files)

let evaluator = try TrustEvaluator(.default, anchors: anchors)
let seen = median(rounds) { evaluator.evaluate(chain, domain: domain, at: time).isAccepted }
let policies: [SecurityPolicy] = try [
    .default,
    SecurityPolicy(pinningMode: .publicKey, pins: PinSet([files[0], words[0]])),
    SecurityPolicy(pinningMode: .certificate, pins: PinSet([files[0], words[0]])),
]
var medians = [seen]
for policy in policies {
    // Too small to cache anything.
    let evaluator = try TrustEvaluator(policy, anchors: anchors, cache: TrustVerdictCache(sizeLimit: 0))
    medians.append(median(rounds) { evaluator.evaluate(chain, domain: domain, at: time).isAccepted })
}
print(medians.map { "\(($0 * 100).rounded() / 100)" }.joined(separator: " "))
