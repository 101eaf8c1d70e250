# SPDX-License-Identifier: Apache-2.0
# Build options and the flags that every target shares.

option(CHAINWALK_WERROR "Treat warnings as errors" ON)
option(CHAINWALK_PYTHON "Build the Python module" OFF)
set(CHAINWALK_MPI AUTO CACHE STRING "Campaigns on many machines: 'AUTO' (where MPI is found), 'ON' or 'OFF'")
set_property(CACHE CHAINWALK_MPI PROPERTY STRINGS AUTO ON OFF)
option(CHAINWALK_FUZZ_EDGES "Let campaigns count the edges of the built-in models and kernels" OFF)
option(CHAINWALK_CUDA "Build the CUDA kernels where nvcc is found" ON)
set(CHAINWALK_CUDA_ARCHITECTURES "80;90" CACHE STRING "GPU architectures to compile kernels for")
set(CHAINWALK_EXECUTOR tbb CACHE STRING "What parallel loops run on: 'tbb' (oneTBB) or 'std' (std::thread)")
set_property(CACHE CHAINWALK_EXECUTOR PROPERTY STRINGS tbb std)
set(CHAINWALK_SANITIZE "" CACHE STRING "Empty, 'asan' (with UBSan), 'tsan' or 'fuzz' (asan for libFuzzer, clang only)")
set_property(CACHE CHAINWALK_SANITIZE PROPERTY STRINGS "" asan tsan fuzz)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# Assertions stay on in every build type.
set(CMAKE_CXX_FLAGS_RELEASE "-O3")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g")
# Instrumented code takes long to optimize and is not for speed.
if(CHAINWALK_SANITIZE)
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
endif()

find_program(CHAINWALK_CCACHE ccache)
if(CHAINWALK_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CHAINWALK_CCACHE}")
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${CHAINWALK_CCACHE}")
endif()

# NUM-6: nothing is contracted or reassociated in any target.
add_library(chainwalk_flags INTERFACE)
target_compile_options(chainwalk_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off;-fno-fast-math;-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow;-Wnon-virtual-dtor;-Woverloaded-virtual;-Wcast-qual>)
# At -O3, g++ 12 sees an overflow in the format strings of fmt 9 that is not there.
target_compile_options(chainwalk_flags INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-stringop-overflow>)
if(CHAINWALK_WERROR)
  target_compile_options(chainwalk_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
target_compile_definitions(chainwalk_flags INTERFACE _GLIBCXX_ASSERTIONS)

if(CHAINWALK_SANITIZE STREQUAL "asan")
  set(CHAINWALK_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(CHAINWALK_SANITIZE STREQUAL "tsan")
  set(CHAINWALK_SANITIZE_FLAGS -fsanitize=thread -fno-omit-frame-pointer)
elseif(CHAINWALK_SANITIZE STREQUAL "fuzz")
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "CHAINWALK_SANITIZE=fuzz needs libFuzzer, which comes with clang: apt-get install clang-16 libclang-rt-16-dev")
  endif()
  # A number of a file that is converted unchecked is found by float-cast-overflow, which 'undefined' leaves out.
  set(CHAINWALK_SANITIZE_FLAGS -fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(CHAINWALK_SANITIZE)
  message(FATAL_ERROR "CHAINWALK_SANITIZE is '${CHAINWALK_SANITIZE}'; use '', 'asan', 'tsan' or 'fuzz'")
endif()
# ThreadSanitizer cannot see into oneTBB's synchronization.
if(CHAINWALK_SANITIZE STREQUAL "tsan")
  set(CHAINWALK_EXECUTOR std)
endif()
if(NOT CHAINWALK_EXECUTOR MATCHES "^(tbb|std)$")
  message(FATAL_ERROR "CHAINWALK_EXECUTOR is '${CHAINWALK_EXECUTOR}'; use 'tbb' or 'std'")
endif()
if(CHAINWALK_SANITIZE)
  target_compile_options(chainwalk_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${CHAINWALK_SANITIZE_FLAGS}>)
  target_link_options(chainwalk_flags INTERFACE ${CHAINWALK_SANITIZE_FLAGS})
endif()
