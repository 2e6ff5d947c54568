// Static counts of whole cores, on all CPUs. Nothing of a function is kept but its counts.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_map>

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
  Crew(const image::Core& core, std::vector<FunctionCounts>& out) : core_(core), out_(out) {
    // Functions may share an offset, and then their code: it is counted once.
    std::unordered_map<std::uint64_t, std::size_t> first;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto [at, is_first] = first.emplace(core.functions()[i].offset, i);
      if (is_first)
        todo_.push_back(i);
      else
        copies_.emplace_back(i, at->second);
    }
  }

  void run(unsigned threads, const std::function<void(std::size_t)>& progress) {
    {
      std::vector<std::jthread> hands;
      // With progress to show, this thread only watches; else it lends a hand.
      for (unsigned i = progress ? 0 : 1; i < threads; ++i)
        if (!hire(hands)) break;
      if (hands.empty() || !progress) work();
      if (progress) watch(progress);
    }  // joins
    for (const auto& [to, from] : copies_)
      out_[to] = {core_.functions()[to].local, out_[from].counts};
    if (progress) progress(out_.size());
  }

 private:
  bool hire(std::vector<std::jthread>& hands) {
    try {
      hands.emplace_back([this] { work(); });
      return true;
    } catch (const std::system_error&) {  // no more threads to be had: go on with fewer
      return false;
    }
  }

  void work() {
    Work scratch;
    for (;;) {
      const std::size_t from = next_.fetch_add(batch, std::memory_order_relaxed);
      if (from >= todo_.size()) return;
      const std::size_t to = std::min(from + batch, todo_.size());
      for (std::size_t k = from; k < to; ++k) {
        const image::Function& function = core_.functions()[todo_[k]];
        out_[todo_[k]] = {function.local, count_with(scratch, core_.arch(), core_.text(),
                                                     function.offset, function.size)};
      }
      const std::lock_guard lock(mutex_);
      done_ += to - from;
      if (done_ == todo_.size()) finished_.notify_all();
    }
  }

  void watch(const std::function<void(std::size_t)>& progress) {
    std::unique_lock lock(mutex_);
    while (!finished_.wait_for(lock, std::chrono::milliseconds(100),
                               [this] { return done_ == todo_.size(); })) {
      const std::size_t done = done_;
      lock.unlock();
      progress(done);
      lock.lock();
    }
  }

  static constexpr std::size_t batch = 16;
  const image::Core& core_;
  std::vector<FunctionCounts>& out_;
  std::vector<std::size_t> todo_;
  std::vector<std::pair<std::size_t, std::size_t>> copies_;  // to, from
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable finished_;
  std::size_t done_ = 0;
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
