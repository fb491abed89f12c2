// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

/// Makes a configuration from a file, the environment and the command line; each overrides the previous one.
package struct ConfigurationLoader: Sendable {
    /// The largest allowed file, in bytes.
    package static let maximumSize = 16 << 20

    /// The environment, for references in the file and for the variables of ``EnvironmentVariables``.
    package let environment: [String: String]
    /// The settings of the command line.
    package let overrides: [ConfigurationOverride]
    /// The limits on YAML.
    package let limits: YAMLLimits

    /// Creates a loader.
    package init(
        environment: [String: String] = [:],
        overrides: [ConfigurationOverride] = [],
        limits: YAMLLimits = YAMLLimits()
    ) {
        self.environment = environment
        self.overrides = overrides
        self.limits = limits
    }

    /// Reads a file.
    ///
    /// - Parameter path: The file; nil for none, which leaves the defaults, the environment and the command line.
    /// - Throws: ``ConfigurationDiagnostics`` with everything that is wrong.
    package func load(file path: String?) throws(ConfigurationDiagnostics) -> LoadedConfiguration {
        guard let path else { return try load(bytes: [], path: "") }
        return try load(bytes: try BoundedFile.read(path, maximum: Self.maximumSize), path: path)
    }

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: The text, in UTF-8.
    ///   - path: The file's name in diagnostics.
    /// - Throws: ``ConfigurationDiagnostics`` with everything that is wrong.
    package func load(bytes: [UInt8], path: String) throws(ConfigurationDiagnostics) -> LoadedConfiguration {
        guard bytes.count <= Self.maximumSize else { throw BoundedFile.tooLarge(path, Self.maximumSize) }
        let root: YAMLNode?
        do throws(YAMLError) {
            root = try YAMLReader.read(bytes, limits: limits)
        } catch {
            throw ConfigurationDiagnostics([ConfigurationDiagnostic(error, path: path)])
        }
        var reader = SchemaReader(path: path, environment: environment, overrides: overridesByKey)
        let checked = reader.read(root, as: ConfigurationSchema.root)
        let configuration = ConfigurationAssembler(root: checked).assemble(&reader)
        if let diagnostics = reader.diagnostics.result(path: path) { throw diagnostics }
        let warnings = EnvironmentVariables.unknown(in: environment, referred: reader.referredVariables)
        return LoadedConfiguration(configuration: configuration, warnings: warnings)
    }

    private var overridesByKey: [String: ConfigurationOverride] {
        var byKey: [String: ConfigurationOverride] = [:]
        for override in EnvironmentVariables.overrides(in: environment) + overrides { byKey[override.key] = override }
        return byKey
    }
}

extension ConfigurationDiagnostic {
    package init(_ error: YAMLError, path: String) {
        let code: Code =
            switch error.code {
            case .syntax: .syntax
            case .unknownAnchor: .unknownAnchor
            case .tooDeep: .tooDeep
            case .tooLarge, .noMemory: .tooLarge
            case .severalDocuments: .severalDocuments
            }
        self.init(code, at: .file(path, error.position), error.message)
    }
}

/// A configuration with its warnings.
package struct LoadedConfiguration: Sendable, Hashable {
    /// The configuration.
    package let configuration: ReachdConfiguration
    /// Warnings, which do not prevent its use.
    package let warnings: [ConfigurationDiagnostic]
}
