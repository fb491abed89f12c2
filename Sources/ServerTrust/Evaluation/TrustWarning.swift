// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Something about a verdict that somebody should look at, though it decides nothing.
public enum TrustWarning: String, Sendable, Hashable, CaseIterable {
    /// ``TrustCompatibility/strict`` and ``TrustCompatibility/afnetworking`` decide differently here (S17).
    case compatibilityDiffers = "compatibility_differs"
    /// No pin fits, and pins are only reported.
    case pinMismatchReported = "pin_mismatch_reported"
    /// Every pin is in the chain: none is kept back for when its keys have to be replaced (RFC 7469, section 4.3).
    case noBackupPin = "no_backup_pin"
    /// The policy has pins and the mode does not use them (T2, T4, T6, T8).
    case pinsUnused = "pins_unused"
    /// The pins are past their date.
    case pinsExpired = "pins_expired"
    /// The certificate is for the domain by its common name alone.
    case commonNameUsed = "common_name_used"

    /// What it means, for people.
    public var words: String {
        switch self {
        case .compatibilityDiffers: "strict and afnetworking compatibility decide differently here"
        case .pinMismatchReported: "no pin fits, which is only reported"
        case .noBackupPin: "every pin is in use: there is none to fall back on"
        case .pinsUnused: "there are pins, and the mode does not use them"
        case .pinsExpired: "the pins are past their date"
        case .commonNameUsed: "the name is the certificate's common name, which most clients do not look at"
        }
    }
}
