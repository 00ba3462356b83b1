#include "COpenAPI.h"

/* An array literal of this size takes the Swift compiler half a minute. */
#pragma clang diagnostic ignored "-Wc23-extensions"
static const unsigned char document[] = {
#embed "openapi.yaml"
};

const unsigned char *openapi_document(size_t *count) {
    *count = sizeof document;
    return document;
}
