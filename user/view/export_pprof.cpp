// `report --pprof`: github.com/google/pprof, proto/profile.proto. The numbers below are its field
// numbers.
#include <limits>
#include <unordered_map>

#include <zlib.h>
#include <protozero/pbf_writer.hpp>

#include <aotscope/exports.hpp>
#include <aotscope/view.hpp>

#include "view/format.hpp"
#include "view/stack_frames.hpp"

namespace aotscope::view {
namespace {

using profile::FrameKey;
using profile::FrameKind;
using profile::Profile;

// The string table; number 0 is the empty string.
class Strings {
 public:
  Strings() { number(""); }
  std::int64_t number(const std::string& text) {
    const auto [at, fresh] = numbers_.try_emplace(text, static_cast<std::int64_t>(strings_.size()));
    if (fresh) strings_.push_back(text);
    return at->second;
  }
  const std::vector<std::string>& all() const { return strings_; }

 private:
  std::vector<std::string> strings_;
  std::unordered_map<std::string, std::int64_t> numbers_;
};

class PprofWriter {
 public:
  explicit PprofWriter(const Profile& profile)
      : profile_(profile), frames_(profile), dealer_(profile), out_(bytes_) {}

  std::string write() {
    value_type(1, "samples", "count");
    value_type(1, "cpu", "nanoseconds");
    samples();
    mappings();
    for (std::uint32_t i = 0; i < frames_.frames().size(); ++i) location(i);
    for (std::uint32_t i = 0; i < frames_.frames().size(); ++i) function(i);
    const profile::RunInfo& info = profile_.info;
    out_.add_int64(9, static_cast<std::int64_t>(info.started_unix_s * 1e9));
    out_.add_int64(10, static_cast<std::int64_t>(info.sampled_s() * 1e9));
    value_type(11, "cpu", "nanoseconds");
    out_.add_int64(12, period_ns());
    out_.add_int64(13, strings_.number("aotscope, event " + safe_text(info.event, 60)));
    // Last: everything above has added to it.
    for (const std::string& text : strings_.all()) out_.add_string(6, text);
    return std::move(bytes_);
  }

 private:
  std::int64_t period_ns() const {
    const std::uint64_t hz = profile_.info.frequency_hz;
    return hz == 0 ? 0 : static_cast<std::int64_t>(1'000'000'000 / hz);
  }

  void value_type(protozero::pbf_tag_type field, const char* type, const char* unit) {
    protozero::pbf_writer message(out_, field);
    message.add_int64(1, strings_.number(type));
    message.add_int64(2, strings_.number(unit));
  }

  void label(protozero::pbf_writer& sample, const char* key, const std::string& text) {
    protozero::pbf_writer message(sample, 3);
    message.add_int64(1, strings_.number(key));
    message.add_int64(2, strings_.number(text));
  }

  void sample(const std::vector<std::uint64_t>& locations, std::uint64_t count, FrameKey leaf,
              const isa::InstrClass* cls) {
    protozero::pbf_writer message(out_, 2);
    message.add_packed_uint64(1, locations.begin(), locations.end());
    const std::int64_t values[] = {static_cast<std::int64_t>(count),
                                   static_cast<std::int64_t>(count) * period_ns()};
    message.add_packed_int64(2, std::begin(values), std::end(values));
    if (cls == nullptr) return;
    label(message, "class", std::string(isa::class_id(*cls)));
    label(message, "image", frame_file(profile_, leaf));
    label(message, "core", std::to_string(profile_.images()[leaf.image].core));
  }

  void samples() {
    const auto& nodes = profile_.stacks();
    std::vector<std::uint64_t> locations;
    for (std::uint32_t i = 1; i < nodes.size(); ++i) {
      if (nodes[i].self == 0) continue;
      locations.clear();  // innermost first
      for (std::uint32_t node = i; node != 0; node = nodes[node].parent) {
        locations.push_back(frames_.number(nodes[node].frame) + 1);
      }
      const FrameKey leaf = nodes[i].frame;
      if (leaf.kind != FrameKind::wasm) {
        sample(locations, nodes[i].self, leaf, nullptr);
        continue;
      }
      const auto classes = dealer_.deal(leaf, nodes[i].self);
      for (std::size_t c = 0; c < classes.size(); ++c) {
        const auto cls = static_cast<isa::InstrClass>(c);
        if (classes[c] != 0) sample(locations, classes[c], leaf, &cls);
      }
    }
  }

  // Where the image's text was first seen; 0 when the recording has no place for it.
  std::uint64_t text_start(std::uint32_t image) const {
    for (const profile::RegionEntry& region : profile_.regions) {
      if (region.image == image) return region.start;
    }
    return 0;
  }

  void mappings() {
    for (const profile::ImageEntry& image : profile_.images()) {
      protozero::pbf_writer message(out_, 3);
      message.add_uint64(1, image.id + 1U);
      message.add_uint64(2, text_start(image.id));
      message.add_uint64(3, text_start(image.id) + image.text_size);
      message.add_int64(5, strings_.number(base_name(image.path)));
      message.add_int64(6, strings_.number(image.hash));
      message.add_bool(7, true);  // names are complete: nothing for pprof to symbolize
    }
  }

  void location(std::uint32_t number) {
    const FrameKey frame = frames_.frames()[number];
    protozero::pbf_writer message(out_, 4);
    message.add_uint64(1, number + 1U);
    if (const profile::FunctionEntry* entry = profile_.function(frame)) {
      message.add_uint64(2, frame.image + 1U);
      message.add_uint64(3, text_start(frame.image) + entry->offset);
    }
    protozero::pbf_writer line(message, 4);
    line.add_uint64(1, number + 1U);
  }

  void function(std::uint32_t number) {
    const FrameKey frame = frames_.frames()[number];
    const std::int64_t name = strings_.number(frame_label(profile_, frame));
    protozero::pbf_writer message(out_, 5);
    message.add_uint64(1, number + 1U);
    message.add_int64(2, name);
    message.add_int64(3, name);
    message.add_int64(4, strings_.number(frame_file(profile_, frame)));
  }

  const Profile& profile_;
  FrameTable frames_;
  ClassDealer dealer_;
  Strings strings_;
  std::string bytes_;
  protozero::pbf_writer out_;
};

Result<std::string> gzip(const std::string& bytes) {
  constexpr int with_gzip_header = 15 + 16;
  if (bytes.size() > std::numeric_limits<uInt>::max()) {
    return fail("the profile is larger than 4 GiB");
  }
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, with_gzip_header, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return fail("zlib cannot begin to compress");
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  // zlib does not write to its input, though older ones do not say so.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) return fail("zlib cannot compress the profile");
  return out;
}

}  // namespace

Result<std::string> pprof_profile(const Profile& profile) {
  return gzip(PprofWriter(profile).write());
}

}  // namespace aotscope::view
