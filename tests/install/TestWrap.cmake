# SPDX-License-Identifier: Apache-2.0
# Builds examples/wrap against the installed headers of BUILD with compiler CXX, in WORK, and runs
# the suite of CHAINWALK on it: the example conforms to its claim, with its planted fault it does not
# (and ARI-4 is named), and without a claim what it refuses counts.

function(run expected out)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE status
    OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL expected)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\ngave ${status}, not ${expected}:\n${text}")
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

function(must_say text part)
  string(FIND "${text}" "${part}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "'${part}' is not in:\n${text}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
run(0 text ${CMAKE_COMMAND} --install "${BUILD}" --prefix "${WORK}/prefix" --component headers)
set(flags -std=c++20 -O2 -ffp-contract=off -Wall -Wextra -Werror -shared -fPIC "-I${WORK}/prefix/include"
  "${SOURCE}/example.cpp")
run(0 text ${CXX} ${flags} -o example.so)
run(0 text ${CXX} ${flags} -DEXAMPLE_FORGETS_TO_RESTART -o broken.so)

run(0 text "${CHAINWALK}" conform --on ./example.so --claim bf16,none --report good)
must_say("${text}" "./example.so under specification")
must_say("${text}" "conforms:")
run(1 text "${CHAINWALK}" conform --on ./broken.so --claim bf16,none --report bad)
must_say("${text}" "no restart after an invalid LAST (ARI-4)")
run(1 text "${CHAINWALK}" conform --on ./example.so --report whole)
must_say("${text}" "unsupported")

run(0 text "${PYTHON}" "${SOURCE}/python_implementation.py" ./example.so)
must_say("${text}" "2 in every column")
