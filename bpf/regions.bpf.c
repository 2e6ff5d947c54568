// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Executable mappings of the targets: noticed when they come, change and go. Every change that
 * took effect raises the epoch and is reported; a failed call creates nothing. */
#include "maps.bpf.h"

#define PROT_EXEC 0x4
#define MAP_FIXED 0x10
#define MAP_ANONYMOUS 0x20
#define MREMAP_FIXED 2
#define PAGE_MASK_4K 0xfffULL
#define MAX_ERRNO 4095
#define ENOMEM 12

enum call { CALL_MMAP, CALL_MUNMAP, CALL_MPROTECT, CALL_MREMAP };

struct pending_call {
	__u32 call;
	__u32 prot;
	__u64 flags;
	__u64 address;
	__u64 length;
	__u64 new_length;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096); /* threads of targets inside one of these calls at one time */
	__type(key, __u32);
	__type(value, struct pending_call);
} pending SEC(".maps");

/* How many entries `pending` has: with none, as nearly always, a call's end costs nothing. */
volatile __u32 pending_calls = 0;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32); /* tgid */
	__type(value, struct aot_target);
} targets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32); /* tgid */
	__type(value, struct aot_known_ranges);
} known_ranges SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} regions SEC(".maps");

static __always_inline __u64 page_up(__u64 bytes)
{
	return (bytes + PAGE_MASK_4K) & ~PAGE_MASK_4K;
}

static __always_inline bool touches(const struct aot_range *r, __u64 start, __u64 end)
{
	return r->start < end && start < r->end;
}

/* Does [start, end) touch an executable range that we know of? Forty comparisons at most. */
static __always_inline bool touches_known(__u32 tgid, struct aot_target *target, __u64 start,
					  __u64 end)
{
	struct aot_known_ranges *ranges = bpf_map_lookup_elem(&known_ranges, &tgid);

	for (int i = 0; i < AOT_RECENT_RANGES; i++)
		if (touches(&target->recent[i], start, end))
			return true;
	if (!ranges)
		return true; /* user space has not scanned yet: report all */
	for (int i = 0; i < AOT_KNOWN_RANGES; i++) {
		if (!ranges->known[i].end)
			break;
		if (touches(&ranges->known[i], start, end))
			return true;
	}
	return false;
}

static __always_inline int enter(enum call call, __u64 address, __u64 length, __u64 new_length,
				 __u64 prot, __u64 flags, __u64 new_address)
{
	__u32 tgid, tid = bpf_get_current_pid_tgid();
	struct aot_target *target;
	struct pending_call p = {};

	/* Mapping data at a free address is what programs do most. */
	if (call == CALL_MMAP && !(prot & PROT_EXEC) && !(flags & MAP_FIXED))
		return 0;
	tgid = current_tgid();
	target = bpf_map_lookup_elem(&targets, &tgid);
	if (!target)
		return 0;
	length = page_up(length);
	/* A mapping matters if it is executable, or may replace one that is. */
	if (!((call == CALL_MMAP || call == CALL_MPROTECT) && (prot & PROT_EXEC))) {
		bool known = touches_known(tgid, target, address, address + length);

		if (!known && call == CALL_MREMAP && (flags & MREMAP_FIXED))
			known = touches_known(tgid, target, new_address,
					      new_address + page_up(new_length));
		if (!known)
			return 0;
	}
	p.call = call;
	p.prot = prot;
	p.flags = flags;
	p.address = address;
	p.length = length;
	p.new_length = page_up(new_length);
	if (!bpf_map_update_elem(&pending, &tid, &p, BPF_NOEXIST))
		__sync_fetch_and_add(&pending_calls, 1);
	else if (bpf_map_update_elem(&pending, &tid, &p, BPF_EXIST))
		count_lost(AOT_LOST_REGION);
	return 0;
}

/* Fills what every event has and raises the epoch: the change holds from here on. */
static __always_inline void begin_event(struct aot_region_event *e, __u32 kind, __u32 tgid)
{
	e->kind = kind;
	e->tgid = tgid;
	e->epoch = __sync_fetch_and_add(&epoch, 1) + 1;
	e->other = 0;
	e->time_ns = bpf_ktime_get_ns();
	e->start = 0;
	e->length = 0;
	e->old_start = 0;
	e->old_length = 0;
	e->prot = 0;
	e->file_backed = 0;
	e->has_fingerprint = 0;
	e->pad = 0;
}

