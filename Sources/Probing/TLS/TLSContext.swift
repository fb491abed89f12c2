// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import ServerTrust

/// The state shared by sessions of equal settings: versions, identity, protocols. On the loop's thread.
@safe final class TLSContext {
    let session: OpaquePointer

    init(_ settings: TLSSettings) throws(ProbeFault) {
        // Old versions imply servers with the keys and signatures of their time; OpenSSL supports the versions at level
        // 0 only.
        let securityLevel: Int32 = settings.minimumVersion < .tls12 ? 0 : 2
        let protocols = try Self.wireForm(of: settings.applicationProtocols)
        let session = unsafe protocols.withUnsafeBufferPointer { buffer in
            unsafe reachd_tls_context_create(
                settings.minimumVersion.number,
                settings.maximumVersion.number,
                securityLevel,
                buffer.isEmpty ? nil : buffer.baseAddress,
                buffer.count,
                tlsCheckCalled
            )
        }
        guard let session = unsafe session else {
            throw ProbeFault(
                reason: .invalidRequest,
                detail: "no TLS version from \(settings.minimumVersion.rawValue) to \(settings.maximumVersion.rawValue)"
            )
        }
        unsafe self.session = unsafe session
        if settings.certificateFile != nil || settings.keyFile != nil { try setIdentity(settings) }
    }

    deinit {
        unsafe reachd_tls_context_free(session)
    }

    private func setIdentity(_ settings: TLSSettings) throws(ProbeFault) {
        guard let file = settings.certificateFile else {
            throw ProbeFault(reason: .invalidRequest, detail: "key_file without cert_file")
        }
        let keyFile = settings.keyFile ?? file
        let certificate = try IdentityFile.read(file)
        let key = keyFile == file ? certificate : try IdentityFile.read(keyFile)
        let status = unsafe reachd_tls_context_set_identity(
            session,
            certificate,
            certificate.count,
            key,
            key.count
        )
        switch reachd_tls_identity_status(UInt32(bitPattern: status)) {
        case reachd_tls_identity_taken: break
        case reachd_tls_identity_bad_key: throw IdentityFile.fault("\(keyFile) contains no key, or an encrypted one")
        case reachd_tls_identity_mismatch: throw IdentityFile.fault("the key in \(keyFile) does not match \(file)")
        default: throw IdentityFile.fault("\(file) contains no usable certificate")
        }
    }

    /// Returns the protocols with length prefixes (RFC 7301, section 3.1).
    private static func wireForm(of protocols: [String]) throws(ProbeFault) -> [UInt8] {
        var bytes: [UInt8] = []
        for name in protocols {
            let text = Array(name.utf8)
            guard (1...255).contains(text.count), bytes.count < 4_096 else {
                throw ProbeFault(reason: .invalidRequest, detail: "ALPN protocol of \(text.count) bytes")
            }
            bytes.append(UInt8(text.count))
            bytes += text
        }
        return bytes
    }
}

extension TLSSettings.Version {
    /// The version number on the wire.
    fileprivate var number: Int32 {
        switch self {
        case .tls10: Int32(reachd_tls_1_0.rawValue)
        case .tls11: Int32(reachd_tls_1_1.rawValue)
        case .tls12: Int32(reachd_tls_1_2.rawValue)
        case .tls13: Int32(reachd_tls_1_3.rawValue)
        }
    }
}

/// Reads the files of the client certificate and its key.
enum IdentityFile {
    /// Returns the contents of a file.
    static func read(_ path: String) throws(ProbeFault) -> [UInt8] {
        try ProbeFault.told { () throws(TrustError) in try TrustFile.read(path) }
    }

    static func fault(_ detail: String) -> ProbeFault {
        ProbeFault(reason: .tlsFilesUnreadable, detail: detail)
    }
}
