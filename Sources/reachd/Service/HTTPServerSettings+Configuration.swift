// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import HTTPServer
import Logging
import ReachAPI

extension HTTPServerSettings {
    /// What the configuration says, in the server's words.
    init(_ settings: HTTPSettings, listeners: ServiceListeners, logger: Logger) {
        self.init(listeners: listeners.listeners)
        connectionLimit = settings.connections
        connectionLimitPerAddress = settings.connectionsPerAddress
        headerLimit = settings.headerSize
        bodyLimit = settings.bodySize
        headerDeadline = settings.headerTimeout
        bodyDeadline = settings.bodyTimeout
        idleTimeout = settings.idleTimeout
        streamLimit = settings.maximumStreams
        heartbeat = settings.heartbeat
        streamStallTimeout = settings.stallTimeout
        self.logger = { logger.warning("\($0)") }
        refusal = { RequestHandler.refusal(status: $0, detail: $1) }
    }
}

extension APISettings {
    /// What the configuration says, in the interface's words.
    init(_ settings: HTTPSettings, listeners: ServiceListeners) {
        self.init()
        // What the configuration could not know of sockets that are handed over.
        let takesAny = listeners.takesStrangers && !settings.namesHosts
        hosts = takesAny ? .any : settings.allowedHosts.map { .loopback(also: $0) } ?? .any
        access = AccessRules(settings.access)
        basePath = settings.basePath
    }
}

extension AccessRules {
    /// What the configuration says, in the interface's words.
    init(_ settings: AccessSettings) {
        self.init(
            tokens: settings.tokens.map { token in
                let scopes: [AccessScope] = (token.mayRead ? [.read] : []) + (token.mayWrite ? [.write] : [])
                return AccessToken(name: token.name, digest: token.digest, scopes: Set(scopes))
            },
            origins: settings.origins,
            writesPerSecond: settings.writesPerSecond
        )
    }
}
