// Profiles made by hand for the views' tests.
#pragma once

#include <string>
#include <vector>

#include <aotscope/profile.hpp>

namespace aotscope::test {

using isa::InstrClass;
using profile::FrameKey;
using profile::FrameKind;
using profile::Profile;

inline FrameKey wasm(std::uint32_t local, std::uint32_t image = 0) {
  return {FrameKind::wasm, image, local};
}

// An image of functions of 0x100 bytes each, with two function imports before them.
inline profile::ImageEntry image_of(const std::vector<std::string>& names,
                                    const std::string& path = "/srv/mix.cwasm",
                                    std::uint32_t core = 0) {
  profile::ImageEntry image;
  image.path = path;
  image.core = core;
  image.format = "wamr-zig";
  image.version = 11;
  image.arch = "x86-64";
  image.text_size = names.size() * 0x100;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    image.functions.push_back({i, i + 2, std::uint64_t{i} * 0x100, 0x100, names[i]});
  }
  return image;
}

inline void add_wasm(Profile& profile, std::uint32_t local, std::uint64_t offset, InstrClass cls,
                     InstrClass waits, std::uint64_t count, bool kernel = false) {
  profile::Sample sample;
  sample.leaf = wasm(local);
  sample.text_offset = offset;
  sample.cls = cls;
  sample.waits = waits;
  sample.count = count;
  sample.kernel = kernel;
  profile.add(sample);
}

// 100 samples: hot 60 (40 moves of which 30 wait for float, 20 float), cold 30 (alu, 5 of them
// in the kernel), host 8, unknown 2; 4 more are lost.
inline Profile sample_profile() {
  Profile profile;
  profile.info.event = "cpu-clock";
  profile.info.frequency_asked = 999;
  profile.info.frequency_hz = 999;
  profile.info.duration_s = 6.2;
  profile::TargetEntry target;
  target.pid = 4121;
  target.comm = "wamr";
  target.command = "wamr run mix.cwasm";
  target.runtime = "wamr 3.0.0";
  profile.info.targets.push_back(target);
  profile.info.lost.push_back({"map-full", "--map-size 65536", 4});
  profile.add_image(image_of({"hot", "cold", "idle"}));
  profile.regions.push_back({4121, 0, 0x7f0000001000, 0x300, 0.0, 6.2});
  add_wasm(profile, 0, 0x10, InstrClass::move, InstrClass::floating, 30);
  add_wasm(profile, 0, 0x13, InstrClass::move, InstrClass::move, 10);
  add_wasm(profile, 0, 0x17, InstrClass::floating, InstrClass::floating, 20);
  add_wasm(profile, 1, 0x120, InstrClass::alu, InstrClass::alu, 25);
  add_wasm(profile, 1, 0x124, InstrClass::alu, InstrClass::alu, 5, true);
  profile::Sample host;
  host.leaf = {FrameKind::host, 0, profile.host_id("/usr/bin/wamr", "main_loop")};
  host.count = 8;
  profile.add(host);
  profile::Sample unknown;
  unknown.leaf = {FrameKind::unknown, 0, profile.unknown_id(0x7f1000000000)};
  unknown.address = 0x7f1000000123;
  unknown.count = 2;
  profile.add(unknown);
  return profile;
}

inline std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// The first line that holds `part`, or empty.
inline std::string line_with(const std::string& text, const std::string& part) {
  for (const std::string& line : lines(text)) {
    if (line.find(part) != std::string::npos) return line;
  }
  return {};
}

// An image of the named functions, with so many samples each.
inline Profile run_of(const std::vector<std::string>& names,
                      const std::vector<std::uint64_t>& samples, double cpu_s = 10) {
  Profile profile;
  profile.info.event = "cpu-clock";
  profile.info.frequency_hz = 999;
  profile.info.target_cpu_s = cpu_s;
  profile.add_image(image_of(names));
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    if (samples[i] == 0) continue;
    add_wasm(profile, i, i * 0x100, isa::InstrClass::spill_load, isa::InstrClass::spill_load,
             samples[i]);
  }
  return profile;
}

}  // namespace aotscope::test
