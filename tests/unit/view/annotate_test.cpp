// annotate, on code assembled by hand.
#include <catch2/catch.hpp>

#include <aotscope/view.hpp>

#include "unit/view/make_profile.hpp"

using namespace aotscope;
using namespace aotscope::test;

namespace {

const std::vector<std::uint8_t> loop = {
    0x55,                                      // +0x00 push rbp
    0x48, 0x89, 0xe5,                          // +0x01 mov rbp, rsp
    0x48, 0x81, 0xec, 0x10, 0x02, 0x00, 0x00,  // +0x04 sub rsp, 0x210
    0xf2, 0x0f, 0x5e, 0xc1,                    // +0x0b divsd xmm0, xmm1
    0x66, 0x48, 0x0f, 0x7e, 0xc0,              // +0x0f movq rax, xmm0
    0x49, 0x89, 0xc1,                          // +0x14 mov r9, rax
    0x75, 0xf2,                                // +0x17 jne +0x0b
    0xe8, 0xe2, 0xfe, 0xff, 0xff,              // +0x19 call 0x100 bytes before the function
    0x48, 0x89, 0xec,                          // +0x1e mov rsp, rbp
    0x5d,                                      // +0x21 pop rbp
    0xc3,                                      // +0x22 ret
};

const std::vector<std::uint8_t> switched = {
    0x41, 0x83, 0xfb, 0x03,                                      // +0x00 cmp r11d, 3
    0x0f, 0x83, 0x1e, 0x00, 0x00, 0x00,                          // +0x04 jae +0x28
    0x4c, 0x8d, 0x15, 0x0a, 0x00, 0x00, 0x00,                    // +0x0a lea r10, [rip + 10]
    0x4f, 0x63, 0x1c, 0x9a,                                      // +0x11 movsxd r11, [r10 + r11*4]
    0x4d, 0x01, 0xda,                                            // +0x15 add r10, r11
    0x41, 0xff, 0xe2,                                            // +0x18 jmp r10
    0x0c, 0,    0,    0,    0x0c, 0,    0,    0, 0x0d, 0, 0, 0,  // +0x1b table: +0x27, +0x27, +0x28
    0x90,                                                        // +0x27 nop
    0xc3,                                                        // +0x28 ret
};

// 25 samples in `loop`, local 1, called by local 0 only; 75 elsewhere.
Profile loop_profile() {
  Profile profile;
  profile.info.stacks = true;
  profile.add_image(image_of({"_start", "loop", "other"}));
  const std::vector<FrameKey> stack = {wasm(1), wasm(0)};
  const auto add = [&](std::uint64_t offset, InstrClass cls, InstrClass waits, std::uint64_t n) {
    profile::Sample sample;
    sample.leaf = wasm(1);
    sample.text_offset = 0x100 + offset;
    sample.cls = cls;
    sample.waits = waits;
    sample.count = n;
    sample.stack = stack;
    profile.add(sample);
  };
  add(0x0b, InstrClass::floating, InstrClass::floating, 3);
  add(0x0f, InstrClass::move, InstrClass::floating, 17);
  add(0x14, InstrClass::move, InstrClass::floating, 4);
  add(0x22, InstrClass::call, InstrClass::call, 1);
  add_wasm(profile, 2, 0x200, InstrClass::alu, InstrClass::alu, 75);
  return profile;
}

view::Listing listing_of(const Profile& profile) {
  view::Listing listing;
  listing.image = &profile.images()[0];
  listing.local = 1;
  listing.code = loop;
  listing.profile = &profile;
  return listing;
}

}  // namespace

TEST_CASE("annotate: header, mix, callers") {
  const Profile profile = loop_profile();
  const std::string text = view::annotate_text(listing_of(profile), {});
  CHECK(lines(text)[0] == "loop  core 0 local 1 (func[3])  mix.cwasm");
  CHECK(line_with(text, "text 0x100 to 0x123, 35 bytes, 11 instructions, frame 528 bytes") != "");
  CHECK(line_with(text, "25 samples") == "25 samples, 25.00% of all; with what it calls 25.00%");
  CHECK(line_with(text, "called by") == "called by _start 100.0%");
  CHECK(line_with(text, "about to run") != "");
  // Of 25: 21 on moves, 3 on float, 1 on call; 24 wait for float, 1 for call.
  CHECK(line_with(text, "move  ") == "move             84.0         21     0.0          0");
  CHECK(line_with(text, "float  ") == "float            12.0          3    96.0         24");
}

