// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// libyaml's event parser, as its own header declares it. Nothing is added: the parser and its events are plain
/// structures that Swift reads directly.
#pragma once

#include <yaml.h>
