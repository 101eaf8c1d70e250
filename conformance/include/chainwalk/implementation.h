/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface of an implementation of the walk under test. A shared object that exports
 * chainwalk_implementation() can be named with --on everywhere. Rule ids refer to the
 * specification.
 *
 * Life of a session: open -> (supports, plan -> step* -> synchronize -> release)* -> close. The
 * caller owns all memory, in the kind the implementation asks for, and keeps it alive until the
 * plan that names it is released. Calls on one session come from one thread at a time. No call may
 * write anything but the outputs that the rules name, and no call may throw or exit the process. */
#ifndef CHAINWALK_IMPLEMENTATION_H
#define CHAINWALK_IMPLEMENTATION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a struct or function below changes its meaning. Structs only grow at their end, and
 * carry their size so that both sides can tell. */
#define CW_INTERFACE_VERSION 1u

typedef enum cw_status {
  CW_OK = 0,
  CW_REFUSED = 1,     /* a check of PLN or LCH said no; nothing was launched or written */
  CW_FINDING = 2,     /* the implementation itself noticed a fault (an emulator's report) */
  CW_ERROR = 3,       /* anything else failed; the session can go on */
  CW_ERROR_STICKY = 4 /* the device is lost to this process: close and start another */
} cw_status;

/* One code per check of PLN and LCH, in the order in which they run. The hundreds are the rule. */
typedef enum cw_refusal {
  CW_REFUSAL_NONE = 0,
  CW_PLN1_BANK_RANK = 100,
  CW_PLN1_BANK_TYPE,
  CW_PLN1_BANK_CONTIGUOUS,
  CW_PLN1_PORTABLE,
  CW_PLN1_SHARED_CAP,
  CW_PLN1_CHUNK_SIZE,
  CW_PLN1_HEAD_DIM,
  CW_PLN1_SLOTS,
  CW_PLN1_NUM_PARALLEL,
  CW_PLN1_BLOCKS,
  CW_PLN1_WARPS,
  CW_PLN1_POSITIONS,
  CW_PLN2_DELTA_V_TYPE = 200,
  CW_PLN2_DELTA_V_CONTIGUOUS,
  CW_PLN2_DELTA_V_ROWS,
  CW_PLN2_STEP_ROWS,
  CW_PLN2_RECORDS_TYPE,
  CW_PLN2_RECORDS_SHAPE,
  CW_PLN2_BOUNDS_TYPE,
  CW_PLN2_BOUNDS_SHAPE,
  CW_PLN2_PREFIX_SHAPE,
  CW_PLN2_SNAPSHOT_TYPE,
  CW_PLN2_SNAPSHOT_SHAPE,
  CW_PLN2_SNAPSHOT_UNUSED,
  CW_PLN2_SNAPSHOT_STEP,
  CW_PLN2_ALIGNMENT,
  CW_PLN2_DEVICE,
  CW_PLN3_TWO_SLICES = 300,
  CW_PLN3_ROWS_STEP,
  CW_PLN3_QUANTIZED_STEP,
  CW_PLN3_QUANTIZED_AND_RAW,
  CW_PLN3_BF16_ROWS_BANK,
  CW_PLN3_ALL_SLICES,
  CW_PLN3_PORTABLE_FORM,
  CW_PLN4_SNAPSHOT_ROWS = 400,
  CW_PLN4_PAYLOAD,
  CW_PLN4_SCALE,
  CW_PLN4_TENSOR_MAP_ROWS,
  CW_PLN5_SNAPSHOT_BANK = 500,
  CW_PLN5_SNAPSHOT_DELTA_V,
  CW_PLN5_PAYLOAD_BANK,
  CW_PLN5_PAYLOAD_DELTA_V,
  CW_PLN5_SCALE_BANK,
  CW_PLN5_SCALE_DELTA_V,
  CW_PLN5_PAYLOAD_SCALE,
  CW_PLN6_SHARED = 600,
  CW_PLN6_CLUSTER_SIZE,
  CW_PLN6_CLUSTER_CAPACITY,
  CW_PLN6_GRID,
  CW_PLN6_IMAGE,
  CW_PLN6_DEVICE_CLASS,
  CW_PLN7_OVERFLOW = 700,
  CW_PLN10_VERSION = 1000,
  CW_LCH1_STEP = 1100,
  CW_LCH1_FLAG,
  CW_LCH2_DEPENDENT,
  CW_QNT9_HEAD = 1300,
  CW_GEO8_FORM = 1400 /* a forced kernel or geometry that cannot serve the problem */
} cw_refusal;