static __always_inline struct aot_region_event *reserve(__u64 size)
{
	struct aot_region_event *e = bpf_ringbuf_reserve(&regions, size, 0);

	if (!e) {
		/* The mappings did change: samples must not go to the old ones. */
		__sync_fetch_and_add(&epoch, 1);
		count_lost(AOT_LOST_REGION);
	}
	return e;
}

#define SHORT_EVENT __builtin_offsetof(struct aot_region_event, windows)

static __always_inline void remember(struct aot_target *target, __u64 start, __u64 length)
{
	__u32 slot = __sync_fetch_and_add(&target->recent_next, 1) % AOT_RECENT_RANGES;

	target->recent[slot].start = start;
	target->recent[slot].end = start + length;
}

static __always_inline void report_exec_on(__u32 tgid, struct aot_target *target,
					   const struct pending_call *p, __u64 start)
{
	struct aot_region_event *e = reserve(sizeof(*e));

	remember(target, start, p->length);
	if (!e)
		return;
	begin_event(e, AOT_REGION_EXEC_ON, tgid);
	e->start = start;
	e->length = p->length;
	e->prot = p->prot;
	e->file_backed = p->call == CALL_MMAP && !(p->flags & MAP_ANONYMOUS);
	if (!e->file_backed) {
		__u64 step = p->length / AOT_FP_WINDOWS;
		long failed = 0;

		for (int i = 0; i < AOT_FP_WINDOWS; i++)
			failed |= bpf_probe_read_user(e->windows[i], AOT_FP_BYTES,
						      (void *)(start + ((i * step) & ~7ULL)));
		e->has_fingerprint = !failed;
	}
	bpf_ringbuf_submit(e, BPF_RB_FORCE_WAKEUP);
}

static __always_inline void report_short(__u32 kind, __u32 tgid, const struct pending_call *p,
					 __u64 start)
{
	struct aot_region_event *e = reserve(SHORT_EVENT);

	if (!e)
		return;
	begin_event(e, kind, tgid);
	e->start = start;
	if (p) {
		e->length = p->call == CALL_MREMAP ? p->new_length : p->length;
		e->old_start = p->address;
		e->old_length = p->length;
		e->prot = p->prot;
	}
	bpf_ringbuf_submit(e, BPF_RB_FORCE_WAKEUP);
}

static __always_inline int leave(long ret)
{
	__u32 tid = bpf_get_current_pid_tgid(), tgid;
	struct pending_call *found, p;
	struct aot_target *target;

	if (!pending_calls)
		return 0;
	found = bpf_map_lookup_elem(&pending, &tid);
	if (!found)
		return 0;
	p = *found;
	bpf_map_delete_elem(&pending, &tid);
	__sync_fetch_and_add(&pending_calls, -1);
	tgid = current_tgid();
	if ((__u64)ret >= (__u64)-MAX_ERRNO) {
		/* Of all these calls, mprotect alone may have done part of its work before it came
		 * to a hole. */
		if (p.call == CALL_MPROTECT && ret == -ENOMEM)
			report_short(AOT_REGION_UNSURE, tgid, &p, p.address);
		return 0;
	}
	target = bpf_map_lookup_elem(&targets, &tgid);
	if (!target)
		return 0;
	switch (p.call) {
	case CALL_MMAP:
		if (p.prot & PROT_EXEC)
			report_exec_on(tgid, target, &p, ret);
		else
			report_short(AOT_REGION_EXEC_OFF, tgid, &p, p.address);
		break;
	case CALL_MPROTECT:
		if (p.prot & PROT_EXEC)
			report_exec_on(tgid, target, &p, p.address);
		else
			report_short(AOT_REGION_EXEC_OFF, tgid, &p, p.address);
		break;
	case CALL_MUNMAP:
		report_short(AOT_REGION_EXEC_OFF, tgid, &p, p.address);
		break;
	case CALL_MREMAP:
		remember(target, ret, p.new_length);
		report_short(AOT_REGION_MOVED, tgid, &p, ret);
		break;
	}
	return 0;
}

