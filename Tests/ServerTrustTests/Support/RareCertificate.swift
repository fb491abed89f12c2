// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust

/// Certificates that are in no file: made with `openssl ca`, valid from 2025-01-01 to 2125-01-01, their keys thrown away.
enum RareCertificate {
    /// A self-signed one for good.test; its key is for RSA-PSS alone (RFC 4055), 2,048 bits.
    static let rsaPSS = """
        -----BEGIN CERTIFICATE-----
        MIIDTzCCAgKgAwIBAgICIgkwQgYJKoZIhvcNAQEKMDWgDzANBglghkgBZQMEAgEF
        AKEcMBoGCSqGSIb3DQEBCDANBglghkgBZQMEAgEFAKIEAgIA3jASMRAwDgYDVQQD
        DAdyc2EtcHNzMCAXDTI1MDEwMTAwMDAwMFoYDzIxMjUwMTAxMDAwMDAwWjASMRAw
        DgYDVQQDDAdyc2EtcHNzMIIBIDALBgkqhkiG9w0BAQoDggEPADCCAQoCggEBANNg
        oZIgkdUF+I1SMlNciKq6rAGmnQcY+ninGbhb08LbfOcMfw9BOqy7/rtlbNKdFsdi
        MafHWpvUMvG9hoK9RQMML7plE3n2IZpyl9rclntyh67sLOiyuDxDS2OP7jLc4E7g
        SrhuS1ekIRu+JP31pqUHdXspEWnW3Z7I28PoulGDP+wRwcQI5dQgWBdnE/QaVKK2
        bzA15JURkKXz4Z/L/bX6w4QnKob1WAjGsJcIp0V8k9wwg4NPZdeokeYe+22zzQWC
        uz8aUhcNDDWbbAkh+mdlXwwXDQvU1hGxbqNhU+B6S5TtJBnQ7IlaRi7hLZ5ID7QZ
        9UlaIGUi83YPBBmhJ+0CAwEAAaNFMEMwFAYDVR0RBA0wC4IJZ29vZC50ZXN0MAwG
        A1UdEwEB/wQCMAAwHQYDVR0OBBYEFK43kRf/hGJCenP1YnWpJ7c1VTlPMEIGCSqG
        SIb3DQEBCjA1oA8wDQYJYIZIAWUDBAIBBQChHDAaBgkqhkiG9w0BAQgwDQYJYIZI
        AWUDBAIBBQCiBAICAN4DggEBAKYrV92KmmgG9m5G5wlwM8xj4VFq4lJ24unvIycH
        fdoZQYaQIEjmV0vj8MGY9h18PC9WOj36x6yVik5HyZdhyGkocoE9oMl/n47LFjEQ
        Z7RvjwRg+mWC7n1GzubzICDaHUePRfu7QiwtEu6sdH/XXv4VZ8PC0ekpOOC4Igus
        1K7T8p7HqVWz7fVdcFdxbdmOc2amKAYOO7UWzHU7SMibjunGlwXaZkSuE8jp5ghO
        Na5JHUsWuuXygbyKxRRnyVy8U6Hq9ik0imK3cBvjawohXW56WHhz7CVE5b67bwwh
        JeRb0p9rPsxhRqYMEkBrJtzzuDvszdgJm92104ztSnBR/hM=
        -----END CERTIFICATE-----
        """

    /// An authority.
    static let top = """
        -----BEGIN CERTIFICATE-----
        MIIBQDCB5qADAgECAgIlVTAKBggqhkjOPQQDAjAOMQwwCgYDVQQDDAN0b3AwIBcN
        MjUwMTAxMDAwMDAwWhgPMjEyNTAxMDEwMDAwMDBaMA4xDDAKBgNVBAMMA3RvcDBZ
        MBMGByqGSM49AgEGCCqGSM49AwEHA0IABPqT67JsotJyxg4HDrCiS3tAT8RRJXM1
        3dyY6I8Z3vKRj8tJRfZyFqE43psqS2f7QKszWk1uQvOMhG7I48Pw9X+jMjAwMA8G
        A1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYEFNUoOZiotu/gORYBa+zkad8V4fXZMAoG
        CCqGSM49BAMCA0kAMEYCIQC3s0E1TQjFVwimBrjdVnp40WuixL/0lNeq3qTHVHuJ
        qAIhAINYCNqckfloUHTV0Z6oPJw9jjuZLRQM1rCwUOTvGU+V
        -----END CERTIFICATE-----
        """

    /// Signed by `top`; may sign certificates, and does not say that it is an authority (no basic constraints).
    static let oldAuthority = """
        -----BEGIN CERTIFICATE-----
        MIIBajCCARCgAwIBAgICIoAwCgYIKoZIzj0EAwIwDjEMMAoGA1UEAwwDdG9wMCAX
        DTI1MDEwMTAwMDAwMFoYDzIxMjUwMTAxMDAwMDAwWjAYMRYwFAYDVQQDDA1vbGQt
        YXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE1Fy1RxqbbvPmTIux
        z3QLkEw7CF/TEs5zz8tk+SeNClsxWDAL0sSW9bL5Cg2MCwWl03oJU1zsKSMptwxf
        Kon0caNSMFAwDgYDVR0PAQH/BAQDAgIEMB0GA1UdDgQWBBTPE6KJszv0H8Oe3JAE
        pjCWpuj/yzAfBgNVHSMEGDAWgBTVKDmYqLbv4DkWAWvs5GnfFeH12TAKBggqhkjO
        PQQDAgNIADBFAiArvBO9flSARVCE1548dFs4GVEqh289ArkWqazbmUcx2QIhAM4q
        StPfiQyKFim45REIetlX7n+c+jv4BjW0nqu7h7/q
        -----END CERTIFICATE-----
        """

    /// Signed by `oldAuthority`, for good.test.
    static let underOldAuthority = """
        -----BEGIN CERTIFICATE-----
        MIIBjjCCATSgAwIBAgICIiEwCgYIKoZIzj0EAwIwGDEWMBQGA1UEAwwNb2xkLWF1
        dGhvcml0eTAgFw0yNTAxMDEwMDAwMDBaGA8yMTI1MDEwMTAwMDAwMFowHjEcMBoG
        A1UEAwwTdW5kZXItb2xkLWF1dGhvcml0eTBZMBMGByqGSM49AgEGCCqGSM49AwEH
        A0IABFED8WnRJ+cgq/a5w9326Pe8aKUuktdJwNgcHLdoKMNHboRwOHso+kV+5vao
        nWCEU5tCvczBaXTuPRZGuRwfi1SjZjBkMBQGA1UdEQQNMAuCCWdvb2QudGVzdDAM
        BgNVHRMBAf8EAjAAMB0GA1UdDgQWBBQe3YYfqABl6/E+cPAVosH2uQkMTzAfBgNV
        HSMEGDAWgBTPE6KJszv0H8Oe3JAEpjCWpuj/yzAKBggqhkjOPQQDAgNIADBFAiEA
        2jmF66vDRoOQqXswsBw8LJXNE5CNJmCMu5wxEva4kUUCICZJizssXiL7Kmd385JU
        Ef6ZZQTaON6MhHGzGwoS/7eU
        -----END CERTIFICATE-----
        """

    /// Certificates, as a server would send them.
    static func chain(_ texts: String...) throws -> CertificateChain {
        try CertificateChain(reading: texts.map { Array($0.utf8) })
    }
}
