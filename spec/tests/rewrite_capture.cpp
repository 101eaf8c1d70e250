// SPDX-License-Identifier: Apache-2.0
// rewrite_capture IN OUT: reads a capture and writes it again, for the check of interoperation with
// other safetensors libraries. Exit status 2 where the input is refused.
#include <exception>
#include <iostream>

#include "chainwalk/spec/capture.h"

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: rewrite_capture IN OUT\n";
    return 2;
  }
  try {
    chainwalk::write_capture(arguments[2], chainwalk::read_capture(arguments[1]));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
