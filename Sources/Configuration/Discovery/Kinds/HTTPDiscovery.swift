// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import Discovery
import Probing
import Schema

extension DiscoveryKind {
    /// Lists of targets from HTTP servers.
    static let http = DiscoveryKind(
        "http",
        title: "an HTTP source",
        fields: [
            Field(
                "url",
                .text(.script),
                example: "https://inventory.example.org/targets",
                isRequired: true,
                synonyms: ["uri", "address", "endpoint"],
                "The URL of the list."
            ),
            Field(
                "refresh",
                .duration(milliseconds: 1_000...86_400_000),
                defaultValue: "1m",
                synonyms: ["refresh_interval", "interval"],
                "How often the list is requested."
            ),
            Field("timeout", .duration(milliseconds: 100...300_000), defaultValue: "10s", "The timeout of a request."),
        ] + SourceConnection.fields,
        example: "{ url: https://inventory.example.org/targets, auth: { token_file: /run/secrets/inventory } }",
        synonyms: ["http_sd", "http_sd_configs"],
        "Lists of targets that HTTP servers have, in the format of Prometheus' HTTP service discovery."
    ) { declaration in
        guard let text = declaration.object.text("url") else { return nil }
        let url: HTTPURL
        do throws(HTTPURLError) {
            url = try HTTPURL(text)
        } catch {
            declaration.add(.invalidValue, at: "url", error.message)
            return nil
        }
        if let flaw = url.hostFlaw { declaration.add(.invalidValue, at: "url", flaw.words, hint: flaw.hint) }
        var settings = HTTPSourceSettings(url: text.utf8.allSatisfy { $0 < 0x80 } ? text : url.text)
        if let refresh = declaration.object.duration("refresh") { settings.refresh = refresh }
        if let timeout = declaration.object.duration("timeout") { settings.timeout = timeout }
        let connection = SourceConnection(&declaration)
        settings.authorization = connection.authorization
        settings.authorities = connection.authorities
        settings.clientCertificate = connection.clientCertificate
        settings.clientKey = connection.clientKey
        settings.verifies = connection.verifies
        return HTTPDiscovery(settings: settings)
    }
}

/// A list of an HTTP server, read as a discovery file.
private struct HTTPDiscovery: DiscoverySourceSettings {
    let settings: HTTPSourceSettings

    func makeSource() -> any DiscoverySource {
        // The query may have a secret.
        let place = ConfigurationDiagnostic.Place.source(String(settings.url.prefix { $0 != "?" && $0 != "#" }))
        return HTTPSource(settings) { bytes throws(SourceError) in
            do throws(ConfigurationDiagnostics) {
                return try DiscoveryFileReader.items(json: bytes, place: place)
            } catch {
                throw SourceError(.malformed, error.diagnostics.first?.description ?? "the list cannot be read")
            }
        }
    }
}

/// The credentials and the TLS settings of a source's server.
struct SourceConnection {
    var authorization: HTTPAuthorization?
    var authorities: String?
    var clientCertificate: String?
    var clientKey: String?
    var verifies = true

    /// The keys `auth` and `tls`, with those keys of a probe's settings that sources have too.
    static let fields: [Field] = [
        Field(
            "auth",
            .object(HTTPCredentials.schema),
            example: "{ token_file: /run/secrets/inventory }",
            synonyms: ["basic_auth", "authorization", "bearer_token"],
            "The credentials for the server. Files are read for each request."
        ),
        Field(
            "tls",
            .object(
                ObjectSchema(
                    "TLS settings",
                    fields: ["ca_file", "cert_file", "key_file", "insecure_skip_verify"].compactMap(
                        TLSSettings.schema.field
                    )
                )
            ),
            example: "{ ca_file: /etc/ssl/certs/internal.pem }",
            synonyms: ["tls_config", "ssl"],
            "TLS settings."
        ),
    ]

    /// Reads ``fields``.
    init(_ declaration: inout MappingDiagnostics) {
        if let auth = declaration.object.object("auth") {
            switch (auth.text("user"), auth.text("password_file"), auth.text("token_file")) {
            case (let user?, let file?, nil): authorization = .basicFile(user: user, file: file)
            case (nil, nil, let file?): authorization = .bearerFile(file)
            case _ where auth.hasFaults: break
            default:
                declaration.add(
                    .conflict,
                    at: "auth",
                    "these keys are not valid credentials",
                    hint: "write user and password_file, or token_file"
                )
            }
        }
        guard let tls = declaration.object.object("tls") else { return }
        authorities = tls.text("ca_file")
        clientCertificate = tls.text("cert_file")
        clientKey = tls.text("key_file")
        verifies = tls.boolean("insecure_skip_verify") != true
    }
}
