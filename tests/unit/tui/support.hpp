// Profiles and snapshots by hand, keys by hand, no terminal.
#pragma once

#include <string>
#include <vector>

#include "tui/model.hpp"
#include "unit/view/make_profile.hpp"

namespace aotscope::test {

// Code of a function that is `length` times `nop`, then `ret`.
class NopCode : public store::CodeSource {
 public:
  explicit NopCode(std::size_t length = 0x100) : length_(length) {}
  std::vector<std::uint8_t> code(profile::FrameKey) override {
    std::vector<std::uint8_t> bytes(length_, 0x90);
    if (!bytes.empty()) bytes.back() = 0xC3;
    return bytes;
  }

 private:
  std::size_t length_;
};

inline tui::Options one_second() {
  tui::Options options;
  options.interval_s = 1;
  return options;
}

// A model that has seen `profile` once, at second 10.
struct Seen {
  Profile profile;
  NopCode code;
  tui::Model model{one_second()};

  explicit Seen(Profile p) : profile(std::move(p)) { tick(10); }
  void tick(double now) { model.update(profile, {now, now * 0.01}); }
  tui::Request key(tui::Key key) {
    const auto request = model.key(key);
    model.prepare(profile, code);
    return request;
  }
  void type(std::u32string_view text) {
    for (const char32_t c : text) key(c);
  }
  tui::Canvas draw(tui::Size size = {140, 40}, const tui::Caps& caps = {}) {
    model.prepare(profile, code);
    tui::Canvas canvas = tui::draw(model.snapshot(), size, caps);
    model.shown(canvas.first_item, canvas.page_items);
    return canvas;
  }
  std::string text(tui::Size size = {140, 40}) { return draw(size).text(); }
};

inline Profile many_functions(std::uint32_t count) {
  Profile profile;
  profile.info.frequency_hz = profile.info.frequency_asked = 999;
  profile.info.event = "cpu-clock";
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) names.push_back("function_" + std::to_string(i));
  profile.add_image(image_of(names));
  for (std::uint32_t i = 0; i < count; ++i) {
    add_wasm(profile, i, std::uint64_t{i} * 0x100, InstrClass::alu, InstrClass::alu, i + 1);
  }
  return profile;
}

}  // namespace aotscope::test
