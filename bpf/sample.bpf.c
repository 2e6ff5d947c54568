// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The sampler: runs on every overflow of a target thread's perf event. */
#include "maps.bpf.h"

const volatile __u32 cfg_stacks = 0;
const volatile __u32 cfg_max_frames = 127;
const volatile __u32 cfg_slots = AOT_MAX_SLOTS;
const volatile __u32 cfg_cpus = 1;
const volatile __u32 cfg_follow = 0;
const volatile __u32 cfg_per_thread = 0;
const volatile __u32 cfg_pidns = 0;

volatile __u32 epoch = 0;
volatile __u32 active = 0;
volatile __u64 lost[AOT_LOST_CAUSES] = {};

struct counter_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384); /* set before load */
	__type(key, struct aot_ip_key);
	__type(value, __u64);
};
/* [buffer][cpu][slot], buffer 0 and 1 in turn like the hash maps below. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set before load */
	__type(key, __u32);
	__type(value, struct aot_slot);
} slots SEC(".maps");

/* User space turns `active` over, waits until no program can still hold the other map, and
 * drains that one at leisure: nothing is lost while draining. */
struct counter_map counters_a SEC(".maps");
struct counter_map counters_b SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* set before load */
} samples SEC(".maps");

struct stack_buffer {
	struct aot_stack_head head;
	__u64 frames[AOT_MAX_FRAMES];
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stack_buffer);
} stack_buffers SEC(".maps");

static __always_inline void count_in(void *map, struct aot_ip_key *key)
{
	__u64 one = 1, *count = bpf_map_lookup_elem(map, key);

	if (!count) {
		if (!bpf_map_update_elem(map, key, &one, BPF_NOEXIST))
			return;
		/* Another CPU may have inserted it in between; otherwise the map is full. */
		count = bpf_map_lookup_elem(map, key);
		if (!count) {
			count_lost(AOT_LOST_MAP_FULL);
			return;
		}
	}
	__sync_fetch_and_add(count, 1);
}

static __always_inline bool same_key(const struct aot_ip_key *a, const struct aot_ip_key *b)
{
	return a->ip == b->ip && a->tgid == b->tgid && a->epoch_mode == b->epoch_mode &&
	       (!cfg_per_thread || a->tid == b->tid);
}

/* Counts in this CPU's slots. No other CPU writes there, and one event's overflow does not
 * interrupt another's: plain stores will do. False when both slots belong to others. */
static __always_inline bool count_in_slot(const struct aot_ip_key *key, __u32 buffer)
{
	__u32 hash = (__u32)((key->ip * 0x9E3779B97F4A7C15ULL) >> 40) & (cfg_slots - 1);
	__u32 base = (buffer * cfg_cpus + bpf_get_smp_processor_id()) * cfg_slots;

	for (int i = 0; i < 2; i++) {
		__u32 index = base + (hash ^ i);
		struct aot_slot *slot = bpf_map_lookup_elem(&slots, &index);

		if (!slot)
			return false;
		if (slot->count == 0)
			slot->key = *key;
		else if (!same_key(&slot->key, key))
			continue;
		slot->count++;
		return true;
	}
	return false;
}

/* Where a target's trampolines are: code that its runtime made for calls from one module to
 * another, by way of the runtime. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32); /* tgid */
	__type(value, struct aot_range);
} trampolines SEC(".maps");

/* How many targets have any: with none nothing is looked up. */
volatile __u32 with_trampolines = 0;

static __always_inline bool in_range(const struct aot_range *range, __u64 address)
{
	return address - range->start < range->end - range->start;
}

/* This one and the next are global, so that the verifier looks at each once, by itself: with
 * their loops inside the sampler it would see too many paths. */
__noinline int crosses(struct stack_buffer *buffer, struct aot_range *range, __u32 count)
{
	if (!buffer || !range)
		return 0;
	/* cfg_max_frames is a constant to the verifier, which so walks no more than it must. */
	for (__u32 i = 1; i < AOT_MAX_FRAMES && i < cfg_max_frames; i++) {
		if (i >= count)
			break;
		if (in_range(range, buffer->frames[i]))
			return 1;
	}
	return 0;
}

/* A trampoline makes no frame of its own: it pushes arguments, calls on, and ends with
 * `add rsp, N; ret`. The frame pointer chain steps over whoever called it, but behind the frame
 * of the code that the trampoline called lie N bytes of arguments and then the way back to that
 * caller. Walks the chain anew and puts those callers in; returns the number of frames. */
