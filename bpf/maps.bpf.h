/* Maps, configuration and small helpers that the hook files share. */
#ifndef AOTSCOPE_MAPS_BPF_H
#define AOTSCOPE_MAPS_BPF_H

#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "aotscope/abi.h"

/* Set before load; the verifier sees constants and drops the dead branches. They are declared
 * here and defined once, in sample.bpf.c. */
extern const volatile __u32 cfg_stacks;      /* 1: send stacks, 0: count addresses */
extern const volatile __u32 cfg_max_frames;  /* 1 to AOT_MAX_FRAMES */
extern const volatile __u32 cfg_follow;      /* children of a target are targets too */
extern const volatile __u32 cfg_slots;       /* slots of one table, a power of two */
extern const volatile __u32 cfg_cpus;        /* tables of one buffer */
extern const volatile __u32 cfg_pidns;       /* inode of the tool's pid namespace, 0: the initial */

/* One number for all targets: raised when executable mappings of any of them change. Keys hold
 * the tgid as well, so a shared number is as exact as one for each, and a sample looks nothing
 * up to learn it. */
extern volatile __u32 epoch;
extern volatile __u32 active;                 /* which of the two counter maps is written */
extern volatile __u64 lost[AOT_LOST_CAUSES];

static __always_inline void count_lost(enum aot_lost cause)
{
	__sync_fetch_and_add(&lost[cause], 1);
}

/* The number that `pid` has in the tool's pid namespace; 0 when it has none there. */
static __always_inline __u32 number_of(struct pid *pid)
{
	unsigned int level = BPF_CORE_READ(pid, level);

	for (unsigned int i = 0; i < 8; i++) { /* namespaces nest 32 deep at most, rarely 3 */
		struct upid upid;

		if (i > level)
			break;
		bpf_probe_read_kernel(&upid, sizeof(upid), &pid->numbers[i]);
		if (BPF_CORE_READ(upid.ns, ns.inum) == cfg_pidns)
			return upid.nr;
	}
	return 0;
}

static __always_inline __u32 tgid_of(struct task_struct *task)
{
	if (!cfg_pidns)
		return BPF_CORE_READ(task, tgid);
	return number_of(BPF_CORE_READ(task, group_leader, thread_pid));
}

static __always_inline __u32 current_tgid(void)
{
	if (!cfg_pidns)
		return bpf_get_current_pid_tgid() >> 32;
	return tgid_of((struct task_struct *)bpf_get_current_task());
}

static __always_inline __u32 current_tid(void)
{
	if (!cfg_pidns)
		return (__u32)bpf_get_current_pid_tgid();
	return number_of(BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), thread_pid));
}

#endif
