// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

/// The environment variables for keys of the configuration.
///
/// The rule: `REACHD_`, then the dotted key in capitals with `_` for each dot. `log.level` is `REACHD_LOG_LEVEL`,
/// `events.max_streams` is `REACHD_EVENTS_MAX_STREAMS`. Keys with one or more values take them separated by commas;
/// lists of mappings (`targets`, `interfaces`, `connections`) have no variable. An empty variable counts as not set.
package enum EnvironmentVariables {
    /// The path of the configuration file; read by the command line, not by the configuration.
    package static let file = "REACHD_CONFIG"

    /// The URL of the service to query; read by the command line.
    package static let url = "REACHD_URL"
    /// The path of the file with the access token; read by the command line.
    package static let tokenFile = "REACHD_TOKEN_FILE"

    private static let prefix = "REACHD_"
    private static let others = [file, url, tokenFile]

    /// The dotted keys by the names of their variables.
    package static let keys: [String: String] = {
        var keys: [String: String] = [:]
        collect(ConfigurationSchema.root, above: "", into: &keys)
        return keys
    }()

    private static func collect(_ schema: ObjectSchema, above: String, into keys: inout [String: String]) {
        for field in schema.fields {
            let key = above + field.name
            // A section that only exists as a whole cannot be set in parts.
            if field.isOptionalSection { continue }
            if case .object(let inner) = field.type {
                collect(inner, above: key + ".", into: &keys)
            } else if field.type.takesScalar {
                keys[prefix + key.uppercased().replacing(".", with: "_")] = key
            }
        }
    }

    /// The values that the environment sets.
    static func overrides(in environment: [String: String]) -> [ConfigurationOverride] {
        keys.compactMap { name, key in
            guard let text = environment[name], !text.isEmpty else { return nil }
            return ConfigurationOverride(key: key, text: text, place: .environment(name))
        }
    }

    /// Variables that look like reachd's and are unknown: probably a typing error.
    ///
    /// Only a warning, since others may use the prefix. Kubernetes does, for a service called reachd: its variables are
    /// ignored, as are variables that the file refers to.
    static func unknown(in environment: [String: String], referred: Set<String>) -> [ConfigurationDiagnostic] {
        environment.keys.sorted().compactMap { name in
            guard name.hasPrefix(prefix), keys[name] == nil, !others.contains(name),
                !referred.contains(name), !isServiceLink(name)
            else { return nil }
            let nearest = NearestName.of(name, among: keys.keys.sorted() + others)
            return ConfigurationDiagnostic(
                .unknownVariable,
                at: .environment(name),
                "no key of the configuration has this variable",
                hint: nearest.map { "did you mean \($0)?" }
            )
        }
    }

    /// `REACHD_SERVICE_HOST`, `REACHD_PORT`, `REACHD_PORT_7532_TCP_ADDR` and the like.
    private static func isServiceLink(_ name: String) -> Bool {
        name.hasSuffix("_SERVICE_HOST") || name.contains("_SERVICE_PORT") || name.hasSuffix("_PORT")
            || name.contains("_PORT_")
    }
}

extension String {
    /// Foundation and the string processing library would cost megabytes for this one character.
    fileprivate func replacing(_ character: Character, with other: Character) -> String {
        String(map { $0 == character ? other : $0 })
    }
}

/// A value that overrides the file's.
package struct ConfigurationOverride: Sendable, Hashable {
    /// The dotted key: `log.level`.
    package let key: String
    /// The value as text; several of a list are separated by commas.
    package let text: String
    /// Its source.
    package let place: ConfigurationDiagnostic.Place

    /// Declares a value from the command line.
    ///
    /// - Parameters:
    ///   - key: The dotted key of a single value.
    ///   - text: The value.
    ///   - option: The option's name, for diagnostics: `--log-level`.
    package init(_ key: String, _ text: String, option: String) {
        self.init(key: key, text: text, place: .option(option))
    }

    init(key: String, text: String, place: ConfigurationDiagnostic.Place) {
        self.key = key
        self.text = text
        self.place = place
    }

    func scalar(_ text: String) -> ScalarText {
        ScalarText(text: text, raw: text, isBare: true, place: place)
    }
}
