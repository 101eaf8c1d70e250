#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks every kernel on one GPU and measures them, from binaries built beforehand (PLN-6, BIG, DET).
#   device/gpu_check.sh build [FOLDER]   builds for compute capability 9.0 and packs what travels
#   device/gpu_check.sh run [FOLDER]     runs everything on this machine's GPU, inside ten minutes
# Results go to $OUT, or to FOLDER/results.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
action=${1:-help}
folder=${2:-"$here/build/gpu"}
most_bytes=60000000

build() {
  cmake --preset cuda-90
  cmake --build --preset cuda-90 --target chainwalk cuda_tests
  rm -rf "$folder"
  mkdir -p "$folder/lib" "$folder/vectors"
  cp "$here/build/cuda-90/bin/chainwalk" "$here/build/cuda-90/tests/cuda_tests" "$folder/"
  strip "$folder/chainwalk" "$folder/cuda_tests"
  # Libraries that a GPU machine may lack; the C library and the driver are its own.
  ldd "$folder/chainwalk" "$folder/cuda_tests" | awk '/=> \//{print $3}' | sort -u |
    grep -E 'tbb|fmt|gtest|stdc\+\+|gcc_s' | xargs -I{} cp -L {} "$folder/lib/"
  cp "$here"/spec/vectors/*.safetensors "$folder/vectors/"
  cp "$here/device/gpu_check.sh" "$folder/"
  size=$(du -sb "$folder" | cut -f 1)
  echo "$folder: $size bytes of at most $most_bytes"
  if [ "$size" -gt "$most_bytes" ]; then
    du -ab "$folder" | sort -rn | head -n 8 >&2
    echo "gpu_check.sh: $folder holds $size bytes; what travels stays under $most_bytes" >&2
    return 1
  fi
}

part() {
  name=$1
  shift
  begin=$(date +%s)
  if "$@" >"$results/$name.txt" 2>&1; then verdict=passed; else verdict="FAILED (status $?)"; failed=1; fi
  end=$(date +%s)
  printf '%-12s %s, %s s: %s\n' "$name" "$verdict" "$((end - begin))" "$(tail -n 1 "$results/$name.txt")"
}

# Every kernel under the tools of the toolkit, on the smallest problems that reach them all.
sanitize() {
  command -v compute-sanitizer >/dev/null || { echo "compute-sanitizer was not found"; return 77; }
  for tool in memcheck racecheck initcheck synccheck; do
    CHAINWALK_GPU_CASES=${CHAINWALK_SANITIZED_CASES:-120} CHAINWALK_GPU_LARGEST=2048 timeout 200 \
      compute-sanitizer --tool "$tool" --error-exitcode 9 "$folder/cuda_tests" \
      --gtest_filter='Gpu.Random*' >"$results/$tool.txt" 2>&1 || return $?
    echo "$tool: $(grep -c 'runs$' "$results/$tool.txt") run, $(grep 'SUMMARY' "$results/$tool.txt" | tail -n 1)"
  done | tee "$results/tools.txt"
}

run() {
  results=${OUT:-"$folder/results"}
  mkdir -p "$results"
  LD_LIBRARY_PATH="$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  CHAINWALK_VECTORS=${CHAINWALK_VECTORS:-"$folder/vectors"}
  CHAINWALK_GPU_CASES=${CHAINWALK_GPU_CASES:-5000}
  export LD_LIBRARY_PATH CHAINWALK_VECTORS CHAINWALK_GPU_CASES
  failed=0
  date -u
  part devices "$folder/chainwalk" devices
  part kernels "$folder/chainwalk" kernels --on cuda:0
  part numerics "$folder/cuda_tests" --gtest_filter='GpuNumerics.*:GpuCopies.*'
  # The rows of its table.
  sed -n 's/^numerics: \(.*\): \([0-9]*\) compared, \([0-9]*\) differ$/| \1 | \2 | \3 |/p' \
    "$results/numerics.txt" | tee "$results/numerics.md"
  part verify "$folder/chainwalk" verify "$CHAINWALK_VECTORS" --on cuda:0
  part recorded "$folder/cuda_tests" --gtest_filter='Gpu.Recorded*'
  part repeats "$folder/cuda_tests" --gtest_filter='Gpu.Repeats*:Gpu.EveryGpu*'
  part memory "$folder/cuda_tests" --gtest_filter='GpuMemory.*'
  part bench timeout 120 "$folder/chainwalk" bench cuda
  part conform timeout 120 "$folder/chainwalk" conform --on cuda:0 --profile full --report "$results/report"
  part random timeout 240 "$folder/cuda_tests" --gtest_filter='Gpu.Random*'
  part sanitizer sanitize
  return "$failed"
}

case $action in
  build) build ;;
  run) run ;;
  *) sed -n '3,6s/^# //p' "$0" ;;
esac
