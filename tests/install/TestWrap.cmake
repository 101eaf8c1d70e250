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

# A failure as a test that stands alone convicts the broken kernel and passes the good one.
file(GLOB replays "${WORK}/bad/replay_*.safetensors")
list(GET replays 0 replay)
run(0 text "${CHAINWALK}" export "${replay}" --as cpp -o walk_test.cpp)
run(0 text ${CXX} -std=c++17 -Wall -Wextra -Werror "-I${WORK}/prefix/include" walk_test.cpp -o walk_test -ldl)
run(1 text ./walk_test ./broken.so)
must_say("${text}" "different: bank row ")
run(0 text ./walk_test ./example.so)
must_say("${text}" "equal")
run(2 text ./walk_test ./example.so speed=1)
must_say("${text}" "it takes no options")
run(2 text ./walk_test ./none.so)
run(0 text "${CHAINWALK}" export "${replay}" --as python -o walk_test.py)
run(1 text "${PYTHON}" walk_test.py ./broken.so)
must_say("${text}" "different: bank row ")
run(0 text "${PYTHON}" walk_test.py ./example.so)
must_say("${text}" "equal")
run(2 text "${PYTHON}" walk_test.py ./none.so)
# The CUDA form is compiled against a runtime of declarations: no toolkit is needed, and it refuses
# memory of another kind before it would allocate any.
run(0 text "${CHAINWALK}" export "${replay}" --as cuda -o walk_test.cu)
file(WRITE "${WORK}/cuda/cuda_runtime.h" "#include <cstddef>
enum cudaError_t { cudaSuccess }; enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
inline const char* cudaGetErrorString(cudaError_t) { return \"\"; }
inline cudaError_t cudaMalloc(void**, std::size_t) { return cudaSuccess; }
inline cudaError_t cudaMemcpy(void*, const void*, std::size_t, cudaMemcpyKind) { return cudaSuccess; }
")
run(0 text ${CXX} -x c++ -std=c++17 "-I${WORK}/prefix/include" "-I${WORK}/cuda" walk_test.cu -o walk_test_cuda -ldl)
run(2 text ./walk_test_cuda ./example.so)
must_say("${text}" "it asks for another kind of memory")

# With a toolkit it is compiled by it, and so is the example; where there is a GPU both run there.
if(NVCC)
  run(0 text "${NVCC}" -std=c++17 "-I${WORK}/prefix/include" walk_test.cu -o walk_test_gpu)
  set(gpu_flags -x cu -std=c++20 -O2 -shared -Xcompiler -fPIC "-I${WORK}/prefix/include" "${SOURCE}/example.cpp")
  run(0 text "${NVCC}" ${gpu_flags} -o example_gpu.so)
  run(2 text ./walk_test_gpu ./example.so)
  must_say("${text}" "it asks for another kind of memory")
  execute_process(COMMAND ./walk_test_gpu ./example_gpu.so WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE status
    OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(status EQUAL 0)
    run(0 text "${NVCC}" ${gpu_flags} -DEXAMPLE_FORGETS_TO_RESTART -o broken_gpu.so)
    run(1 text ./walk_test_gpu ./broken_gpu.so)
    must_say("${text}" "different: bank row ")
    message(STATUS "the exported CUDA test ran on a GPU")
  else()
    must_say("${text}" "cudaMalloc: ")
  endif()
  execute_process(COMMAND "${CHAINWALK}" conform --on ./example_gpu.so --claim bf16,none --report gpu
    WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE conforms OUTPUT_VARIABLE conformed ERROR_VARIABLE conformed)
  # A build without CUDA tests no GPU implementation, whatever the machine has.
  if(conforms EQUAL 2)
    string(FIND "${conformed}" "asks for CUDA memory" place)
  else()
    string(FIND "${conformed}" "conforms:" place)
  endif()
  if(place EQUAL -1 OR conforms EQUAL 1)
    message(FATAL_ERROR "conform on the GPU example gave ${conforms}:\n${conformed}")
  endif()
endif()

run(0 text "${PYTHON}" "${SOURCE}/python_implementation.py" ./example.so)
must_say("${text}" "2 in every column")