__noinline int walk_across(struct stack_buffer *buffer, struct aot_range *range, __u64 fp,
			   __u32 limit)
{
	/* Kept in memory, where the verifier does not follow its values. */
	volatile __u16 *frames = &buffer->head.frame_count;

	if (!buffer || !range)
		return 0;
	*frames = 1;
	for (__u32 i = 0; i < AOT_MAX_FRAMES && i < cfg_max_frames; i++) {
		__u64 frame[2], code, caller;
		__u32 count = *frames;

		if (count >= limit || bpf_probe_read_user(frame, sizeof(frame), (void *)fp))
			break;
		buffer->frames[count & (AOT_MAX_FRAMES - 1)] = frame[1];
		count++;
		if (in_range(range, frame[1]) && count < limit &&
		    !bpf_probe_read_user(&code, sizeof(code), (void *)frame[1]) &&
		    (code & 0xff00ffffffULL) == 0xc300c48348ULL) {
			__u64 arguments = code >> 24 & 0xff;

			if (!bpf_probe_read_user(&caller, sizeof(caller),
						 (void *)(fp + 2 * sizeof(__u64) + arguments))) {
				buffer->frames[count & (AOT_MAX_FRAMES - 1)] = caller;
				count++;
			}
		}
		*frames = count;
		fp = frame[0];
	}
	return *frames;
}

static __always_inline void send_stack(struct bpf_perf_event_data *ctx, __u64 ip, __u64 sp,
				       __u64 fp, __u32 epoch_mode)
{
	__u32 zero = 0;
	struct stack_buffer *buffer = bpf_map_lookup_elem(&stack_buffers, &zero);
	long bytes, limit;

	if (!buffer)
		return;
	limit = cfg_max_frames * sizeof(__u64);
	if (limit > (long)sizeof(buffer->frames))
		limit = sizeof(buffer->frames);
	buffer->head.tgid = current_tgid();
	buffer->head.tid = current_tid();
	buffer->head.epoch_mode = epoch_mode;
	buffer->head.flags = 0;
	if (!bpf_probe_read_user(buffer->head.top, sizeof(buffer->head.top), (void *)sp))
		buffer->head.flags = AOT_STACK_HAS_TOP;

	bytes = bpf_get_stack(ctx, buffer->frames, limit, BPF_F_USER_STACK);
	if (bytes < (long)sizeof(__u64)) {
		buffer->frames[0] = ip;
		buffer->head.flags |= AOT_STACK_FAILED;
		bytes = sizeof(__u64);
	} else {
		if (with_trampolines) {
			__u32 tgid = buffer->head.tgid;
			struct aot_range *range = bpf_map_lookup_elem(&trampolines, &tgid);

			if (range && crosses(buffer, range, bytes / sizeof(__u64)))
				bytes = walk_across(buffer, range, fp, cfg_max_frames) *
					(long)sizeof(__u64);
		}
		if (bytes >= limit)
			buffer->head.flags |= AOT_STACK_TRUNCATED;
	}
	if (bytes < (long)sizeof(__u64) || bytes > (long)sizeof(buffer->frames)) /* for the verifier */
		return;
	buffer->head.frame_count = bytes / sizeof(__u64);
	/* User space polls; a wakeup for each sample would cost more than the sample. */
	if (bpf_ringbuf_output(&samples, buffer, sizeof(buffer->head) + bytes, BPF_RB_NO_WAKEUP))
		count_lost(AOT_LOST_RING_FULL);
}

/* Whole words at constant offsets, or the verifier refuses: newer headers give cs 16 bits, and
 * without volatile the compiler may merge a load of the context with another one. */
#define CONTEXT_REG(ctx, name) (*(volatile __u64 *)(void *)&(ctx)->regs.name)

SEC("perf_event")
int on_sample(struct bpf_perf_event_data *ctx)
{
	__u32 mode = AOT_MODE_USER;
	__u64 cs = CONTEXT_REG(ctx, cs), ip = CONTEXT_REG(ctx, ip), sp = CONTEXT_REG(ctx, sp);
	__u64 fp = CONTEXT_REG(ctx, bp);

	if ((cs & 3) != 3) {
		/* In the kernel: charge the user instruction that led there. The user registers
		 * lie at the top of the task's kernel stack (bpf_task_pt_regs, kernel 5.15). */
		struct task_struct *task = bpf_get_current_task_btf();
		struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

		mode = AOT_MODE_KERNEL;
		ip = regs->ip;
		sp = regs->sp;
		fp = regs->bp;
		if (!ip) {
			count_lost(AOT_LOST_NO_USER_REGS);
			return 0;
		}
	}

	if (cfg_stacks) {
		send_stack(ctx, ip, sp, fp, epoch << 1 | mode);
	} else {
		struct aot_ip_key key = {
			.ip = ip,
			.tgid = current_tgid(),
			.epoch_mode = epoch << 1 | mode,
			.tid = cfg_per_thread ? current_tid() : 0,
		};
		__u32 buffer = active;

		if (count_in_slot(&key, buffer))
			return 0;
		if (buffer)
			count_in(&counters_b, &key);
		else
			count_in(&counters_a, &key);
	}
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
