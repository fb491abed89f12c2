// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import Asking
import Configuration
import LinuxIO
import Probing

/// How a running service is found and asked, for every command that asks one.
struct ServiceOptions: ParsableArguments {
    @OptionGroup(title: "Which service")
    var configuration: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "Where reachd is: http://127.0.0.1:7532, https://NAME/BASE_PATH or unix:/run/reachd.sock.",
            discussion: "Otherwise REACHD_URL, otherwise where the configuration makes it listen.",
            valueName: "url"
        )
    )
    var url: String?

    @Option(
        help: ArgumentHelp("The file of the token to show; REACHD_TOKEN_FILE names it otherwise.", valueName: "file"),
        completion: .file()
    )
    var tokenFile: String?

    @Option(
        help: ArgumentHelp("What is trusted in place of the system's authorities (PEM).", valueName: "file"),
        completion: .file()
    )
    var cacert: String?

    @Flag(help: "Believe any certificate: whoever is on the way can read the token, and lie.")
    var insecure = false

    @Option(help: ArgumentHelp("The time for an answer.", valueName: "duration"))
    var timeout = "5s"

    /// A client of the service that is meant.
    ///
    /// - Throws: ``ExitStatus``, after it said why.
    func client() throws -> ServiceClient {
        let environment = ProcessEnvironment.variables()
        let duration: Duration
        do throws(ConfigurationFault) {
            duration = try OptionText.duration(timeout, option: "--timeout")
        } catch {
            throw Complaint.tell(error.description, .usage)
        }
        let token = try token(environment)
        let askers = try places(environment).map { place in
            var asker = Asker(place, timeout: duration)
            asker.authorities = cacert
            asker.verifies = !insecure
            asker.token = token
            return asker
        }
        return ServiceClient(askers)
    }

    private func token(_ environment: [String: String]) throws -> String? {
        let named = environment[EnvironmentVariables.tokenFile].flatMap { $0.isEmpty ? nil : $0 }
        guard let file = tokenFile ?? named else { return nil }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileContents.read(file, limit: 4_097)
        } catch {
            throw Complaint.tell("the token's file cannot be read: \(error)", .usage)
        }
        let text = bytes.split { $0 <= 0x20 }
        guard bytes.count <= 4_096, text.count == 1, text[0].allSatisfy({ (0x21..<0x7F).contains($0) }) else {
            throw Complaint.tell("\(file) does not hold one token in printable ASCII", .usage)
        }
        return String(decoding: text[0], as: UTF8.self)
    }

    private func places(_ environment: [String: String]) throws -> [AskedPlace] {
        let named = environment[EnvironmentVariables.url].flatMap { $0.isEmpty ? nil : $0 }
        if let url = url ?? named {
            return [try ServicePlaces.place(url, option: url == self.url ? "--url" : "REACHD_URL")]
        }
        let loaded: LoadedConfiguration
        do throws(ConfigurationFaults) {
            loaded = try ConfigurationLoader(environment: environment).load(file: configuration.path(environment))
        } catch {
            let words =
                "the configuration, which says where reachd listens, has faults; see reachd validate, or write --url"
            throw Complaint.tell(words, .configuration)
        }
        let places = ServicePlaces.places(of: loaded.configuration.http)
        guard !places.isEmpty else {
            throw Complaint.tell(
                "the configuration names no address that is known before reachd runs; write --url",
                .usage
            )
        }
        return places
    }
}
