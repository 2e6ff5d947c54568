// The listing of the function that is looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tui/model.hpp"
#include "view/listing.hpp"

namespace aotscope::tui {

struct Model::Code {
  profile::FrameKey key;
  profile::ImageEntry image;  // a copy: the profile's own may move when one is added
  std::vector<std::uint8_t> bytes;
  view::Listing listing;
  std::unique_ptr<view::FunctionListing> function;  // refers to `listing`
  std::vector<std::int64_t> instr_of_line;          // -1: a jump table
  std::vector<std::uint32_t> line_of_instr;
  std::vector<Counter> counters;  // by instruction
  std::vector<std::uint32_t> block_of_instr;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks;  // first and last instruction
  std::vector<std::uint32_t> sampled;  // instructions with samples, ascending
  std::vector<std::uint32_t> marked;   // blocks
};

}  // namespace aotscope::tui
