// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Names below which anybody may register (https://publicsuffix.org): libpsl's list, built into it.
#ifndef REACHD_CPUBLICSUFFIX_H
#define REACHD_CPUBLICSUFFIX_H

#include <stdint.h>

/// Whether a name in lower case is a registry's, such as `co.uk`; names that are not in the list are none. Any thread.
int32_t reachd_psl_is_registry(const char *_Nonnull name);

#endif
