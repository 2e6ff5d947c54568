// The classes' stable names and the groups of the summary line.
#include <aotscope/isa.hpp>

namespace aotscope::isa {
namespace {

using enum InstrClass;

constexpr PerClass<std::string_view> ids = {
    "spill-load",  "spill-store", "local-load", "local-store", "zero-extend", "move",
    "const",       "alu",         "mul-div",    "float",       "simd",        "bounds-check",
    "mem-address", "mem-load",    "mem-store",  "mem-bulk",    "atomic",      "context",
    "branch",      "dispatch",    "call",       "frame",       "trap",        "other",
};

constexpr InstrClass spill[] = {spill_load, spill_store};
constexpr InstrClass frame_stores[] = {spill_store, local_store};
constexpr InstrClass moves[] = {zero_extend, move};
constexpr InstrClass bounds[] = {bounds_check};
constexpr InstrClass memory[] = {mem_address, mem_load, mem_store, mem_bulk};
constexpr InstrClass dispatches[] = {dispatch};
constexpr InstrClass calls[] = {call};
constexpr InstrClass frames[] = {frame};

constexpr RollUp groups[] = {
    {"spill", spill},   {"frame stores", frame_stores}, {"moves", moves}, {"bounds", bounds},
    {"memory", memory}, {"dispatch", dispatches},       {"call", calls},  {"frame", frames},
};

}  // namespace

std::string_view class_id(InstrClass cls) {
  const auto at = static_cast<std::size_t>(cls);
  return at < class_count ? ids[at] : ids[static_cast<std::size_t>(other)];
}

std::optional<InstrClass> class_from_id(std::string_view id) {
  for (std::size_t i = 0; i < class_count; ++i)
    if (ids[i] == id) return static_cast<InstrClass>(i);
  return std::nullopt;
}

std::span<const RollUp> roll_ups() { return groups; }

}  // namespace aotscope::isa
