# SPDX-License-Identifier: Apache-2.0
# Run as `cmake -DOBJDUMP=... -DLIBRARY=... -P integer_only.cmake`: disassembles a library and fails
# where an instruction computes, converts or compares floating-point numbers. Moves are no arithmetic.
cmake_minimum_required(VERSION 3.25)
if(NOT EXISTS "${OBJDUMP}")
  message(FATAL_ERROR "objdump was not found; Debian and Ubuntu have it in 'binutils'")
endif()
execute_process(COMMAND "${OBJDUMP}" -d --no-show-raw-insn "${LIBRARY}" OUTPUT_VARIABLE text
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "objdump failed on ${LIBRARY}: ${status}")
endif()
string(REGEX MATCHALL "\n +[0-9a-f]+:\t" instructions "${text}")
list(LENGTH instructions count)
if(count LESS 10)
  message(FATAL_ERROR "only ${count} instructions seen in ${LIBRARY}: objdump's output is not understood")
endif()
# x86: scalar and packed SSE or AVX arithmetic, fused or not, conversions, comparisons, and x87;
# AArch64: f-instructions other than fmov, and conversions from integers.
set(sse "v?(add|sub|mul|div|sqrt|rsqrt|rcp|min|max|cmp[a-z]*|u?comi|round|dp|hadd|hsub|addsub)[sp][sdh]")
set(other "vfn?m[a-z0-9]+|v?cvt[a-z0-9]+|f(i?add|i?sub|i?mul|i?div|ld|ild|i?st|sqrt|com|ucom|cmp|cvt|n?m)[a-z0-9]*|[su]cvtf")
string(REGEX MATCHALL "\n[^\n]*\t(${sse}|${other})[ \t][^\n]*" found "${text}")
list(LENGTH found bad)
if(bad GREATER 0)
  list(GET found 0 first)
  message(FATAL_ERROR "${bad} floating-point instructions in ${LIBRARY}; the first:${first}")
endif()
message(STATUS "${count} instructions in ${LIBRARY}, none of floating point")
