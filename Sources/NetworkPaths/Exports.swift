// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

// Addresses are in this library's public interface and Addresses is not a product: `import NetworkPaths` must bring them.
@_exported public import Addresses
