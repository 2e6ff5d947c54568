// usage: make_week RECORDING: a week of a large component, fed through the store without waiting.
// One hour a day it keeps one CPU busy, else a fiftieth of one. What is busy changes by the hour:
// half of the stacks that are seen in one hour are new. Prints what it fed.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <aotscope/store.hpp>

#include "unit/profile/random_run.hpp"

namespace {

using namespace aotscope;
using profile::FrameKey;
using profile::FrameKind;
using test::Random;

constexpr std::uint64_t frequency = 999;
constexpr int days = 7;
constexpr std::uint64_t quiet = 50;             // this part of a busy hour's samples
constexpr std::uint64_t flush_s = 1800;         // what is known by then counts, not how often
constexpr std::uint64_t parts = 180;            // of them, each at a time of its own
constexpr std::uint32_t all_functions = 12000;  // of the image
constexpr std::uint64_t used_functions = 5000;  // of these that run
constexpr std::size_t stacks_an_hour = 3000;
constexpr std::uint64_t callees = 6;             // of a function
constexpr std::uint64_t run_instructions = 120;  // of a function, at most
constexpr std::uint64_t least_depth = 6;
constexpr std::uint64_t depths = 30;

void die(const Error& error) {
  std::fprintf(stderr, "make_week: %s\n", error.message.c_str());
  std::exit(1);
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return Random(a * 0x10001 + b).next(); }

class Week : public store::CodeSource {
 public:
  explicit Week(profile::Profile& profile) : profile_(profile) {
    profile::ImageEntry image;
    image.path = "app.0.cwasm";
    image.format = "wamr-zig";
    image.version = 11;
    image.arch = "x86-64";
    image.hash = std::string(64, 'a');
    for (std::uint32_t i = 0; i < all_functions; ++i) {
      const std::uint64_t size = 64 + random_.below(100) * random_.below(100) * 4 / 2;
      image.functions.push_back({i, i + 40, image.text_size, size,
                                 "engine::part_" + std::to_string(i % 97) + "::Type<" +
                                     std::to_string(i) + ">::method(const Value&, int)"});
      image.text_size += size;
    }
    profile_.add_image(std::move(image));
    for (int i = 0; i < 40; ++i) profile_.host_id("libc.so.6", "symbol_" + std::to_string(i));
    profile_.unknown_id(0);
    profile_.info.event = "cpu-clock";
    profile_.info.frequency_asked = profile_.info.frequency_hz = frequency;
    profile_.info.stacks = true;
    profile_.info.targets.push_back({7, "wamr", "wamr run app.wasm", "wamr", 0, false, {}});
    profile_.regions.push_back({7, 0, 0x7f0000000000, profile_.images()[0].text_size, 0, 0});
  }

  std::vector<std::uint8_t> code(FrameKey function) override {
    return std::vector<std::uint8_t>(profile_.function(function)->size, 0x90);
  }

  // Half of what was busy before stays.
  void next_hour() {
    for (auto& stack : stacks_)
      if (random_.one_in(2)) stack = new_stack();
    while (stacks_.size() < stacks_an_hour) stacks_.push_back(new_stack());
  }

  void feed(std::uint64_t samples, double time_s) {
    for (std::uint64_t i = 0; i < samples; ++i) profile_.add(sample(time_s));
    fed_ += samples;
  }

  std::uint64_t fed() const { return fed_; }
  std::uint64_t stacks() const { return new_stacks_; }

 private:
  // From one of a few roots along the callees that a function has.
  std::vector<FrameKey> new_stack() {
    ++new_stacks_;
    std::vector<FrameKey> stack;  // outermost first, until it is turned
    std::uint64_t function = random_.below(4);
    for (std::uint64_t left = least_depth + random_.below(depths); left > 0; --left) {
      stack.push_back({FrameKind::wasm, 0, static_cast<std::uint32_t>(function)});
      function = mixed(function, random_.below(callees)) % used_functions;
    }
    if (random_.one_in(25))
      stack.push_back({FrameKind::host, 0, static_cast<std::uint32_t>(random_.below(40))});
    return {stack.rbegin(), stack.rend()};
  }

  profile::Sample sample(double time_s) {
    // The hottest tenth of the stacks has nearly half of the samples.
    const double place = std::pow(static_cast<double>(random_.below(1U << 24)) / (1U << 24), 3);
    const auto& stack =
        stacks_[static_cast<std::size_t>(place * static_cast<double>(stacks_.size()))];
    profile::Sample out;
    out.leaf = stack.front();
    out.stack = stack;
    out.time_s = time_s;
    out.pid = 7;
    out.tid = 7 + static_cast<std::uint32_t>(random_.below(4));
    out.kernel = random_.one_in(20);
    if (out.leaf.kind == FrameKind::wasm) {
      const auto& entry = profile_.images()[0].functions[out.leaf.id];
      const double hot = std::pow(static_cast<double>(random_.below(1U << 20)) / (1U << 20), 2);
      const auto which = static_cast<std::uint64_t>(hot * run_instructions);
      out.text_offset = entry.offset + mixed(out.leaf.id, which) % (entry.size / 4) * 4;
      out.cls = static_cast<isa::InstrClass>(out.text_offset / 4 % isa::class_count);
      out.waits = static_cast<isa::InstrClass>(out.text_offset / 12 % isa::class_count);
    }
    return out;
  }

  profile::Profile& profile_;
  Random random_{1};
  std::vector<std::vector<FrameKey>> stacks_;
  std::uint64_t new_stacks_ = 0;
  std::uint64_t fed_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  profile::Profile profile;
  Week week(profile);
  auto writer = store::Writer::create(argv[1], true);
  if (!writer) die(writer.error());
  for (std::uint64_t hour = 0; hour < days * 24; ++hour) {
    week.next_hour();
    const bool busy = hour % 24 == 10;
    for (std::uint64_t second = 0; second < 3600; second += flush_s) {
      const std::uint64_t samples = frequency * flush_s / (busy ? 1 : quiet);
      const std::uint64_t start = hour * 3600 + second;
      for (std::uint64_t i = 0; i < parts; ++i)
        week.feed(samples / parts, static_cast<double>(start + i * flush_s / parts));
      profile.info.duration_s = static_cast<double>(start + flush_s);
      profile.info.target_cpu_s = static_cast<double>(week.fed()) / frequency;
      if (auto flushed = (*writer)->flush(profile, &week); !flushed) die(flushed.error());
    }
  }
  // What a flush costs by then, which comes once a second.
  week.feed(frequency, days * 86400.0);
  const std::clock_t before = std::clock();
  if (auto flushed = (*writer)->flush(profile, &week); !flushed) die(flushed.error());
  const double flush_ms = 1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  if (auto finished = (*writer)->finish(profile, &week); !finished) die(finished.error());
  std::size_t offsets = 0;
  for (const auto& [key, function] : profile.functions()) offsets += function.offsets.size();
  std::printf(
      "%llu samples, %zu functions, %llu stacks, %zu instructions; a second's flush %.0f ms\n",
      static_cast<unsigned long long>(week.fed()), profile.functions().size(),
      static_cast<unsigned long long>(week.stacks()), offsets, flush_ms);
  return profile.totals().total == week.fed() ? 0 : 1;
}
