# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts here and by .ci/run: stages with quiet logs, progress, timings and a count
# of the tests that ran. Sets `root` and moves there.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 1
logs=$root/build/logs
mkdir -p "$logs"

# A clone at another path finds the objects of this one.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
if ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
  export PATH=$PATH:/usr/local/cuda/bin
fi

passed=0 failed=0 skipped=0 broken=0
timings=()

say() { printf '%s\n' "$*"; }
stop() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Compilers of this tree take up to 1.5 GiB each.
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ {print int($2 / 1572864)}' /proc/meminfo)
  [ "$memory" -lt 1 ] && memory=1
  [ "$memory" -lt "$cores" ] && cores=$memory
  echo "$cores"
}

# Prints how far a log has come until it is killed: in place on a terminal, else twice a minute.
watch_log() {
  local log=$1 every=30 start=$SECONDS at
  [ -t 1 ] && every=1
  # A sleep that outlives its loop must not hold the output open for whoever reads it.
  while sleep "$every" >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    at=$(tail -c 4000 "$log" | grep -oE '^ *\[?[0-9]+/[0-9]+\]?' | tail -n 1 | tr -d ' []')
    if [ -t 1 ]; then
      printf '\r    %-14s %ds ' "$at" $((SECONDS - start))
    else
      printf '    %s %ds\n' "${at:-running}" $((SECONDS - start))
    fi
  done
}

# logged <name> <command...>: output goes to build/logs/<name>.log, progress to the screen.
logged() {
  local name=$1 status watcher
  shift
  : >"$logs/$name.log"
  watch_log "$logs/$name.log" &
  watcher=$!
  "$@" >"$logs/$name.log" 2>&1 </dev/null
  status=$?
  kill "$watcher" 2>/dev/null
  wait "$watcher" 2>/dev/null
  [ -t 1 ] && printf '\r%40s\r' ''
  return "$status"
}

# quietly <name> <command...>: as logged, and the end of the log is shown on failure.
quietly() {
  local status
  logged "$@" && return
  status=$?
  say "--- build/logs/$1.log (end) ---"
  tail -n 60 "$logs/$1.log"
  say "--- '${*:2}' gave status $status; whole log: build/logs/$1.log ---"
  return "$status"
}

# build <preset> [target...]: configures a preset and builds it, or only the targets named.
build() {
  local preset=$1
  shift
  say "  configuring and building preset $preset with $(jobs) jobs"
  quietly "configure-$preset" cmake --preset "$preset" &&
    quietly "build-$preset" cmake --build --preset "$preset" -j "$(jobs)" ${1+--target "$@"}
}

# count <file.xml>: adds the totals of every suite of a JUnit file to passed, failed and skipped.
count() {
  local tests failures skips
  [ -s "$1" ] || { say "  no result file $1"; broken=$((broken + 1)); return 1; }
  read -r tests failures skips < <(tr '\n\t' '  ' <"$1" | awk -v RS='<testsuite ' '
    function value(key) {
      if (!match($0, " " key "=\"[0-9]+\"")) return 0
      return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 4) + 0
    }
    NR > 1 {
      $0 = " " substr($0, 1, index($0, ">"))
      tests += value("tests"); failures += value("failures") + value("errors")
      skips += value("skipped") + value("disabled")
    }
    END { print tests + 0, failures + 0, skips + 0 }')
  passed=$((passed + tests - failures - skips))
  failed=$((failed + failures))
  skipped=$((skipped + skips))
  [ "$tests" -gt 0 ]
}

# failures <log of ctest>: what the tests that failed printed, at most 200 lines.
failures() {
  awk '/^ *[0-9]+\/[0-9]+ Test +#|^ *Start +[0-9]+:|^[0-9]+% tests passed/ { show = /\*\*\*(Failed|Timeout|Exception|Not Run)/ }
       show { print; if (++lines == 200) exit }' "$1"
}

# tests <name> <preset> [ctest options...]: runs a preset's tests and counts them. Finding no test is
# a failure.
tests() {
  local name=$1 preset=$2 status
  shift 2
  rm -f "$logs/$name.xml"
  logged "$name" ctest --preset "$preset" -j "$(jobs)" --output-junit "$logs/$name.xml" "$@"
  status=$?
  if [ "$status" -ne 0 ]; then
    failures "$logs/$name.log"
    say "  ctest gave status $status; whole log: build/logs/$name.log"
  fi
  # ctest's own lines: how many passed, and which were skipped or failed.
  sed -n '/^[0-9]*% tests passed/p; /^The following tests/,/^Errors while/p; /^No tests were found/p' "$logs/$name.log" | sed 's/^/  /'
  count "$logs/$name.xml" && return "$status"
  return 1
}

# stage <title> <command...>: runs a stage, times it and notes whether it failed, which is its status.
stage() {
  local title=$1 start=$SECONDS verdict=ok
  shift
  say "== $title"
  "$@" || { verdict=FAILED; broken=$((broken + 1)); }
  timings+=("$(printf '%-34s %5d s  %s' "$title" $((SECONDS - start)) "$verdict")")
  say "   $title: $verdict after $((SECONDS - start)) s"
  [ "$verdict" = ok ]
}

# Prints timings and the closing line; its status is the status of the whole run.
finish() {
  say
  say "stage                                time   result"
  printf '%s\n' "${timings[@]}"
  say
  if [ "$broken" -gt 0 ] && [ "$failed" -eq 0 ]; then
    failed=$broken  # a stage that broke before its tests could run is a failure that counts
  fi
  say "$passed passed, $failed failed, $skipped skipped"
  [ "$broken" -eq 0 ] && [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
