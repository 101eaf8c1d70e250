// SPDX-License-Identifier: Apache-2.0
// The entry of libFuzzer for formats that are one JSON document.
#include "json_mutator.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  return chainwalk::format_fuzz::mutate_json(data, size, size_max, seed);
}
