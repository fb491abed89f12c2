// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The part of OpenSSL that probes use, without OpenSSL's headers: they are macros for the most part, which Swift cannot
// import. OpenSSL's own objects appear as incomplete types, so that one that another library made (libcurl's `SSL *`)
// can be read here. No policy is here: whom to trust, what a problem means, what to tell is decided in Swift.
//
// Any thread, one at a time for an object, unless said otherwise. No function reads a file but
// `reachd_tls_store_add_system`, none blocks and none asks anybody for a password.
#ifndef REACHD_COPENSSL_H
#define REACHD_COPENSSL_H

#include <stddef.h>
#include <stdint.h>

/// A TLS session, `SSL`.
struct ssl_st;
/// What sessions have in common, `SSL_CTX`.
struct ssl_ctx_st;
/// A certificate, `X509`.
struct x509_st;
/// The certificates that are trusted, `X509_STORE`.
struct x509_store_st;
/// A list of certificates, `STACK_OF(X509)`.
struct stack_st_X509;

// MARK: What a session came to

/// The protocol's name, `TLSv1.3`; lives for ever.
const char *_Nonnull reachd_tls_version(const struct ssl_st *_Nonnull session);

/// The cipher suite's name, or NULL before there is one; lives for ever.
const char *_Nullable reachd_tls_cipher(const struct ssl_st *_Nonnull session);

/// The protocol that was agreed on (RFC 7301): its bytes, borrowed from the session; NULL for none.
const uint8_t *_Nullable reachd_tls_alpn(const struct ssl_st *_Nonnull session, size_t *_Nonnull count);

/// The certificates that the server sent, its own first; borrowed from the session; NULL for none.
const struct stack_st_X509 *_Nullable reachd_tls_peer_chain(const struct ssl_st *_Nonnull session);

/// The chain up to a trusted certificate that OpenSSL's own verification built; borrowed; NULL for none.
const struct stack_st_X509 *_Nullable reachd_tls_verified_chain(const struct ssl_st *_Nonnull session);

/// What OpenSSL's own verification came to: `reachd_tls_problem`, or another `X509_V_ERR_…`.
int32_t reachd_tls_verify_result(const struct ssl_st *_Nonnull session);

// MARK: Certificates

/// How many there are.
size_t reachd_tls_chain_count(const struct stack_st_X509 *_Nonnull chain);

/// One of them, borrowed from the list; NULL when there are not so many.
const struct x509_st *_Nullable reachd_tls_chain_certificate(const struct stack_st_X509 *_Nonnull chain, size_t index);

/// SHA-256 of all certificates (DER), one after the other; `digest` has 32 bytes. Returns 0 when there is no memory.
int32_t reachd_tls_chain_digest(const struct stack_st_X509 *_Nonnull chain, uint8_t *_Nonnull digest);

/// SHA-256 of the certificate (DER); 32 bytes. Returns 0 when there is no memory.
int32_t reachd_tls_fingerprint(const struct x509_st *_Nonnull certificate, uint8_t *_Nonnull digest);

/// SHA-256 of the public key with its algorithm (SubjectPublicKeyInfo, DER), as RFC 7469 pins it; 32 bytes.
/// Returns 0 when there is no memory or no key.
int32_t reachd_tls_public_key_digest(const struct x509_st *_Nonnull certificate, uint8_t *_Nonnull digest);

/// The subject as RFC 2253 writes it, everything but printable ASCII escaped. At most `size` bytes are written, without
/// a zero byte. Returns how many there are in all.
size_t reachd_tls_subject(const struct x509_st *_Nonnull certificate, uint8_t *_Nonnull text, size_t size);

/// As `reachd_tls_subject`, of the issuer.
size_t reachd_tls_issuer(const struct x509_st *_Nonnull certificate, uint8_t *_Nonnull text, size_t size);

/// The serial number's bytes, most significant first, borrowed from the certificate.
const uint8_t *_Nullable reachd_tls_serial(const struct x509_st *_Nonnull certificate, size_t *_Nonnull count,
                                          int32_t *_Nonnull is_negative);

/// The time from and until which the certificate is valid, in seconds since 1970. Returns 0 when one cannot be read.
int32_t reachd_tls_validity(const struct x509_st *_Nonnull certificate, int64_t *_Nonnull not_before,
                            int64_t *_Nonnull not_after);

/// What kind of subject alternative name it is.
enum reachd_tls_name_kind {
    reachd_tls_name_dns = 0,
    reachd_tls_name_address = 1,
    reachd_tls_name_uri = 2,
    reachd_tls_name_email = 3,
};

