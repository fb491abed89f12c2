// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

// What Apple's framework brings along must come with `import Network` here too: the queues that updates are delivered on.
@_exported public import Dispatch
