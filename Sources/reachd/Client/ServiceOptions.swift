// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import BlockingHTTP
import Configuration

/// How a running service is found and asked, for every command that asks one.
struct ServiceOptions: ParsableArguments {
    @OptionGroup
    var configuration: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "The service: http://127.0.0.1:7532, https://NAME/BASE_PATH or unix:/run/reachd.sock.",
            discussion: "Default: REACHD_URL, else the configuration's listen address.",
            valueName: "url"
        )
    )
    var url: String?

    @OptionGroup
    var connection: ConnectionOptions

    /// A client of the service that is meant.
    ///
    /// - Throws: ``ExitStatus``, after it said why.
    func client() throws -> ServiceClient {
        do throws(ServiceFault) {
            return try found()
        } catch {
            throw error.report()
        }
    }

    /// The same, for callers with another form of error.
    func found() throws(ServiceFault) -> ServiceClient {
        let environment = ProcessEnvironment.variables()
        return try connection.client(try places(environment), environment)
    }

    private func places(_ environment: [String: String]) throws(ServiceFault) -> [HTTPEndpoint] {
        if let url { return [try ServiceEndpoints.place(url, option: "--url")] }
        if let url = environment[EnvironmentVariables.url], !url.isEmpty {
            return [try ServiceEndpoints.place(url, option: EnvironmentVariables.url)]
        }
        let loaded: LoadedConfiguration
        do throws(ConfigurationDiagnostics) {
            loaded = try ConfigurationLoader(environment: environment).load(file: configuration.path(environment))
        } catch {
            let words = "the configuration with the listen address is invalid"
            throw ServiceFault("\(words); see reachd validate, or pass --url", .configuration)
        }
        let places = ServiceEndpoints.places(of: loaded.configuration.http)
        guard !places.isEmpty else {
            let words = "the configuration has no fixed listen address; pass --url"
            throw ServiceFault(words, .usage)
        }
        return places
    }
}

extension CompletionKind {
    /// The ids of a running service's targets; nothing where none answers soon.
    static var targets: CompletionKind {
        .shellCommand("reachd targets --ids --timeout 500ms 2>/dev/null")
    }
}
