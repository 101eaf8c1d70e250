# SPDX-License-Identifier: Apache-2.0
# The kernel of common_walk.cpp for numba's CUDA simulator. Its arguments are sizes and
# the number of runs; it prints the median seconds of a launch, by the clock and of CPU, then the bank after the first one in
# hex. Products and sums are exact in f32, so that a product and a sum leave the bits of one fma.
import os
import statistics
import sys
import time

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
try:
    import numpy as np
    from numba import cuda, float32, int32
except ImportError:
    sys.exit(3)

BATCH = 8
COLUMNS = 4


@cuda.jit
def walk(bank, delta_v, words, values, bounds):
    staged_words = cuda.shared.array((BATCH, 2), int32)
    staged_values = cuda.shared.array((BATCH, 2), float32)
    thread = cuda.threadIdx.x
    column = thread * COLUMNS
    acc = cuda.local.array(COLUMNS, float32)
    for c in range(COLUMNS):
        acc[c] = 0.0
    begin = bounds[cuda.blockIdx.x]
    end = bounds[cuda.blockIdx.x + 1]
    for at in range(begin, end, BATCH):
        count = min(BATCH, end - at)
        if thread < count:
            staged_words[thread, 0] = words[at + thread, 0]
            staged_words[thread, 1] = words[at + thread, 1]
            staged_values[thread, 0] = values[at + thread, 0]
            staged_values[thread, 1] = values[at + thread, 1]
        cuda.syncthreads()
        for i in range(count):
            x = staged_words[i, 0]
            token = (x >> 9) & 0xFF
            scale = staged_values[i, 0]
            for c in range(COLUMNS):
                acc[c] = scale * delta_v[token, column + c] + acc[c]
            if x & 0x40000000 == 0:
                continue
            slot = staged_words[i, 1]
            decay = staged_values[i, 1]
            for c in range(COLUMNS):
                bank[slot, column + c] = bank[slot, column + c] * decay + acc[c]
                acc[c] = 0.0
        cuda.syncthreads()


# What src/common_walk.cpp makes: groups of one and two members, values of few bits.
def make_problem(positions, head_dim, tokens):
    i = np.arange(positions)
    last = i % 3 != 0
    first = np.concatenate(([True], last[:-1]))
    group = np.cumsum(first) - 1
    x = (first * 0x80000000 + last * 0x40000000 + (i * 7 % tokens << 9)).astype(np.uint32)
    words = np.stack((x.view(np.int32), group.astype(np.int32)), axis=1)
    values = np.stack(((i * 3 % 7 - 3) / 4, (i % 3 + 1) / 4), axis=1).astype(np.float32)
    column = np.arange(head_dim)
    bank = (np.arange(positions)[:, None] * 13 + column * 7) % 37 - 18
    delta_v = (np.arange(tokens)[:, None] * 31 + column * 17) % 41 - 20
    return (bank / 8).astype(np.float32), (delta_v / 8).astype(np.float32), words, values


def main():
    blocks, positions, head_dim, tokens, runs = map(int, sys.argv[1:])
    bank, delta_v, words, values = make_problem(positions, head_dim, tokens)
    bounds = np.arange(blocks + 1, dtype=np.int32) * (positions // blocks)
    times = []
    cpu_times = []
    for _ in range(runs):
        after = bank.copy()
        start = time.perf_counter()
        cpu_start = time.process_time()
        walk[blocks, head_dim // COLUMNS](after, delta_v, words, values, bounds)
        cpu_times.append(time.process_time() - cpu_start)
        times.append(time.perf_counter() - start)
    print(statistics.median(times), statistics.median(cpu_times))
    print(after.tobytes().hex())


main()
