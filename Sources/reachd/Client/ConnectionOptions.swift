// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import BlockingHTTP
import Configuration
import LinuxIO
import Schema

/// How a service is asked once it is known where it is.
struct ConnectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The file of the access token (default: REACHD_TOKEN_FILE).", valueName: "file"),
        completion: .file()
    )
    var tokenFile: String?

    @Option(
        help: ArgumentHelp("Trusted authorities in place of the system's (PEM).", valueName: "file"),
        completion: .file()
    )
    var cacert: String?

    @Flag(help: "Accept any certificate; an attacker on the network can then read the token and forge answers.")
    var insecure = false

    @Option(help: ArgumentHelp("The timeout of a request.", valueName: "duration"))
    var timeout = "5s"

    /// A client of a service that is at one of these places.
    func client(_ places: [HTTPEndpoint], _ environment: [String: String]) throws(ServiceFault) -> ServiceClient {
        let duration: Duration
        do throws(ConfigurationDiagnostic) {
            duration = try OptionText.duration(timeout, option: "--timeout")
        } catch {
            throw ServiceFault(error.description, .usage)
        }
        let token = try token(environment)
        try readAuthorities()
        return ServiceClient(
            places.map { place in
                var client = BlockingHTTPClient(place, timeout: duration)
                client.authorities = cacert
                client.verifies = !insecure
                client.authorization = token.map { .bearer($0) }
                return client
            }
        )
    }

    /// libcurl would say of a file that cannot be read that the server is not trusted.
    private func readAuthorities() throws(ServiceFault) {
        guard let cacert else { return }
        do throws(SystemError) {
            // Opened and not read: what a pipe holds is there once.
            _ = try FileContents.read(cacert, limit: 0)
        } catch {
            throw ServiceFault("\(cacert) cannot be read: \(error)", .usage)
        }
    }

    private func token(_ environment: [String: String]) throws(ServiceFault) -> String? {
        let named = environment[EnvironmentVariables.tokenFile].flatMap { $0.isEmpty ? nil : $0 }
        guard let file = tokenFile ?? named else { return nil }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileContents.read(file, limit: 4_097)
        } catch {
            throw ServiceFault("cannot read the token file: \(error)", .usage)
        }
        let text = bytes.split { $0 <= 0x20 }
        guard bytes.count <= 4_096, text.count == 1, text[0].allSatisfy({ (0x21..<0x7F).contains($0) }) else {
            throw ServiceFault("\(file) must contain one line with a token in printable ASCII", .usage)
        }
        return String(decoding: text[0], as: UTF8.self)
    }
}
