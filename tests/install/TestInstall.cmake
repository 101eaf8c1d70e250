# SPDX-License-Identifier: Apache-2.0
# Installs BUILD into an empty prefix under WORK, then configures, builds and runs the project in
# SOURCE against it with compiler CXX.

function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\ngave ${status}:\n${text}")
  endif()
  message("${text}")
endfunction()

file(REMOVE_RECURSE "${WORK}")
must(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${WORK}/prefix")
must(${CMAKE_COMMAND} -S "${SOURCE}" -B "${WORK}/build" -G Ninja -DCMAKE_CXX_COMPILER=${CXX}
  "-DCMAKE_PREFIX_PATH=${WORK}/prefix")
must(${CMAKE_COMMAND} --build "${WORK}/build" -j 2)
must("${WORK}/build/consumer")
if(NOT EXISTS "${WORK}/prefix/share/chainwalk/report.schema.json")
  message(FATAL_ERROR "the schema of reports is not installed")
endif()
