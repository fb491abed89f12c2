// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a gRPC health service says of a service, `grpc.health.v1.HealthCheckResponse.ServingStatus`.
package enum HealthStatus: Int, Sendable, Hashable, CaseIterable {
    /// It does not know.
    case unknown = 0
    /// It serves.
    case serving = 1
    /// It does not.
    case notServing = 2
    /// There is no such service.
    case serviceUnknown = 3
}
