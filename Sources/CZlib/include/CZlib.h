// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The part of zlib that makes gzip bodies of pieces. Any thread; nothing is kept between calls.
#ifndef REACHD_CZLIB_H
#define REACHD_CZLIB_H

#include <stddef.h>
#include <stdint.h>

/// How many bytes a piece of `count` bytes has at most when it is compressed.
size_t reachd_zlib_bound(size_t count);

/// Compresses a piece (RFC 1951) so that it ends with a byte, is not the stream's last, and refers to nothing before it:
/// such pieces may follow each other in any order. `size` is at least `reachd_zlib_bound(count)`. Returns how many bytes
/// were written, 0 without memory.
size_t reachd_zlib_deflate(const uint8_t *_Nonnull bytes, size_t count, uint8_t *_Nonnull piece, size_t size);

/// The checksum of bytes (RFC 1952, section 2.3.1).
uint32_t reachd_zlib_checksum(const uint8_t *_Nonnull bytes, size_t count);

/// The checksum of two pieces, one behind the other, of their checksums.
uint32_t reachd_zlib_combine(uint32_t first, uint32_t second, size_t second_count);

#endif
