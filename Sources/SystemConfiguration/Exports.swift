// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

// What Apple's header brings along must come with `import SystemConfiguration` here too: run loops and strings, queues,
// `sockaddr_in` and its kin, and the flags.
@_exported public import CoreFoundation
@_exported public import Dispatch
// CoreFoundation's symbols live in Foundation's library on Linux; only this import makes the linker look there.
internal import Foundation
@_exported public import Glibc
@_exported public import NetworkPaths