TEST_CASE("annotate: the hottest instructions come first, then all of them") {
  const Profile profile = loop_profile();
  const auto text = lines(view::annotate_text(listing_of(profile), {}));
  const auto at = [&](const std::string& part, std::size_t from) {
    for (std::size_t i = from; i < text.size(); ++i) {
      if (text[i].find(part) != std::string::npos) return i;
    }
    return text.size();
  };
  const std::size_t hottest = at("the 4 hottest instructions", 0);
  REQUIRE(hottest < text.size());
  CHECK(text[hottest + 2].starts_with(" 68.00        17       0x10f     +0xf  move         float"));
  CHECK(text[hottest + 3].find("+0x14") != std::string::npos);  // 4
  CHECK(text[hottest + 4].find("+0xb") != std::string::npos);   // 3
  CHECK(text[hottest + 5].find("+0x22") != std::string::npos);  // 1

  const std::size_t whole = hottest + 7;
  // 24 of 25 samples are in the loop's block.
  const std::size_t head = at("╭─ hottest block: 96.0% of the function", whole);
  REQUIRE(head < text.size());
  CHECK(text[head + 1].ends_with("│ L1:"));
  CHECK(text[head + 2].find("divsd   xmm0, xmm1") != std::string::npos);
  CHECK(text[head + 3].find("│ movq    rax, xmm0") != std::string::npos);
  CHECK(text[head + 3].ends_with("← +0xb"));
  CHECK(text[head + 4].ends_with("← +0xb"));
  CHECK(text[head + 5].find("│ jne     L1") != std::string::npos);
  CHECK(text[head + 6].ends_with("╰─"));
  CHECK(text[head + 7].ends_with("  call    _start"));
}

TEST_CASE("annotate: a precise event needs no waits") {
  Profile profile = loop_profile();
  profile.info.precise = true;
  const std::string text = view::annotate_text(listing_of(profile), {});
  CHECK(text.find("waits") == std::string::npos);
  CHECK(text.find("←") == std::string::npos);
  CHECK(line_with(text, "precise event") != "");
}

TEST_CASE("annotate: samples on no instruction are said") {
  Profile profile = loop_profile();
  add_wasm(profile, 1, 0x1f0, InstrClass::other, InstrClass::other, 2);
  const std::string text = view::annotate_text(listing_of(profile), {});
  CHECK(line_with(text, "on no instruction") == "2 samples are on no instruction of the listing");
}

TEST_CASE("annotate: from an image there are instructions, not samples") {
  const auto image = image_of({"_start", "loop"});
  view::Listing listing;
  listing.image = &image;
  listing.local = 1;
  listing.code = loop;
  isa::SpillLog log;
  listing.spill_log = &log;
  const std::string text = view::annotate_text(listing, {});
  CHECK(text.find("samples") == std::string::npos);
  CHECK(text.find("hottest") == std::string::npos);
  CHECK(line_with(text, "class  ").find("instructions") != std::string::npos);
  CHECK(line_with(text, "spill log") == "spill log: not in it, as it should be without spills");
  log.entries = {{0, 1, 5, 6}};
  CHECK(line_with(view::annotate_text(listing, {}), "spill log") ==
        "spill log: spill_ld 5, spill_st 6: not what the code has; is the log from another build?");
}

TEST_CASE("annotate: jump tables are shown as tables") {
  const auto image = image_of({"switched"});
  view::Listing listing;
  listing.image = &image;
  listing.code = switched;
  const std::string text = view::annotate_text(listing, {});
  CHECK(line_with(text, "table of").ends_with("  table of 3 at +0x1b"));
  CHECK(line_with(text, "→").ends_with("  0-1 → L1   2 → L2"));
  CHECK(line_with(text, "jae").ends_with("jae     L2"));
}

TEST_CASE("annotate: colour and hostile names") {
  Profile profile = loop_profile();
  view::AnnotateOptions options;
  CHECK(view::annotate_text(listing_of(profile), options).find('\x1b') == std::string::npos);
  options.color = true;
  CHECK(view::annotate_text(listing_of(profile), options).find('\x1b') != std::string::npos);
  const auto image = image_of({"a\x1b[2J"});
  view::Listing listing;
  listing.image = &image;
  listing.code = loop;
  CHECK(view::annotate_text(listing, {}).find('\x1b') == std::string::npos);
}

TEST_CASE("annotate: any bytes are listed, and none is fine too") {
  const auto image = image_of({"f"});
  view::Listing listing;
  listing.image = &image;
  CHECK(view::annotate_text(listing, {}).find("0 instructions") != std::string::npos);
  std::vector<std::uint8_t> bytes(4096);
  std::uint32_t state = 1;
  for (std::uint8_t& byte : bytes)
    byte = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  listing.code = bytes;
  CHECK(!view::annotate_text(listing, {}).empty());
}
