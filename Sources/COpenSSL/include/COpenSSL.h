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

/// The version of OpenSSL that is loaded, as `3.0.19`; static. Any thread.
const char *_Nonnull reachd_tls_library_version(void);

// MARK: What a session came to

/// The protocol's name, `TLSv1.3`; lives for ever.
const char *_Nonnull reachd_tls_version(const struct ssl_st *_Nonnull session);

/// The cipher suite's name, or NULL before there is one; lives for ever.
const char *_Nullable reachd_tls_cipher(const struct ssl_st *_Nonnull session);

/// The protocol that was agreed on (RFC 7301): its bytes, borrowed from the session; NULL for none.
const uint8_t *_Nullable reachd_tls_alpn(const struct ssl_st *_Nonnull session, size_t *_Nonnull count);

/// The certificates that the server sent, its own first; borrowed from the session; NULL for none.
const struct stack_st_X509 *_Nullable reachd_tls_peer_chain(const struct ssl_st *_Nonnull session);

/// What a server stapled to its handshake (RFC 6066, section 8; RFC 6960).
struct reachd_tls_staple {
    /// Whether there was anything.
    int32_t is_there;
    /// The responder's status, 0 for success; -1: it cannot be read.
    int32_t response;
    /// The certificate's status: 0 good, 1 revoked, 2 unknown; -1: the response does not speak of this certificate.
    int32_t status;
    /// When this was so, when there will be news, and since when the certificate is revoked, in seconds since 1970;
    /// INT64_MIN: it does not say.
    int64_t this_update;
    int64_t next_update;
    int64_t revoked;
};

/// Reads what a session has stapled for the first certificate of a list; it is not verified.
struct reachd_tls_staple reachd_tls_read_staple(const struct ssl_st *_Nonnull session,
                                                const struct stack_st_X509 *_Nonnull chain);

/// Reads an OCSP response for the first certificate of a list, which is known by its serial number.
struct reachd_tls_staple reachd_tls_read_response(const uint8_t *_Nonnull bytes, size_t count,
                                                  const struct stack_st_X509 *_Nonnull chain);

// MARK: Certificates

/// How many there are.
size_t reachd_tls_chain_count(const struct stack_st_X509 *_Nonnull chain);

/// One of them, borrowed from the list; NULL when there are not so many.
const struct x509_st *_Nullable reachd_tls_chain_certificate(const struct stack_st_X509 *_Nonnull chain, size_t index);

/// SHA-256 of all certificates (DER), one after the other; `digest` has 32 bytes. Returns 0 when there is no memory.
int32_t reachd_tls_chain_digest(const struct stack_st_X509 *_Nonnull chain, uint8_t *_Nonnull digest);

/// Makes an empty list; NULL when there is no memory. The caller frees it.
struct stack_st_X509 *_Nullable reachd_tls_chain_create(void);

/// Makes a list of the same certificates, which both hold; NULL when there is no memory. The caller frees it.
struct stack_st_X509 *_Nullable reachd_tls_chain_copy(const struct stack_st_X509 *_Nonnull chain);

/// Gives a list back; whoever else holds its certificates keeps them.
void reachd_tls_chain_free(struct stack_st_X509 *_Nullable chain);

/// Adds the one certificate (DER) that the bytes are. Returns 0 when they are none, or have more behind it.
int32_t reachd_tls_chain_add_der(struct stack_st_X509 *_Nonnull chain, const uint8_t *_Nonnull bytes, size_t count);

/// Adds the certificates of a PEM text. Returns how many, or -1 when a part of it is no certificate.
int32_t reachd_tls_chain_add_pem(struct stack_st_X509 *_Nonnull chain, const uint8_t *_Nonnull bytes, size_t count);

/// The certificate's DER: at most `size` bytes are written when all fit. Returns how many there are, 0 without memory.
size_t reachd_tls_der(const struct x509_st *_Nonnull certificate, uint8_t *_Nullable bytes, size_t size);

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

