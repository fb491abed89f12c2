// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation

/// What `reachd trust --json` prints.
struct TrustDocument: Decodable {
    struct Policy: Decodable, Equatable {
        var mode: String
        var pin_count: Int
        var compatibility: String
        var purpose: String
        var allow_invalid: Bool
        var validate_domain: Bool
        var common_name: Bool
        var allow_weak: Bool
    }

    struct Predicates: Equatable {
        var is_valid: Bool
        var matches_domain: Bool?
        var has_pinned_key: Bool?
        var is_valid_against_pins: Bool?
    }

    struct Trust: Decodable, Equatable {
        var is_accepted: Bool
        var row: String
        var is_valid: Bool
        var matches_domain: Bool?
        var has_pinned_key: Bool?
        var is_valid_against_pins: Bool?
        var faults: [Fault]
        var tolerated: [Fault]
        var warnings: [String]
        var expiry: Expiry
    }

    struct Fault: Decodable, Equatable {
        var code: String
        var depth: Int
        var detail: String
    }

    struct Certificate: Decodable, Equatable {
        var subject: String
        var issuer: String
        var fingerprint_sha256: String
        var pin: String?
        var names: [String]
        var name_count: Int
        var not_before: String?
        var not_after: String?
        var key: String
        var signature_algorithm: String
        var is_authority: Bool
    }

    struct Expiry: Decodable, Equatable {
        var leaf: String?
        var earliest_sent: String?
        var verified_chain: String?
        var pins: String?
    }

    struct Anchors: Decodable, Equatable {
        var source: String
        var places: [String]
    }

    struct Handshake: Decodable, Equatable {
        struct Staple: Decodable, Equatable {
            var status: String
        }

        struct Failure: Decodable, Equatable {
            var code: String
            var detail: String
        }

        var address: String
        var version: String
        var cipher: String?
        var alpn: String?
        var staple: Staple?
        var failure: Failure?
    }

    var subject: String
    var domain: String?
    var at: String
    var policy: Policy
    var anchors: Anchors
    var trust: Trust
    var chain_count: Int
    var chain: [Certificate]
    var built_chain: [Certificate]
    var handshake: Handshake?

    var predicates: Predicates {
        Predicates(
            is_valid: trust.is_valid,
            matches_domain: trust.matches_domain,
            has_pinned_key: trust.has_pinned_key,
            is_valid_against_pins: trust.is_valid_against_pins
        )
    }

    var firstFault: Fault? { trust.faults.first }

    init(_ result: Reachd.Result) throws {
        self = try JSONDecoder().decode(TrustDocument.self, from: Data(result.output.utf8))
        // The exit status says the same.
        guard result.status == (trust.is_accepted ? 0 : 1) else { throw Contradiction(output: result.output) }
    }

    struct Contradiction: Error {
        let output: String
    }
}
