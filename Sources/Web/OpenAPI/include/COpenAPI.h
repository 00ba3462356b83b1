#ifndef SUBLEDGER_COPENAPI_H
#define SUBLEDGER_COPENAPI_H

#include <stddef.h>

/* The bytes of openapi.yaml; their number is put into *count. */
const unsigned char *openapi_document(size_t *count);

#endif