/// What else a certificate says of itself, for a policy to judge.
struct reachd_tls_facts {
    /// The key's algorithm, `RSA`, `EC`, `ED25519`; lives for ever; NULL when the key cannot be read.
    const char *_Nullable key;
    int32_t key_bits;
    /// The signature's algorithm, `ecdsa-with-SHA256`; lives for ever.
    const char *_Nonnull signature;
    /// How strong the signature is, in bits (NIST SP 800-57); below 0 when that is not known.
    int32_t signature_strength;
    /// What the key may be used for (`reachd_tls_usage`); UINT32_MAX: the certificate does not say.
    uint32_t usage;
    /// What the certificate is for (`reachd_tls_purpose`); UINT32_MAX: it does not say.
    uint32_t purposes;
    /// 1: it says that it is an authority's; 0: it is not; others: it does not say, and has other signs of it.
    int32_t authority;
    /// Whether subject and issuer are one.
    int32_t is_self_issued;
};

/// What a key may be used for (RFC 5280, section 4.2.1.3).
enum reachd_tls_usage {
    reachd_tls_usage_digital_signature = 0x80,
    reachd_tls_usage_key_encipherment = 0x20,
    reachd_tls_usage_key_agreement = 0x08,
};

/// What a certificate is for (RFC 5280, section 4.2.1.12).
enum reachd_tls_purpose {
    reachd_tls_purpose_server = 0x1,
    /// Server Gated Cryptography, from the time of export restrictions.
    reachd_tls_purpose_gated = 0x10,
    reachd_tls_purpose_any = 0x100,
};

/// Reads them.
struct reachd_tls_facts reachd_tls_read_facts(const struct x509_st *_Nonnull certificate);

/// Whether the certificate is for a host; `name` gets the name in it that fits, if it has room with a zero byte.
/// `rules` are of `reachd_tls_name_rule`.
int32_t reachd_tls_is_for_host(const struct x509_st *_Nonnull certificate, const char *_Nonnull host, uint32_t rules,
                               char *_Nonnull name, size_t size);

/// How names are compared: none, or several added up.
enum reachd_tls_name_rule {
    /// A common name counts when there is no DNS name.
    reachd_tls_name_rule_common_name = 1,
    /// No wildcards.
    reachd_tls_name_rule_exact = 2,
};

/// Whether the certificate is for an address of 4 or 16 bytes.
int32_t reachd_tls_is_for_address(const struct x509_st *_Nonnull certificate, const uint8_t *_Nonnull address,
                                  size_t size);

/// SHA-256 of bytes; `digest` has 32 bytes. Returns 0 when there is no memory.
int32_t reachd_tls_sha256(const uint8_t *_Nonnull bytes, size_t count, uint8_t *_Nonnull digest);

// MARK: Trust

/// What can be wrong with a chain: OpenSSL's `X509_V_ERR_…` that mean something to us; others are passed on as they are.
enum reachd_tls_problem {
    reachd_tls_problem_none = 0,
    reachd_tls_problem_no_issuer = 2,
    reachd_tls_problem_signature = 7,
    reachd_tls_problem_not_yet_valid = 9,
    reachd_tls_problem_expired = 10,
    reachd_tls_problem_no_memory = 17,
    reachd_tls_problem_self_signed = 18,
    reachd_tls_problem_self_signed_in_chain = 19,
    reachd_tls_problem_no_local_issuer = 20,
    reachd_tls_problem_leaf_signature = 21,
    reachd_tls_problem_chain_too_long = 22,
    reachd_tls_problem_no_authority = 79,
    reachd_tls_problem_path_length = 25,
    reachd_tls_problem_purpose = 26,
    reachd_tls_problem_untrusted = 27,
    reachd_tls_problem_no_certificate_signing = 32,
    reachd_tls_problem_critical_extension = 34,
    reachd_tls_problem_not_permitted = 47,
    reachd_tls_problem_excluded = 48,
    reachd_tls_problem_subtree_bounds = 49,
    reachd_tls_problem_application = 50,
    reachd_tls_problem_constraint_type = 51,
    reachd_tls_problem_constraint_syntax = 52,
    reachd_tls_problem_name_syntax = 53,
    reachd_tls_problem_host_mismatch = 62,
    reachd_tls_problem_address_mismatch = 64,
    reachd_tls_problem_weak_key = 66,
    reachd_tls_problem_weak_digest = 68,
};

