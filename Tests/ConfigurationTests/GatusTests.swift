// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
import Testing

@testable import Configuration

@Suite("Gatus' meanings") struct GatusTests {
    private func imported(_ text: String) throws -> ImportedConfiguration {
        try ImportedConfiguration(Array(text.utf8), path: "gatus.yaml", format: .gatus)
    }

    private func request(_ target: TargetSettings?) throws -> ProbeRequest {
        guard case .ask(let request)? = target?.probe?.method else { throw ConfigurationFaults([]) }
        return request
    }

    private func conditions(_ conditions: [String], url: String = "https://example.org/", _ more: String = "") throws
        -> (ProbeRequest, notes: [String])
    {
        let lines = conditions.map { "      - \"\($0)\"\n" }.joined()
        let imported = try imported("endpoints:\n  - url: \(url)\n\(more)    conditions:\n\(lines)")
        return (try request(load(imported.text).targets.first), imported.notes.map(\.words))
    }

    // MARK: Conditions

    @Test("of several bounds the stricter one is kept, in whatever order they come")
    func bounds() throws {
        let bounds = [
            "[CERTIFICATE_EXPIRATION] > 240h", "[CERTIFICATE_EXPIRATION] > 12h", "[RESPONSE_TIME] < 100",
            "[RESPONSE_TIME] < 900",
        ]
        for conditions in [bounds, bounds.reversed()] {
            let (request, notes) = try self.conditions(conditions)
            #expect(request.expiry.certificate == 10 && request.latencyBound == .milliseconds(100))
            #expect(!notes.contains { $0.contains("rounded") })
        }
    }

    @Test("a certificate's limit that is rounded up to days is noted, where it counts")
    func roundedDays() throws {
        let (request, notes) = try conditions(["[CERTIFICATE_EXPIRATION] > 30h", "[CERTIFICATE_EXPIRATION] > 5h"])
        #expect(request.expiry.certificate == 2)
        #expect(notes.filter { $0.contains("rounded up to 2") }.count == 1)
    }

    @Test("addresses, answers and response codes must fulfil every condition, not the last one")
    func sets() throws {
        let (request, notes) = try conditions([
            "[IP] == any(192.0.2.1, 192.0.2.2)", "[IP] == any(192.0.2.2, 192.0.2.3)", "[IP] == 192.0.2.9",
        ])
        #expect(request.expectedAddresses.count == 1)
        #expect(notes.contains { $0.contains("[IP] == 192.0.2.9") && $0.contains("not carried over") })
        let (names, _) = try conditions(
            [
                "[BODY] == pat(*192.0*)", "[BODY] == pat(*.2.1)", "[DNS_RCODE] == any(NOERROR, NXDOMAIN)",
                "[DNS_RCODE] == NOERROR",
            ],
            url: "192.0.2.53",
            "    dns: { query-name: example.org, query-type: A }\n"
        )
        guard case .dns(let dns) = names.kind else { return #expect(Bool(false)) }
        #expect(dns.requiredAnswers.count == 2 && dns.expectedCodes.count == 1 && dns.minimumAnswers == 1)
    }
}