typedef enum cw_memory { CW_MEMORY_HOST = 0, CW_MEMORY_CUDA = 1 } cw_memory;
typedef enum cw_type { CW_BF16 = 0, CW_F32 = 1, CW_I32 = 2, CW_U8 = 3 } cw_type;
typedef enum cw_form { CW_NONE = 0, CW_RAW = 1, CW_BF16_ROWS = 2, CW_FP8 = 3, CW_INT4 = 4 } cw_form;

/* A row-major tensor. data may be null only where a dimension is 0 or the tensor is not part of the
 * request (then rank is 0). strides are in elements. */
typedef struct cw_tensor {
  void* data;
  int32_t type; /* cw_type */
  int32_t rank; /* 0..3 */
  int64_t shape[3];
  int64_t stride[3];
} cw_tensor;

/* Geometry; a field that is 0 (portable: -1) is left to the implementation. GEO-4: the bits are the
 * same for all. */
typedef struct cw_geometry {
  int32_t slices_per_warp; /* 1, 2 */
  int32_t offset_bits;     /* 32, 64 */
  int32_t portable;        /* 0, 1 (LCH-4); -1 */
  int32_t
      quantizing_form; /* 1 in the walk or by a cluster, 2 a block walks all slices, 3 whole rows */
  int64_t shared_cap;  /* bytes of shared memory a block may use, 1..232448 */
} cw_geometry;

/* A problem with its buffers, all steps. bank is [slots, hd]; delta_v f32 [rows, hd]; records I32
 * [N, n, 4]; tile_bounds and group_prefix I32 [N, nw * K + 1]; snapshot, payload and scale as the
 * form says (SNP, QNT-1). size is sizeof(cw_request). */
typedef struct cw_request {
  uint32_t size;
  int32_t snapshot_form; /* cw_form */
  cw_tensor bank, delta_v, records, tile_bounds, group_prefix, snapshot, payload, scale;
  int64_t num_parallel;      /* P */
  int64_t chunk_size;        /* C */
  int64_t delta_v_step_rows; /* ARI-7 */
  int64_t snapshot_step;     /* 0 or P */
  int64_t warps_per_block;   /* nw */
  int64_t blocks_per_chunk;  /* K */
  cw_geometry geometry;
  void* stream;   /* of the memory's own kind: a cudaStream_t, or null */
  int32_t device; /* CUDA ordinal; 0 for host memory */
} cw_request;

/* What a call says besides its status. text is UTF-8, never null, and lives until the next call on
 * the session. refusal is a cw_refusal; it is CW_REFUSAL_NONE unless the status is CW_REFUSED. */
typedef struct cw_result {
  int32_t status;  /* cw_status */
  int32_t refusal; /* cw_refusal */
  const char* text;
} cw_result;

typedef struct cw_session cw_session; /* the implementation's own */
typedef struct cw_plan cw_plan;

typedef struct cw_implementation {
  uint32_t size;              /* sizeof(cw_implementation) */
  uint32_t interface_version; /* CW_INTERFACE_VERSION */
  const char* name;           /* short, stable: "reference" */
  const char* version;        /* free text */
  const char* description;    /* one line */
  int32_t memory;             /* cw_memory: where every buffer must live */

  /* Opens a session. An option is a key=value string ("kernel=rows_bf16", "threads=4"). Unknown or
   * ill-formed options are CW_ERROR with a text that names them; then *session is null and the text
   * lives as long as the shared object. */
  cw_result (*open)(const char* const* options, int32_t option_count, cw_session** session);
  /* CW_OK: the request would be planned. CW_REFUSED: it is not supported, and why. Data behind the
   * pointers of the request is not read. */
  cw_result (*supports)(cw_session* session, const cw_request* request);
  /* Checks everything (PLN) before any work, and binds the buffers. Nothing is written. */
  cw_result (*plan)(cw_session* session, const cw_request* request, cw_plan** plan);
  /* The greatest legal step of a plan, -1 when none (PLN-8). */
  int64_t (*greatest_step)(cw_session* session, const cw_plan* plan);
  /* Runs one step (LCH-1), perhaps asynchronously on the request's stream. */
  cw_result (*step)(cw_session* session, cw_plan* plan, int64_t step);
  /* Returns when every step started is done; reports what went wrong meanwhile. */
  cw_result (*synchronize)(cw_session* session);
  void (*release)(cw_session* session, cw_plan* plan); /* null is fine */
  void (*close)(cw_session* session);                  /* null is fine */
} cw_implementation;

/* The one symbol of a shared object. version is the caller's CW_INTERFACE_VERSION; null when it
 * cannot be served. The table lives as long as the shared object. */
const cw_implementation* chainwalk_implementation(uint32_t version);
typedef const cw_implementation* (*chainwalk_implementation_fn)(uint32_t version);

#ifdef __cplusplus
}
#endif
#endif
