/* What the kernel side (bpf/) and user space (user/kernel/) share: plain fixed-width types,
 * compiled as C by clang -target bpf and as C++ by the host compiler. Pids and tids are numbers
 * in the pid namespace of the tool. Times are CLOCK_MONOTONIC nanoseconds. */
#ifndef AOTSCOPE_ABI_H
#define AOTSCOPE_ABI_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

/* Hard upper bound for a stack's frames; the configured depth (127 by default) is below it. The
 * kernel caps it again at kernel.perf_event_max_stack. */
#define AOT_MAX_FRAMES 1024

/* The mode bit beside the epoch: where the CPU was when the timer fired. */
#define AOT_MODE_USER 0u
#define AOT_MODE_KERNEL 1u

/* Key of the lean counter maps. An epoch holds for an address space: the same ip in two epochs
 * may be two different functions. epoch_mode = epoch << 1 | mode. */
struct aot_ip_key {
  __u64 ip;         /* user instruction pointer */
  __u32 tgid;
  __u32 epoch_mode;
  __u32 tid;        /* 0 unless samples are counted by thread */
  __u32 pad;
};

/* Lean mode counts first in a table of slots, one table for each CPU and buffer, which user space
 * maps: a sample then touches one cache line and takes no lock. A pair of neighbouring slots
 * serves one address; what finds its pair taken goes to the hash map. count 0: a free slot. */
#define AOT_MAX_SLOTS 2048
struct aot_slot {
  struct aot_ip_key key;
  __u64 count;
};

/* One sample with its user stack, as it lies in the ring buffer: this head, then u64 frames. */
struct aot_stack_head {
  __u64 top[2];     /* the two words at the user stack pointer: repairs prologue samples */
  __u32 tgid;
  __u32 tid;
  __u32 epoch_mode;
  __u16 frame_count;
  __u16 flags;      /* AOT_STACK_* */
};  /* frames[0] is the user ip, then come return addresses, innermost first */
#define AOT_STACK_HAS_TOP 1u    /* top[] could be read */
#define AOT_STACK_TRUNCATED 2u  /* the walk stopped at the depth limit */
#define AOT_STACK_FAILED 4u     /* no stack could be taken: frames[0] alone */

/* Changes of a target's executable mappings, in the order of their epochs. */
enum aot_region_kind {
  AOT_REGION_EXEC_ON = 1,   /* [start, start + length) became executable */
  AOT_REGION_EXEC_OFF = 2,  /* unmapped, made non-executable, or mapped over */
  AOT_REGION_MOVED = 3,     /* mremap: from [old_start, old_length) to [start, length) */
  AOT_REGION_EXEC = 4,      /* execve: the whole address space is new */
  AOT_REGION_FORK = 5,      /* a new process of a followed target: tgid, parent in `other` */
  AOT_REGION_EXIT = 6,      /* the last thread of tgid is gone; its CPU time so far, in ns, in start */
  AOT_REGION_UNSURE = 7,    /* an mprotect that failed half-way: only the maps tell what it did */
};

#define AOT_FP_WINDOWS 16
#define AOT_FP_BYTES 64

/* Fingerprint of a new executable range, taken in the target's own context: AOT_FP_WINDOWS
 * windows of AOT_FP_BYTES at (i * (length / AOT_FP_WINDOWS)) & ~7. It tells what code it was
 * even when the range is gone before user space looks. */
struct aot_region_event {
  __u32 kind;
  __u32 tgid;
  __u32 epoch;        /* the change holds from this epoch on */
  __u32 other;        /* FORK: the parent's tgid */
  __u64 time_ns;
  __u64 start;
  __u64 length;       /* page multiple */
  __u64 old_start;
  __u64 old_length;
  __u32 prot;
  __u32 file_backed;  /* mmap of a file; for mprotect unknown and 0 */
  __u32 has_fingerprint;
  __u32 pad;
  __u8 windows[AOT_FP_WINDOWS][AOT_FP_BYTES];
};
/* Events without a fingerprint end before `windows`. */

/* Why something was lost; each has its own cure. */
enum aot_lost {
  AOT_LOST_MAP_FULL = 0,      /* no room for a new address: a larger --map-entries */
  AOT_LOST_RING_FULL = 1,     /* sample ring full: a larger --buffer */
  AOT_LOST_REGION = 2,        /* region ring full, or too many calls in flight */
  AOT_LOST_NO_USER_REGS = 3,  /* a sample without user registers (a kernel thread) */
  AOT_LOST_CAUSES = 4,
};

/* Known executable ranges of a target: a munmap or mprotect that touches none of them is not
 * reported, so a busy address space costs nothing. `known` is written by user space, `recent`
 * by the kernel side for ranges that user space has not seen yet. */
#define AOT_KNOWN_RANGES 32
#define AOT_RECENT_RANGES 8
struct aot_range {
  __u64 start;
  __u64 end;
};
struct aot_known_ranges {
  struct aot_range known[AOT_KNOWN_RANGES];
};
struct aot_target {
  __u32 recent_next;
  __u32 pad;
  struct aot_range recent[AOT_RECENT_RANGES];
};

#endif
