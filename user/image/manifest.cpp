#include "image/manifest.hpp"

#include <algorithm>
#include <exception>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "image/bytes.hpp"

namespace aotscope::image {
namespace {

constexpr std::size_t kLargest = 4 << 20;    // bytes; wamr itself reads no larger manifest
constexpr std::size_t kDeepest = 16;         // a manifest needs 3
constexpr std::size_t kMostModules = 1'000;  // each is a file to map

// Takes what it knows as the parser meets it and builds no tree, so a hostile manifest costs no
// memory: nlohmann's DOM takes 16 bytes and more for each byte of "[[[[".
class ManifestHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit ManifestHandler(Manifest& manifest) : manifest_(manifest) {}

  std::string problem;  // empty after success

  bool null() override { return scalar("null"); }
  bool boolean(bool) override { return scalar("a boolean"); }
  bool number_float(number_float_t, const string_t&) override { return scalar("a fraction"); }
  bool binary(binary_t&) override { return scalar("binary"); }
  bool number_integer(number_integer_t) override { return scalar("a negative number"); }
  bool number_unsigned(number_unsigned_t value) override {
    if (std::uint64_t* place = number_place()) {
      *place = value;
      return true;
    }
    return scalar("a number");
  }
  bool string(string_t& value) override {
    if (std::string* place = string_place()) {
      *place = std::move(value);
      return true;
    }
    return scalar("a string");
  }

  bool start_object(std::size_t) override {
    if (within_.empty()) return enter(Within::root);
    if (within_.back() == Within::modules) {
      if (manifest_.modules.size() >= kMostModules) {
        return stop(fmt::format("more than {} modules", kMostModules));
      }
      manifest_.modules.emplace_back();
      return enter(Within::module);
    }
    return expected("an object") && enter(Within::other);
  }
  bool start_array(std::size_t) override {
    if (within_.empty()) return stop("an array, where an object is expected");
    if (within_.back() == Within::root && key_ == "modules") {
      has_modules_ = true;
      return enter(Within::modules);
    }
    return expected("an array") && enter(Within::other);
  }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool key(string_t& value) override {
    key_ = std::move(value);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    return stop(fmt::format("not JSON at offset 0x{:x}", position == 0 ? 0 : position - 1));
  }

  bool has_modules() const { return has_modules_; }

 private:
  enum class Within { root, modules, module, other };

  bool stop(std::string why) {
    problem = std::move(why);
    return false;
  }
  bool enter(Within where) {
    if (within_.size() >= kDeepest) {
      return stop(fmt::format("nested deeper than {} levels", kDeepest));
    }
    within_.push_back(where);
    key_.clear();
    return true;
  }
  bool leave() {
    within_.pop_back();
    key_.clear();
    return true;
  }
  std::string* string_place() {
    if (within_.empty()) return nullptr;
    if (within_.back() == Within::root) {
      if (key_ == "wamr_build_id") return &manifest_.build_id;
      if (key_ == "component_sha256") return &manifest_.component_sha256;
    }
    if (within_.back() == Within::module) {
      if (key_ == "path") return &manifest_.modules.back().path;
      if (key_ == "sha256") return &manifest_.modules.back().sha256;
    }
    return nullptr;
  }
  std::uint64_t* number_place() {
    if (within_.empty()) return nullptr;
    if (within_.back() == Within::root && key_ == "version") return &manifest_.version;
    if (within_.back() == Within::module && key_ == "idx") return &manifest_.modules.back().idx;
    return nullptr;
  }
  // False for a value of the wrong type under a key that is read; keys that are not are skipped.
  bool expected(std::string_view got) {
    if (within_.empty()) return stop(fmt::format("{}, where an object is expected", got));
    const bool number = number_place() != nullptr;
    if (number || string_place() != nullptr) {
      return stop(fmt::format("\"{}\" is {}, where a {} is expected", key_, got,
                              number ? "number" : "string"));
    }
    if (within_.back() == Within::root && key_ == "modules") {
      return stop(fmt::format("\"modules\" is {}, where an array is expected", got));
    }
    if (within_.back() == Within::modules) {
      return stop(fmt::format("module {} is {}, where an object is expected",
                              manifest_.modules.size(), got));
    }
    return true;
  }
  bool scalar(std::string_view got) { return expected(got); }

  Manifest& manifest_;
  std::vector<Within> within_;
  std::string key_;  // the last key met in the innermost object
  bool has_modules_ = false;
};

}  // namespace

Result<Manifest> parse_manifest(std::string_view text, const std::filesystem::path& path) {
  const std::string name = printable(path);
  if (text.size() > kLargest) {
    return fail(fmt::format("{}: {} bytes, at most {} are read from a manifest", name, text.size(),
                            kLargest));
  }
  Manifest manifest;
  ManifestHandler handler(manifest);
  bool whole = false;
  try {
    whole = nlohmann::json::sax_parse(text.begin(), text.end(), &handler);
  } catch (const std::exception& e) {  // the handler takes parse errors; this is what is left
    return fail(fmt::format("{}: {}", name, printable(std::string_view(e.what()))));
  }
  if (!whole) return fail(fmt::format("{}: {}", name, handler.problem));
  if (!handler.has_modules()) {
    return fail(fmt::format("{}: a JSON file without \"modules\", not a manifest", name),
                "a manifest is written by: wamrc compile-component app.wasm -o app.cwasm.json");
  }
  std::set<std::uint64_t> seen;
  for (std::size_t i = 0; i < manifest.modules.size(); ++i) {
    if (manifest.modules[i].path.empty()) {
      return fail(fmt::format("{}: module {} has no \"path\"", name, i));
    }
    seen.insert(manifest.modules[i].idx);
  }
  if (seen.size() == manifest.modules.size()) {
    std::sort(manifest.modules.begin(), manifest.modules.end(),
              [](const ManifestModule& a, const ManifestModule& b) { return a.idx < b.idx; });
  }
  return manifest;
}

}  // namespace aotscope::image
