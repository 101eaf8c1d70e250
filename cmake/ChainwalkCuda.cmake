# SPDX-License-Identifier: Apache-2.0
# Finds nvcc and says which architectures the images of the kernels are compiled for. Sets
# CHAINWALK_HAVE_CUDA, CHAINWALK_CUDA_PORTABLE and CHAINWALK_CUDA_ASYNC (architectures).

set(CHAINWALK_HAVE_CUDA OFF)
if(CHAINWALK_CUDA)
  find_program(CHAINWALK_NVCC nvcc HINTS /usr/local/cuda/bin)
  if(CHAINWALK_NVCC)
    if(NOT CMAKE_CUDA_COMPILER)
      set(CMAKE_CUDA_COMPILER "${CHAINWALK_NVCC}")
    endif()
    # Every target names its own architectures.
    # CMake 3.25 does not know the language flags of nvcc 13; targets give them.
    set(CMAKE_CUDA_STANDARD_REQUIRED OFF)
    set(CMAKE_CUDA_ARCHITECTURES OFF)
    enable_language(CUDA)
    set(CHAINWALK_HAVE_CUDA ON)
  else()
    message(STATUS "nvcc was not found: the CUDA kernels are not built")
  endif()
endif()

# LCH-2: bulk copies, transaction barriers, clusters and dependent launch exist here only.
set(CHAINWALK_ASYNC_ARCHITECTURES 90 100 103)
set(CHAINWALK_CUDA_PORTABLE ${CHAINWALK_CUDA_ARCHITECTURES})
set(CHAINWALK_CUDA_ASYNC ${CHAINWALK_CUDA_ARCHITECTURES})
list(FILTER CHAINWALK_CUDA_ASYNC INCLUDE REGEX "^(90|100|103)$")
