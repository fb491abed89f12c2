// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import Glibc

/// The certificates that are trusted: a file's, or the system's.
@safe final class TLSAuthorities {
    let store: OpaquePointer

    /// Reads them.
    ///
    /// - Parameter file: The file; nil for what the system trusts, of which nothing may be there.
    init(file: String?) throws(ProbeFault) {
        guard let store = unsafe reachd_tls_store_create() else {
            throw ProbeFault(reason: .outOfMemory, detail: "no memory for the trusted certificates")
        }
        unsafe self.store = unsafe store
        guard let file else {
            unsafe reachd_tls_store_add_system(store)
            return
        }
        let bytes = try TLSFile.read(file)
        let count = unsafe reachd_tls_store_add(store, bytes, bytes.count)
        guard count > 0 else {
            throw TLSFile.fault("\(file) holds \(count == 0 ? "no certificate" : "something that is no certificate")")
        }
    }

    deinit {
        unsafe reachd_tls_store_free(store)
    }

    /// Where they come from.
    static func places(file: String?) -> [String] {
        if let file { return [file] }
        return unsafe [
            place(reachd_tls_system_file_variable(), reachd_tls_system_file()),
            place(reachd_tls_system_directory_variable(), reachd_tls_system_directory()),
        ]
    }

    private static func place(_ variable: UnsafePointer<CChar>, _ standard: UnsafePointer<CChar>) -> String {
        unsafe String(cString: getenv(variable) ?? UnsafeMutablePointer(mutating: standard))
    }
}
