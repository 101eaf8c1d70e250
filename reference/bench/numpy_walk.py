# SPDX-License-Identifier: Apache-2.0
# A straightforward NumPy version of one step (ARI-1 to ARI-3 but for fma: NumPy has none, so
# products and sums are rounded apart and the last bits differ). Prints seconds per step.
import sys
import time

try:
    import numpy as np
except ImportError:
    sys.exit(3)


def widen(bits):
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def narrow(values):
    bits = values.view(np.uint32)
    rounded = ((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16))
    return np.where(np.isnan(values), np.uint16(0x7FFF), rounded.astype(np.uint16))


def walk(bank, is_bf16, delta_v, slots, tokens, scales, decay):
    rows = bank[slots]
    base = widen(rows) if is_bf16 else rows
    accumulators = scales[:, None] * delta_v[tokens]
    out = base * decay + accumulators
    bank[slots] = narrow(out) if is_bf16 else out


def main():
    bank_type = sys.argv[1]
    head_dim, streams, chunk_size, writes, slots_per_stream = map(int, sys.argv[2:])
    is_bf16 = bank_type == "bf16"
    random = np.random.default_rng(1)
    slots = streams * slots_per_stream
    bank = np.empty((slots, head_dim), np.uint16 if is_bf16 else np.float32)
    for row in range(0, slots, 4096):
        part = random.random((min(4096, slots - row), head_dim), np.float32)
        bank[row : row + 4096] = narrow(part) if is_bf16 else part
    delta_v = random.random((streams * chunk_size, head_dim), np.float32)
    n = chunk_size * writes
    times = []
    for _ in range(5):
        chosen = [
            np.sort(random.choice(slots_per_stream, n, replace=False)) + stream * slots_per_stream
            for stream in range(streams)
        ]
        tokens = [
            random.permutation(n) % chunk_size + stream * chunk_size for stream in range(streams)
        ]
        scales = random.random(n, np.float32)
        start = time.perf_counter()
        for stream in range(streams):
            walk(bank, is_bf16, delta_v, chosen[stream], tokens[stream], scales, np.float32(0.875))
        times.append(time.perf_counter() - start)
    print(sorted(times)[len(times) // 2])


main()
