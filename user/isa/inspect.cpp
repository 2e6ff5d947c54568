// Static counts of whole cores, on all CPUs. Nothing of a function is kept but its counts.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include <aotscope/isa.hpp>

#include "isa/work.hpp"

namespace aotscope::isa {
namespace {

StaticCounts count_with(Work& work, image::Arch arch, std::span<const std::uint8_t> text,
                        std::uint64_t offset, std::uint64_t size) {
  StaticCounts counts;
  counts.size = size;
  if (offset > text.size()) return counts;
  const auto code = text.subspan(offset, std::min<std::uint64_t>(size, text.size() - offset));
  counts.classified = run(arch, code, work, false);
  if (!counts.classified) return counts;
  counts.instructions = static_cast<std::uint32_t>(work.ops.size());
  counts.spill_loads = work.spill_loads;
  counts.spill_stores = work.spill_stores;
  counts.frame_size = work.frame_size;
  counts.undecoded_bytes = work.undecoded_bytes;
  for (const InstrClass cls : work.classes) ++counts.classes[static_cast<std::size_t>(cls)];
  return counts;
}

// Hands out functions in small batches: they differ in size by a factor of a thousand.
class Crew {
 public:
  Crew(const image::Core& core, std::vector<FunctionCounts>& out) : core_(core), out_(out) {}

  void work() {
    Work scratch;
    const auto functions = core_.functions();
    for (;;) {
      const std::size_t from = next_.fetch_add(batch, std::memory_order_relaxed);
      if (from >= functions.size()) break;
      const std::size_t to = std::min(from + batch, functions.size());
      for (std::size_t i = from; i < to; ++i)
        out_[i] = {functions[i].local, count_with(scratch, core_.arch(), core_.text(),
                                                  functions[i].offset, functions[i].size)};
      done_.fetch_add(to - from, std::memory_order_relaxed);
    }
    const std::lock_guard lock(mutex_);
    --running_;
    finished_.notify_all();
  }

  void run(unsigned threads, const std::function<void(std::size_t)>& progress) {
    running_ = 1;
    std::vector<std::jthread> hands;
    // With progress to show, this thread only watches; else it lends a hand.
    const unsigned extra = progress ? threads : threads - 1;
    for (unsigned i = 0; i < extra; ++i) {
      try {
        {
          const std::lock_guard lock(mutex_);
          ++running_;
        }
        hands.emplace_back([this] { work(); });
      } catch (const std::system_error&) {  // no more threads to be had: go on with fewer
        const std::lock_guard lock(mutex_);
        --running_;
        break;
      }
    }
    if (!progress || hands.empty()) return work();
    std::unique_lock lock(mutex_);
    --running_;
    while (!finished_.wait_for(lock, std::chrono::milliseconds(100),
                               [this] { return running_ == 0; })) {
      lock.unlock();
      progress(done_.load(std::memory_order_relaxed));
      lock.lock();
    }
    lock.unlock();
    progress(done_.load());
  }

 private:
  static constexpr std::size_t batch = 16;
  const image::Core& core_;
  std::vector<FunctionCounts>& out_;
  std::atomic<std::size_t> next_{0}, done_{0};
  std::mutex mutex_;
  std::condition_variable finished_;
  unsigned running_ = 0;
};

}  // namespace

StaticCounts count(image::Arch arch, std::span<const std::uint8_t> text, std::uint64_t offset,
                   std::uint64_t size) {
  thread_local Work work;
  return count_with(work, arch, text, offset, size);
}

std::vector<FunctionCounts> inspect_core(const image::Core& core, unsigned threads,
                                         const std::function<void(std::size_t done)>& progress) {
  std::vector<FunctionCounts> counts(core.functions().size());
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  Crew(core, counts).run(threads, progress);
  return counts;
}

std::vector<BadTarget> check_targets(const image::Core& core) {
  std::vector<BadTarget> outside, bad;
  Work work;
  const auto code_of = [&](const image::Function& function) {
    const auto text = core.text();
    if (function.offset > text.size()) return std::span<const std::uint8_t>();
    return text.subspan(function.offset,
                        std::min<std::uint64_t>(function.size, text.size() - function.offset));
  };
  for (const image::Function& function : core.functions()) {
    if (!run(core.arch(), code_of(function), work, false)) return {};
    for (const Op& op : work.ops) {
      if (!op.jumps() && op.kind != Kind::call) continue;
      const std::int64_t target = op.value + static_cast<std::int64_t>(function.offset);
      const BadTarget entry{function.local, function.offset + op.offset, target};
      if (op.value < 0 || static_cast<std::uint64_t>(op.value) >= function.size)
        outside.push_back(entry);
      else if (!work.starts.test(static_cast<std::uint64_t>(op.value)))
        bad.push_back(entry);
    }
  }
  // Calls lead to the beginnings of functions; anything else is looked up in the one it leads to.
  for (const BadTarget& entry : outside) {
    const auto offset = static_cast<std::uint64_t>(entry.target);
    const image::Function* callee = entry.target < 0 ? nullptr : core.function_at(offset);
    if (callee && callee->offset == offset) continue;
    if (callee) run(core.arch(), code_of(*callee), work, false);
    if (!callee || !work.starts.test(offset - callee->offset)) bad.push_back(entry);
  }
  return bad;
}

}  // namespace aotscope::isa
