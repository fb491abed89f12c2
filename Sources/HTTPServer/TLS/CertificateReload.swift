// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What came of reading a certificate's files again.
package struct CertificateReload: Sendable {
    /// What is shown from now on.
    package enum Outcome: Sendable {
        /// The same certificate as before; it ends at this time, in seconds since 1970.
        case unchanged(expiry: Int64?)
        /// The new one, to all who connect from now on.
        case replaced(expiry: Int64?)
        /// The old one, because the files cannot be used.
        case refused(HTTPServerError)
    }

    /// The files.
    package let files: CertificateFiles
    /// What is shown from now on.
    package let outcome: Outcome
}
