#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks every kernel on one GPU and measures them, from binaries built beforehand (PLN-6, BIG, DET).
#   device/gpu_check.sh build [FOLDER]   builds for compute capability 9.0 and packs what travels
#   device/gpu_check.sh run [FOLDER [PART...]]   runs everything, or the parts named, on this machine's
#                                        GPU, inside ten minutes; results go to $OUT, or FOLDER/results
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
action=${1:-help}
folder=${2:-"$here/build/gpu"}
shift "$(($# < 2 ? $# : 2))"
parts=$*
most_bytes=60000000

build() {
  # Packages of reports need libraries that a GPU machine may lack, and that would double what travels.
  cmake --preset cuda-90 -DCMAKE_DISABLE_FIND_PACKAGE_LibArchive=ON
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

# part NAME COMMAND...: runs a part where it is wanted, and says how it went and its last line.
part() {
  name=$1
  shift
  case " ${parts:-$name} " in
    *" $name "*) ;;
    *) return 0 ;;
  esac
  ran="$ran $name"
  begin=$(date +%s)
  if "$@" >"$results/$name.txt" 2>&1; then verdict=passed; else verdict="FAILED (status $?)"; failed=1; fi
  if grep -q '^\[  PASSED  \] 0 tests' "$results/$name.txt"; then verdict="NOT RUN"; failed=1; fi
  end=$(date +%s)
  printf '%-12s %s, %s s: %s\n' "$name" "$verdict" "$((end - begin))" "$(tail -n 1 "$results/$name.txt")"
}

# The chip's own numbers beside the specification's; the counts again as rows of a table.
numerics() {
  status=0
  "$folder/cuda_tests" --gtest_filter='GpuNumerics.*:GpuCopies.*' >"$results/numerics.log" 2>&1 || status=$?
  cat "$results/numerics.log"
  sed -n 's/^numerics: \(.*\): \([0-9]*\) compared, \([0-9]*\) differ$/| \1 | \2 | \3 |/p' \
    "$results/numerics.log" >"$results/numerics.md"
  echo "$(grep -c . "$results/numerics.md") comparisons, $(grep -vc '| 0 |$' "$results/numerics.md") with differences"
  return "$status"
}

# Every kernel under one tool of the toolkit: how many ran, and what the tool found.
sanitize() {
  command -v compute-sanitizer >/dev/null || { echo "compute-sanitizer was not found"; return 77; }
  status=0
  timeout "${CHAINWALK_TOOL_SECONDS:-100}" compute-sanitizer --tool "$1" --error-exitcode 9 \
    "$folder/cuda_tests" --gtest_filter='Gpu.EveryKernel*' || status=$?
  # The last line is for the reader of the summary.
  echo "$(sed -n '/kernels run,/p' "$results/$1.txt" | tail -n 1); $(grep 'SUMMARY' "$results/$1.txt" | tail -n 1)"
  return "$status"
}

# The time of a step over streams, columns and members of a group, as JSON.
scaling() {
  status=0
  timeout 180 "$folder/chainwalk" bench cuda --scaling --json >"$results/scaling.json" || status=$?
  echo "$(grep -c '"us_per_step"' "$results/scaling.json") rows in scaling.json"
  return "$status"
}

run() {
  results=${OUT:-"$folder/results"}
  mkdir -p "$results"
  LD_LIBRARY_PATH="$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  CHAINWALK_VECTORS=${CHAINWALK_VECTORS:-"$folder/vectors"}
  CHAINWALK_GPU_CASES=${CHAINWALK_GPU_CASES:-5000}
  export LD_LIBRARY_PATH CHAINWALK_VECTORS CHAINWALK_GPU_CASES
  failed=0
  ran=
  date -u
  part devices "$folder/chainwalk" devices
  part kernels "$folder/chainwalk" kernels --on cuda:0
  part numerics numerics
  part verify "$folder/chainwalk" verify "$CHAINWALK_VECTORS" --on cuda:0
  part recorded "$folder/cuda_tests" --gtest_filter='Gpu.Recorded*'
  part every "$folder/cuda_tests" --gtest_filter='Gpu.EveryKernel*'
  part repeats "$folder/cuda_tests" --gtest_filter='Gpu.Repeats*:Gpu.EveryGpu*'
  part memory "$folder/cuda_tests" --gtest_filter='GpuMemory.*'
  part bench timeout 120 "$folder/chainwalk" bench cuda
  part conform timeout 120 "$folder/chainwalk" conform --on cuda:0 --profile full --report "$results/report"
  part random timeout 240 "$folder/cuda_tests" --gtest_filter='Gpu.Random*'
  for tool in memcheck racecheck initcheck synccheck; do
    part "$tool" sanitize "$tool"
  done
  part scaling scaling
  date -u
  for name in $parts; do
    case "$ran " in
      *" $name "*) ;;
      *) echo "gpu_check.sh: no part is called '$name'" >&2; failed=2 ;;
    esac
  done
  return "$failed"
}

case $action in
  build) build ;;
  run) run ;;
  *) sed -n '3,7s/^# //p' "$0" ;;
esac