/// Tells the first `limit` subject alternative names of those kinds; the bytes are valid during the call.
/// Returns how many there are in all.
size_t reachd_tls_names(const struct x509_st *_Nonnull certificate, size_t limit, void *_Nullable context,
                        void (*_Nonnull each)(void *_Nullable context, int32_t kind, const uint8_t *_Nonnull bytes,
                                              size_t count));

// MARK: Trust

/// What can be wrong with a chain: OpenSSL's `X509_V_ERR_…` that mean something to us; others are passed on as they are.
enum reachd_tls_problem {
    reachd_tls_problem_none = 0,
    reachd_tls_problem_no_issuer = 2,
    reachd_tls_problem_not_yet_valid = 9,
    reachd_tls_problem_expired = 10,
    reachd_tls_problem_no_memory = 17,
    reachd_tls_problem_self_signed = 18,
    reachd_tls_problem_self_signed_in_chain = 19,
    reachd_tls_problem_no_local_issuer = 20,
    reachd_tls_problem_leaf_signature = 21,
    reachd_tls_problem_host_mismatch = 62,
    reachd_tls_problem_address_mismatch = 64,
};

/// OpenSSL's words for a problem; they live for ever.
const char *_Nonnull reachd_tls_problem_words(int32_t problem);

/// Makes an empty store; NULL when there is no memory. The caller frees it.
struct x509_store_st *_Nullable reachd_tls_store_create(void);

/// Gives a store back; whoever else holds it keeps it.
void reachd_tls_store_free(struct x509_store_st *_Nullable store);

/// Adds the certificates of a PEM text. Returns how many, or -1 when a part of it is no certificate.
int32_t reachd_tls_store_add(struct x509_store_st *_Nonnull store, const uint8_t *_Nonnull bytes, size_t count);

/// Adds what the system trusts: the file and the directory below. Files that are missing are no error. Reads files, and
/// later verifications may read further ones from the directory.
void reachd_tls_store_add_system(struct x509_store_st *_Nonnull store);

/// The system's file of trusted certificates, unless the variable below names another; lives for ever.
const char *_Nonnull reachd_tls_system_file(void);
/// The environment variable that names another file.
const char *_Nonnull reachd_tls_system_file_variable(void);
/// The system's directory of trusted certificates, unless the variable below names another; lives for ever.
const char *_Nonnull reachd_tls_system_directory(void);
/// The environment variable that names another directory.
const char *_Nonnull reachd_tls_system_directory_variable(void);

/// What to verify a chain against.
struct reachd_tls_expectation {
    /// The trusted certificates; each is trusted by itself, be it a root or not.
    struct x509_store_st *_Nonnull store;
    /// The host name that the first certificate must be for, or NULL.
    const char *_Nullable host;
    /// The address that it must be for, 4 or 16 bytes, or NULL.
    const uint8_t *_Nullable address;
    size_t address_size;
    /// The time to verify at, seconds since 1970.
    int64_t time;
    /// OpenSSL's security level, which sets how strong keys and signatures must be.
    int32_t security_level;
};

/// What a verification found besides the problems.
struct reachd_tls_finding {
    /// When the first certificate of the verified chain expires; INT64_MAX without one.
    int64_t expiry;
    /// No certificate becomes valid or invalid from here (inclusive) ...
    int64_t stable_from;
    /// ... until here (exclusive): the same chain verifies the same way.
    int64_t stable_until;
};

/// Verifies a chain as a server's, and tells everything that is wrong with it, not only the first thing; `depth` is the
/// place in the verified chain, 0 for the server's own. Returns whether nothing is.
int32_t reachd_tls_verify(const struct stack_st_X509 *_Nonnull chain,
                          const struct reachd_tls_expectation *_Nonnull expectation,
                          struct reachd_tls_finding *_Nonnull finding, void *_Nullable context,
                          void (*_Nonnull each)(void *_Nullable context, int32_t problem, int32_t depth));

// MARK: Contexts

/// Called in a handshake, on its thread, with the chain that the server sent; takes the place of OpenSSL's own
/// verification. Returns a problem, which ends the handshake with a fitting alert, or `reachd_tls_problem_none`.
typedef int32_t (*reachd_tls_check)(void *_Nonnull argument, const struct stack_st_X509 *_Nonnull chain);

/// The versions by their numbers on the wire.
enum reachd_tls_version_number {
    reachd_tls_1_0 = 0x301,
    reachd_tls_1_1 = 0x302,
    reachd_tls_1_2 = 0x303,
    reachd_tls_1_3 = 0x304,
};

