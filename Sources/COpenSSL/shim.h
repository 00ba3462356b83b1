#ifndef SUBLEDGER_COPENSSL_SHIM_H
#define SUBLEDGER_COPENSSL_SHIM_H

/* The low-level SHA-256 is marked deprecated in OpenSSL 3 without a replacement of the same speed;
 * where it is used, the measurement is written down. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/objects.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/pkcs7.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

/* Macros and variadic functions only, which Swift cannot call. No logic. */

static inline EVP_PKEY *subledger_generate_ec(const char *curve) { return EVP_EC_gen(curve); }

static inline EVP_PKEY *subledger_generate_rsa(unsigned int bits) { return EVP_RSA_gen(bits); }

static inline long subledger_bio_memory(BIO *bio, char **start) {
    return BIO_get_mem_data(bio, start);
}

static inline STACK_OF(X509) *subledger_x509_stack(void) { return sk_X509_new_null(); }

static inline int subledger_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate) {
    return sk_X509_push(stack, certificate);
}

static inline int subledger_x509_stack_count(const STACK_OF(X509) *stack) {
    return sk_X509_num(stack);
}

static inline X509 *subledger_x509_stack_at(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

/* Frees the stack, not the certificates in it. */
static inline void subledger_x509_stack_free(STACK_OF(X509) *stack) { sk_X509_free(stack); }

static inline int subledger_string_stack_count(const STACK_OF(OPENSSL_STRING) *stack) {
    return sk_OPENSSL_STRING_num(stack);
}

static inline const char *subledger_string_stack_at(
    const STACK_OF(OPENSSL_STRING) *stack, int index) {
    return sk_OPENSSL_STRING_value(stack, index);
}

#endif
