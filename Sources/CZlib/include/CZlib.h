// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The parts of zlib that make gzip bodies of pieces and read gzip members. Any thread.
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

/// One member of a gzip body that is being read. One thread at a time.
typedef struct reachd_zlib_reader reachd_zlib_reader;

/// What reading came to.
enum reachd_zlib_reading {
    /// More bytes are wanted, or more room.
    reachd_zlib_goes_on,
    /// The member is complete, and its checksum is right.
    reachd_zlib_ended,
    /// This is not gzip, or its checksum is wrong.
    reachd_zlib_broken,
};

/// Begins to read a member; NULL without memory.
reachd_zlib_reader *_Nullable reachd_zlib_reader_create(void);
void reachd_zlib_reader_destroy(reachd_zlib_reader *_Nonnull reader);

/// Begins to read the next member.
void reachd_zlib_reader_reset(reachd_zlib_reader *_Nonnull reader);

/// Reads `count` bytes into a piece of `size`; both return what was used.
enum reachd_zlib_reading reachd_zlib_read(reachd_zlib_reader *_Nonnull reader, const uint8_t *_Nonnull bytes,
                                          size_t *_Nonnull count, uint8_t *_Nonnull piece, size_t *_Nonnull size);

#endif
