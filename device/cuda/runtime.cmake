# SPDX-License-Identifier: Apache-2.0
# The room itself: launches, memory and errors on GPUs; without nvcc, functions that say so.
if(CHAINWALK_HAVE_CUDA)
  find_package(CUDAToolkit REQUIRED)
  chainwalk_library(cuda
    SOURCES src/bench.cpp src/bench_cases.cpp src/bench_problem.cpp src/device.cpp src/error.cpp src/graph.cpp src/image.cpp src/launch.cpp src/memory.cpp
            src/memory_kernels.cu src/runtime.cpp src/tensor_maps.cpp
    ROOMS spec platform plan
    PRIVATE_LIBRARIES $<BUILD_INTERFACE:chainwalk_cuda_kernels> $<BUILD_INTERFACE:CUDA::cudart_static>)
  set_target_properties(chainwalk_cuda PROPERTIES CUDA_ARCHITECTURES "${CHAINWALK_CUDA_PORTABLE}")
else()
  chainwalk_library(cuda SOURCES src/bench_cases.cpp src/error.cpp src/without_cuda.cpp ROOMS spec platform plan)
endif()
target_include_directories(chainwalk_cuda PRIVATE src)

chainwalk_test(cuda_tests
  SOURCES tests/gpu_test.cpp tests/large_dense_rows_test.cpp tests/large_snapshot_test.cpp tests/memory_test.cpp "${PROJECT_SOURCE_DIR}/device/kernels/tests/draw_case.cpp"
  LIBRARIES chainwalk_adapters chainwalk_conformance chainwalk_cuda chainwalk_generate
            chainwalk_plan chainwalk_reference fmt::fmt)
if(TARGET cuda_tests)
  target_include_directories(cuda_tests PRIVATE "${PROJECT_SOURCE_DIR}/device/kernels/tests")
  target_compile_definitions(cuda_tests PRIVATE
    CHAINWALK_VECTORS_FOLDER="${PROJECT_SOURCE_DIR}/spec/vectors")
endif()
