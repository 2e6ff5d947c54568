// Instruction classes in groups that a bar can show.
#include <aotscope/tui.hpp>

namespace aotscope::tui {

const std::array<ClassGroup, group_count>& groups() {
  static constexpr std::array<ClassGroup, group_count> all{{
      {"spill", 'S', Hue::spill},
      {"locals", 'L', Hue::local},
      {"moves", 'V', Hue::move},
      {"bounds", 'B', Hue::bounds},
      {"memory", 'M', Hue::memory},
      {"dispatch", 'D', Hue::dispatch},
      {"call", 'C', Hue::call},
      {"frame", 'F', Hue::frame},
      {"compute", 'A', Hue::compute},
      {"branch", 'J', Hue::branch},
      {"other", 'o', Hue::other},
  }};
  return all;
}

// Overhead that a code generator can do something about comes first, then the program's own work.
std::size_t group_of(isa::InstrClass cls) {
  using isa::InstrClass;
  switch (cls) {
    case InstrClass::spill_load:
    case InstrClass::spill_store:
      return 0;
    case InstrClass::local_load:
    case InstrClass::local_store:
      return 1;
    case InstrClass::zero_extend:
    case InstrClass::move:
      return 2;
    case InstrClass::bounds_check:
      return 3;
    case InstrClass::mem_address:
    case InstrClass::mem_load:
    case InstrClass::mem_store:
    case InstrClass::mem_bulk:
    case InstrClass::atomic:
      return 4;
    case InstrClass::dispatch:
      return 5;
    case InstrClass::call:
    case InstrClass::context:
      return 6;
    case InstrClass::frame:
      return 7;
    case InstrClass::constant:
    case InstrClass::alu:
    case InstrClass::mul_div:
    case InstrClass::floating:
    case InstrClass::simd:
      return 8;
    case InstrClass::branch:
      return 9;
    case InstrClass::trap:
    case InstrClass::other:
      break;
  }
  return 10;
}

}  // namespace aotscope::tui
