// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust
import Testing

@testable import Probing

@Suite("What is told of certificates that are not accepted") struct TrustWordsTests {
    private static func certificate(_ subject: String, by issuer: String) -> Certificate {
        Certificate(subject: subject, issuer: issuer, serialNumber: "", fingerprint: "", publicKeyDigest: "")
    }

    private func detail(_ faults: [TrustFault], _ chain: [Certificate]) -> String? {
        TrustVerdict(
            isAccepted: false,
            predicates: TrustPredicates(isValid: false, matchesDomain: true),
            faults: faults,
            sentChain: Array(chain.prefix(1)),
            builtChain: chain,
            checkedAt: 0
        ).probeFault?.detail
    }

    private let chain = [
        certificate("CN=a.test", by: "CN=Sub CA"), certificate("CN=Sub CA", by: "CN=Lab CA"),
        certificate("CN=Lab CA", by: "CN=Lab CA"),
    ]

    @Test("Which certificate of the chain it is") func depth() {
        let expired = TrustFault(.expired, depth: 1, words: "certificate has expired")
        #expect(
            detail([expired], chain)
                == "certificate has expired (certificate 1 of the chain, CN=Sub CA); the server's certificate is CN=a.test"
        )
        #expect(detail([expired], [])?.hasPrefix("certificate has expired (certificate 1 of the chain)") == true)
    }

    @Test("Who signed what is not trusted") func issuer() {
        let words = "; the server's certificate is CN=a.test"
        let sent = TrustFault(.untrustedRoot, depth: 2, words: "self-signed certificate in certificate chain")
        #expect(detail([sent], chain) == "signed by CN=Lab CA, which is not trusted" + words)
        let missing = TrustFault(.untrustedRoot, words: "unable to get local issuer certificate")
        #expect(detail([missing], [chain[0]]) == "signed by CN=Sub CA, which is not trusted" + words)
    }

    @Test("An authority's own certificate, and the setting that accepts it") func authority() {
        let fault = TrustFault(.wrongPurpose, words: "the key usage does not allow TLS")
        #expect(
            detail([fault], [Self.certificate("CN=NAS", by: "CN=NAS")])
                == "the key usage does not allow TLS; the server's certificate is CN=NAS, an authority's own, which "
                + "tls.purpose: any accepts"
        )
        #expect(detail([fault], chain)?.contains("purpose") == false)
    }
}
