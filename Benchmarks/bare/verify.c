// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Measures how long OpenSSL alone takes to verify a TLS server's chain: without a report, stopping at the first error.
//
//     verify ANCHORS HOST ROUNDS LEAF [INTERMEDIATE ...]
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static X509 *read_certificate(const char *path) {
    FILE *file = fopen(path, "r");
    X509 *certificate = file == NULL ? NULL : PEM_read_X509(file, NULL, NULL, NULL);
    if (certificate == NULL) exit(2);
    fclose(file);
    return certificate;
}

static double microseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int compare(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

int main(int count, char **words) {
    if (count < 5) return 2;
    X509_STORE *store = X509_STORE_new();
    if (X509_STORE_load_file(store, words[1]) != 1) return 2;
    STACK_OF(X509) *others = sk_X509_new_null();
    X509 *leaf = read_certificate(words[4]);
    for (int index = 5; index < count; index++) sk_X509_push(others, read_certificate(words[index]));
    int rounds = atoi(words[3]);
    double *times = calloc((size_t)rounds, sizeof *times);
    for (int round = 0; round < rounds; round++) {
        double start = microseconds();
        X509_STORE_CTX *verification = X509_STORE_CTX_new();
        X509_STORE_CTX_init(verification, store, leaf, others);
        X509_STORE_CTX_set_default(verification, "ssl_server");
        X509_VERIFY_PARAM *rules = X509_STORE_CTX_get0_param(verification);
        X509_VERIFY_PARAM_set_time(rules, 1771113600);
        X509_VERIFY_PARAM_set1_host(rules, words[2], 0);
        if (X509_verify_cert(verification) != 1) return 1;
        X509_STORE_CTX_free(verification);
        times[round] = microseconds() - start;
    }
    qsort(times, (size_t)rounds, sizeof *times, compare);
    printf("%.2f\n", times[rounds / 2]);
}