/// Makes a context for clients; NULL when the versions or the protocols (as RFC 7301 writes them) are not possible, or
/// there is no memory. The caller frees it. Every session of it needs a check.
struct ssl_ctx_st *_Nullable reachd_tls_context_create(int32_t minimum, int32_t maximum, int32_t security_level,
                                                      const uint8_t *_Nullable protocols, size_t count,
                                                      reachd_tls_check _Nonnull check);

/// Gives a context back; sessions keep it as long as they need it.
void reachd_tls_context_free(struct ssl_ctx_st *_Nullable context);

/// What became of a certificate and its key.
enum reachd_tls_identity_status {
    reachd_tls_identity_taken = 0,
    reachd_tls_identity_bad_certificate = 1,
    reachd_tls_identity_bad_key = 2,
    reachd_tls_identity_mismatch = 3,
};

/// Sets the certificate, followed by those that lead to its authority, and the key that a server is shown; both PEM, the
/// key without a password.
int32_t reachd_tls_context_set_identity(struct ssl_ctx_st *_Nonnull context, const uint8_t *_Nonnull certificate,
                                        size_t certificate_size, const uint8_t *_Nonnull key, size_t key_size);

/// Makes another library's context work as one of ours: its versions, its security level and its identity become ours,
/// and `check` is called with `argument` in its handshakes. The argument must live as long as they do.
void reachd_tls_context_lend(struct ssl_ctx_st *_Nonnull context, struct ssl_ctx_st *_Nonnull other,
                             reachd_tls_check _Nonnull check, void *_Nonnull argument);

// MARK: Connections

/// A session over a socket.
typedef struct reachd_tls_connection reachd_tls_connection;

/// What a step of a connection came to.
enum reachd_tls_status {
    /// It was done.
    reachd_tls_done = 0,
    /// The socket must become readable first.
    reachd_tls_wants_read = 1,
    /// The socket must become writable first.
    reachd_tls_wants_write = 2,
    /// The peer ended the connection, or TLS on it.
    reachd_tls_ended = 3,
    /// A system call failed; the code is its errno.
    reachd_tls_system = 4,
    /// The peer sent an alert that ends everything; the code is its number (RFC 8446, section 6).
    reachd_tls_alert = 5,
    /// Our check refused the chain.
    reachd_tls_refused = 6,
    /// There is no version or cipher that both sides allow.
    reachd_tls_no_version = 7,
    /// Everything else; the words say what.
    reachd_tls_failed = 8,
};

struct reachd_tls_step {
    int32_t status;
    int32_t code;
    /// Bytes that were moved; may be more than none beside another status than done.
    size_t count;
    /// OpenSSL's words, or NULL; they live for ever.
    const char *_Nullable words;
};

/// Makes a client's session over a connected, non-blocking socket, which stays the caller's and must outlive it.
/// `server_name` is told to the server; NULL tells none. `argument` is handed to the context's check. NULL when there is
/// no memory or the name is not possible. The caller frees it.
reachd_tls_connection *_Nullable reachd_tls_connection_create(struct ssl_ctx_st *_Nonnull context, int32_t descriptor,
                                                             const char *_Nullable server_name,
                                                             void *_Nonnull argument);

/// Frees a connection, without a word to the peer.
void reachd_tls_connection_free(reachd_tls_connection *_Nullable connection);

/// The session, borrowed.
struct ssl_st *_Nonnull reachd_tls_connection_session(reachd_tls_connection *_Nonnull connection);

/// Goes on with the handshake. Like the two below it takes at most 64 KiB from the socket a call.
struct reachd_tls_step reachd_tls_handshake(reachd_tls_connection *_Nonnull connection);

/// Reads what there is.
struct reachd_tls_step reachd_tls_read(reachd_tls_connection *_Nonnull connection, uint8_t *_Nonnull bytes, size_t size);

/// Writes what the socket takes.
struct reachd_tls_step reachd_tls_write(reachd_tls_connection *_Nonnull connection, const uint8_t *_Nonnull bytes,
                                        size_t count);

/// Tells the peer that we send no more, if the socket takes it now.
void reachd_tls_say_goodbye(reachd_tls_connection *_Nonnull connection);

/// Whether the server asked for a certificate.
int32_t reachd_tls_was_asked_for_identity(const reachd_tls_connection *_Nonnull connection);

/// Whether the server sent a session ticket, which it does after it accepted the handshake.
int32_t reachd_tls_has_ticket(const reachd_tls_connection *_Nonnull connection);

/// An alert's name, `handshake failure`; lives for ever.
const char *_Nonnull reachd_tls_alert_words(int32_t number);

#endif