/// OpenSSL's words for a problem; they live for ever.
const char *_Nonnull reachd_tls_problem_words(int32_t problem);

/// Makes an empty store; NULL when there is no memory. The caller frees it.
struct x509_store_st *_Nullable reachd_tls_store_create(void);

/// Gives a store back; whoever else holds it keeps it.
void reachd_tls_store_free(struct x509_store_st *_Nullable store);

/// Adds the certificates of a PEM text, those with OpenSSL's settings of trust too. Returns how many, or -1 when a part
/// of it is no certificate.
int32_t reachd_tls_store_add(struct x509_store_st *_Nonnull store, const uint8_t *_Nonnull bytes, size_t count);

/// Adds the certificates of a list. Returns 0 when there is no memory.
int32_t reachd_tls_store_add_chain(struct x509_store_st *_Nonnull store, const struct stack_st_X509 *_Nonnull chain);

/// Adds what the system trusts: the file and the directory below. Files that are missing are no error. Reads files, and
/// later verifications may read further ones from the directory.
void reachd_tls_store_add_system(struct x509_store_st *_Nonnull store);

/// The system's file of trusted certificates, or the one that `SSL_CERT_FILE` names; valid until the environment changes.
const char *_Nonnull reachd_tls_system_file(void);

/// The system's directory of trusted certificates, or those that `SSL_CERT_DIR` names, with colons between them; valid
/// until the environment changes.
const char *_Nonnull reachd_tls_system_directories(void);

/// When a list of certificates ends, and between which times nothing in it becomes valid or invalid.
struct reachd_tls_dates {
    /// When the first certificate expires; INT64_MAX without one.
    int64_t expiry;
    /// No certificate becomes valid or invalid from here (inclusive) ...
    int64_t stable_from;
    /// ... until here (exclusive).
    int64_t stable_until;
};

/// Reads the dates of a list as they are around a time, in seconds since 1970.
struct reachd_tls_dates reachd_tls_chain_dates(const struct stack_st_X509 *_Nonnull chain, int64_t time);

/// Builds the path from the first certificate of a list to a trusted one, and tells everything that is wrong with it,
/// not only the first thing; `depth` is the place in the path, 0 for the first certificate. Each certificate of the store
/// is trusted by itself, be it a root or not. Neither names nor purposes nor strengths are looked at.
///
/// Returns the path, as far as there is one; NULL when nothing could be verified, for want of memory, or was, because there
/// are more names and constraints in it than anybody needs. The caller frees it.
struct stack_st_X509 *_Nullable reachd_tls_verify(const struct stack_st_X509 *_Nonnull chain,
                                                  struct x509_store_st *_Nonnull store, int64_t time,
                                                  void *_Nullable context,
                                                  void (*_Nonnull each)(void *_Nullable context, int32_t problem,
                                                                        int32_t depth));

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
/// and `check` is called with `argument` in its handshakes. The argument must live as long as they do. Once for a context.
/// Returns 0 when it cannot be done; the context must not be used then.
int32_t reachd_tls_context_lend(struct ssl_ctx_st *_Nonnull context, struct ssl_ctx_st *_Nonnull other,
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

/// How many bytes the connection has taken from its socket.
size_t reachd_tls_received(const reachd_tls_connection *_Nonnull connection);

/// Whether the server sent a session ticket, which it does after it accepted the handshake.
int32_t reachd_tls_has_ticket(const reachd_tls_connection *_Nonnull connection);

/// An alert's name, `handshake failure`; lives for ever.
const char *_Nonnull reachd_tls_alert_words(int32_t number);

#endif
