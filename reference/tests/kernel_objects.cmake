# SPDX-License-Identifier: Apache-2.0
# Run as `cmake -DNM=<nm> -DOBJECTS=<list> -P kernel_objects.cmake`: fails where an object built for
# one instruction set defines a weak symbol. The linker may keep such a copy of an inline function
# for the whole program, which would then stop on processors without that set.
if(NOT OBJECTS)
  message(FATAL_ERROR "no object to look at")
endif()
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND "${NM}" -C --defined-only "${object}" OUTPUT_VARIABLE symbols
                  COMMAND_ERROR_IS_FATAL ANY)
  if(NOT symbols MATCHES "row_kernels_avx")
    message(FATAL_ERROR "${object} does not define its table of kernels")
  endif()
  string(REGEX MATCHALL "[0-9a-f]+ [WVwvu] [^\n]*" weak "${symbols}")
  list(FILTER weak EXCLUDE REGEX "DW\\.ref\\.|__odr_asan|asan\\.|__tsan")
  if(weak)
    list(JOIN weak "\n  " text)
    message(FATAL_ERROR "weak symbols in ${object}:\n  ${text}")
  endif()
endforeach()
