# SPDX-License-Identifier: Apache-2.0
# Run as `cmake -DINPUT=<text> -DTEMPLATE=<.cpp.in> -DOUTPUT=<.cpp> -P EmbedText.cmake`: writes the
# template with @TEXT@ replaced by the text, for a raw string literal.
cmake_minimum_required(VERSION 3.25)
file(READ "${INPUT}" TEXT)
if(TEXT MATCHES "\\)CHAINWALK\"")
  message(FATAL_ERROR "${INPUT} contains the end of its own literal: )CHAINWALK\"")
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
