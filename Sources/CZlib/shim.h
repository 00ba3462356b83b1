#ifndef SUBLEDGER_CZLIB_SHIM_H
#define SUBLEDGER_CZLIB_SHIM_H

/* Input is const. */
#define ZLIB_CONST
#include <zlib.h>

/* A macro only, which Swift cannot call. No logic. 15 is the largest window, 16 is gzip alone. */

static inline int subledger_inflate_gzip(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

#endif
