// From what a user typed to one function.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "view/format.hpp"

namespace aotscope::view {
namespace {

using profile::FrameKey;
using profile::FrameKind;
using profile::FunctionEntry;
using profile::ImageEntry;
using profile::Profile;

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  return value;
}

// INDEX of "func[INDEX]".
std::optional<std::uint32_t> wasm_index(std::string_view text) {
  constexpr std::string_view prefix = "func[";
  if (!text.starts_with(prefix) || !text.ends_with(']')) return {};
  return number(text.substr(prefix.size(), text.size() - prefix.size() - 1));
}

struct Candidate {
  FrameKey key;
  const ImageEntry* image;
  const FunctionEntry* function;
  std::uint64_t self = 0;
};

template <typename Test>
std::vector<Candidate> all_that(std::span<const ImageEntry> images,
                                std::optional<std::uint32_t> core, const Profile* profile,
                                Test test) {
  std::vector<Candidate> out;
  for (const ImageEntry& image : images) {
    if (core && image.core != *core) continue;
    for (const FunctionEntry& function : image.functions) {
      if (!test(function)) continue;
      Candidate found{{FrameKind::wasm, image.id, function.local}, &image, &function};
      if (profile != nullptr) {
        const auto count = profile->functions().find(found.key);
        if (count != profile->functions().end()) found.self = count->second.self;
      }
      out.push_back(found);
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Candidate& a, const Candidate& b) { return a.self > b.self; });
  return out;
}

std::string list(const std::vector<Candidate>& candidates, bool several_cores) {
  constexpr std::size_t most = 8;
  std::string out;
  for (std::size_t i = 0; i < std::min(candidates.size(), most); ++i) {
    const Candidate& c = candidates[i];
    fmt::format_to(std::back_inserter(out), "{}{}{} ({})", i == 0 ? "" : ", ",
                   several_cores ? fmt::format("--core {} --func ", c.image->core) : "--func ",
                   c.function->local, safe_text(c.function->name, 60));
  }
  if (candidates.size() > most) {
    fmt::format_to(std::back_inserter(out), " and {} more", grouped(candidates.size() - most));
  }
  return out;
}

}  // namespace

ImageEntry image_entry(const image::Core& core, std::uint32_t number) {
  ImageEntry out;
  out.id = number;
  out.path = core.path().string();
  out.core = number;
  out.format = core.format();
  out.version = core.version();
  out.arch = image::arch_name(core.arch());
  out.text_size = core.text().size();
  out.functions.reserve(core.functions().size());
  for (const image::Function& function : core.functions()) {
    out.functions.push_back(
        {function.local, function.index, function.offset, function.size,
         image::Core::display_name(function).substr(0, profile::max_name_bytes)});
  }
  return out;
}

image::Arch arch_of(const ImageEntry& image) {
  for (const image::Arch arch : {image::Arch::x86_64, image::Arch::aarch64}) {
    if (image.arch == image::arch_name(arch)) return arch;
  }
  return image::Arch::unknown;
}

Result<FrameKey> choose_function(std::span<const ImageEntry> images, std::string_view wanted,
                                 std::optional<std::uint32_t> core, const Profile* profile) {
  const bool several = images.size() > 1;
  const std::string shown = safe_text(wanted, 120);
  if (images.empty()) return fail(fmt::format("no function {}: there is no image", shown));
  if (core && std::none_of(images.begin(), images.end(),
                           [&](const ImageEntry& image) { return image.core == *core; })) {
    std::string cores;
    for (const ImageEntry& image : images) {
      cores += fmt::format("{}{}", cores.empty() ? "" : ", ", image.core);
    }
    return fail(fmt::format("there is no core {}", *core), "the cores are " + cores);
  }

  // A number is a local index first: the candidates that errors list are given by it, so it must
  // work even where a function is called "7".
  std::vector<Candidate> found;
  const auto look = [&](auto test) {
    if (found.empty()) found = all_that(images, core, profile, test);
  };
  if (const auto local = number(wanted)) {
    look([&](const FunctionEntry& f) { return f.local == *local; });
  } else if (const auto index = wasm_index(wanted)) {
    look([&](const FunctionEntry& f) { return f.index == *index; });
  }
  look([&](const FunctionEntry& f) { return f.name == wanted; });
  if (wanted.find('\\') != std::string_view::npos) {
    // As the tables show it, so that what is copied from there works.
    look([&](const FunctionEntry& f) { return safe_text(f.name) == wanted; });
  }
  if (found.size() == 1) return found.front().key;
  if (!found.empty()) {
    return fail(fmt::format("{} functions are meant by --func {}", found.size(), shown),
                "choose one of: " + list(found, several));
  }

  const std::vector<Candidate> similar =
      all_that(images, core, profile, [&](const FunctionEntry& f) {
        return !wanted.empty() && f.name.find(wanted) != std::string::npos;
      });
  std::string where = base_name(images.front().path);
  if (several) where = core ? fmt::format("core {}", *core) : "any core";
  std::string hint;
  if (!similar.empty()) {
    hint = "did you mean: " + list(similar, several);
  } else {
    std::vector<Candidate> hot =
        all_that(images, core, profile, [](const FunctionEntry&) { return true; });
    if (profile != nullptr) {
      std::erase_if(hot, [](const Candidate& c) { return c.self == 0; });
    }
    if (!hot.empty()) {
      hint = (profile != nullptr ? "with samples there are: " : "there are: ") + list(hot, several);
    }
  }
  return fail(fmt::format("no function {} in {}", shown, where), hint);
}

}  // namespace aotscope::view