SEC("tracepoint/syscalls/sys_enter_mmap")
int enter_mmap(struct trace_event_raw_sys_enter *ctx)
{
	return enter(CALL_MMAP, ctx->args[0], ctx->args[1], 0, ctx->args[2], ctx->args[3], 0);
}

SEC("tracepoint/syscalls/sys_enter_munmap")
int enter_munmap(struct trace_event_raw_sys_enter *ctx)
{
	return enter(CALL_MUNMAP, ctx->args[0], ctx->args[1], 0, 0, 0, 0);
}

SEC("tracepoint/syscalls/sys_enter_mprotect")
int enter_mprotect(struct trace_event_raw_sys_enter *ctx)
{
	return enter(CALL_MPROTECT, ctx->args[0], ctx->args[1], 0, ctx->args[2], 0, 0);
}

SEC("tracepoint/syscalls/sys_enter_pkey_mprotect")
int enter_pkey_mprotect(struct trace_event_raw_sys_enter *ctx)
{
	return enter(CALL_MPROTECT, ctx->args[0], ctx->args[1], 0, ctx->args[2], 0, 0);
}

SEC("tracepoint/syscalls/sys_enter_mremap")
int enter_mremap(struct trace_event_raw_sys_enter *ctx)
{
	return enter(CALL_MREMAP, ctx->args[0], ctx->args[1], ctx->args[2], 0, ctx->args[3],
		     ctx->args[4]);
}

#define LEAVE(name)                                              \
	SEC("tracepoint/syscalls/sys_exit_" #name)               \
	int leave_##name(struct trace_event_raw_sys_exit *ctx)   \
	{                                                        \
		return leave(ctx->ret);                          \
	}
LEAVE(mmap)
LEAVE(munmap)
LEAVE(mprotect)
LEAVE(pkey_mprotect)
LEAVE(mremap)

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	__u32 tgid = tgid_of(task);
	struct aot_target *target = bpf_map_lookup_elem(&targets, &tgid);

	if (!target)
		return 0;
	for (int i = 0; i < AOT_RECENT_RANGES; i++)
		target->recent[i].end = target->recent[i].start = 0;
	report_short(AOT_REGION_EXEC, tgid, NULL, 0);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 tgid, child_tgid;
	struct aot_target *target, copy;
	struct aot_region_event *e;

	if (!cfg_follow || BPF_CORE_READ(child, pid) != BPF_CORE_READ(child, tgid))
		return 0;
	tgid = tgid_of(parent);
	target = bpf_map_lookup_elem(&targets, &tgid);
	if (!target)
		return 0;
	child_tgid = tgid_of(child);
	copy = *target;
	if (bpf_map_update_elem(&targets, &child_tgid, &copy, BPF_ANY)) {
		count_lost(AOT_LOST_REGION);
		return 0;
	}
	e = reserve(SHORT_EVENT);
	if (!e)
		return 0;
	begin_event(e, AOT_REGION_FORK, child_tgid);
	e->other = tgid;
	bpf_ringbuf_submit(e, BPF_RB_FORCE_WAKEUP);
	return 0;
}

/* Of all threads of a process whose last one is `task`: nobody can read it from /proc any more
 * once the parent has waited. The threads that ended before are in one sum, but for the leader. */
static __always_inline __u64 cpu_time(struct task_struct *task)
{
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);
	__u64 time = BPF_CORE_READ(task, signal, sum_sched_runtime) +
		     BPF_CORE_READ(task, se.sum_exec_runtime);

	if (leader != task)
		time += BPF_CORE_READ(leader, se.sum_exec_runtime);
	return time;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	__u32 tgid, tid = bpf_get_current_pid_tgid();

	if (!bpf_map_delete_elem(&pending, &tid)) /* killed inside a call */
		__sync_fetch_and_add(&pending_calls, -1);
	/* do_exit has counted this thread out already: zero means it was the last one. */
	if (BPF_CORE_READ(task, signal, live.counter) != 0)
		return 0;
	tgid = tgid_of(task);
	if (!bpf_map_lookup_elem(&targets, &tgid))
		return 0;
	bpf_map_delete_elem(&targets, &tgid);
	report_short(AOT_REGION_EXIT, tgid, NULL, cpu_time(task));
	return 0;
}
