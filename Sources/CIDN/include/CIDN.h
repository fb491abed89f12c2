// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Domain names beyond ASCII, by libidn2: IDNA 2008 with the mapping of UTS 46.
#ifndef REACHD_CIDN_H
#define REACHD_CIDN_H

#include <stddef.h>
#include <stdint.h>

/// Writes the ASCII form of a name in UTF-8, which ends with a zero byte. Returns 0 for a name that has none, or one that does not fit.
/// Any thread.
///
/// The transitional mapping knows symbols too, and turns `ß` into `ss`.
int32_t reachd_idn_to_ascii(const char *_Nonnull name, int32_t is_transitional, char *_Nonnull ascii, size_t size);

#endif
