// Fills a profile from a recording and believes nothing that the recording says: each id has to
// exist, each count has to fit, and in the end every sum has to hold. Pure, as the whole room.
//
// Call in this order: images (Profile::add_image), hosts, unknowns, threads, offsets, function
// totals, nodes, buckets, details, finish. A false says that this row cannot be; stop there.
#pragma once

#include <cstdint>
#include <vector>

#include <aotscope/profile.hpp>

namespace aotscope::profile {

class Loader {
 public:
  // Every count of a recording is at most its number of samples. 2^53: exact in JSON too, and no
  // sum of two overflows.
  static constexpr std::uint64_t max_samples = 1ULL << 53;
  static constexpr std::size_t max_nodes = 1U << 21;

  // `samples` is what the recording says it holds in all.
  Loader(Profile& profile, std::uint64_t samples) : profile_(profile), samples_(samples) {}

  bool host(HostEntry entry);
  bool unknown(std::uint64_t region, std::uint64_t self, std::uint64_t kernel);
  bool unknown_address(std::uint32_t id, std::uint64_t address, std::uint64_t count);
  bool thread(ThreadEntry entry);
  bool offset(FrameKey function, std::uint64_t offset, const OffsetCount& count);
  // Checks self and kernel against the offsets.
  bool function_total(FrameKey function, std::uint64_t self, std::uint64_t total,
                      std::uint64_t kernel);
  bool node(const StackNode& node);
  bool bucket_seconds(std::uint64_t width);
  bool bucket(std::uint64_t start, std::uint64_t host, std::uint64_t unknown,
              std::uint64_t samples);
  bool bucket_count(std::uint64_t start, FrameKey function, InstrClass cls, std::uint64_t count);
  bool detail_seconds(std::uint64_t width);
  bool detail_stack(std::uint64_t start, std::uint32_t node, std::uint64_t count);
  bool detail_offset(std::uint64_t start, FrameKey function, std::uint64_t offset,
                     std::uint64_t count);
  // Null, or what does not add up.
  const char* finish();

 private:
  bool fits(std::uint64_t count, std::uint64_t kernel) const {
    return count <= samples_ && kernel <= count;
  }
  Detail* detail(std::uint64_t start);
  const char* finish_details();
  bool charge(std::uint64_t& total, std::uint64_t count, std::uint64_t kernel);

  Profile& profile_;
  std::uint64_t samples_;
  std::uint64_t node_samples_ = 0;
  std::uint64_t node_kernel_ = 0;
  std::uint64_t detail_samples_ = 0;
  std::vector<std::uint32_t> depth_{0};  // by node
};

}  // namespace aotscope::profile
