#ifndef SUBLEDGER_LIBFUZZER_SHIM_H
#define SUBLEDGER_LIBFUZZER_SHIM_H

#include <stddef.h>
#include <stdint.h>

// The compiler ships libFuzzer without a header for its entry point (LLVM, LibFuzzer.rst,
// "Using libFuzzer as a library"): this is its whole interface.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
