// The core reader on any bytes: an error or a core whose parts all lie inside the input.
#include <cstdlib>

#include <aotscope/image.hpp>

using namespace aotscope::image;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool inside(const void* part, std::size_t size, std::span<const std::uint8_t> whole) {
  const auto* begin = static_cast<const std::uint8_t*>(part);
  return size == 0 || (begin >= whole.data() && begin + size <= whole.data() + whole.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> input(data, size);
  const auto core = Core::from_bytes(input, "fuzz.cwasm");
  if (!core) {
    require(!core.error().message.empty());
    require(core.error().message.find('\n') == std::string::npos);
    return 0;
  }
  const auto text = (*core)->text();
  require(inside(text.data(), text.size(), input));
  std::uint32_t local = 0;
  for (const Function& function : (*core)->functions()) {
    require(function.local == local++);
    require(function.size > 0 && function.offset + function.size <= text.size());
    require(inside(function.name.data(), function.name.size(), input));
    const Function* found = (*core)->function_at(function.offset);
    require(found != nullptr && found->offset == function.offset && found->size == function.size);
    require((*core)->function_at(function.offset + function.size - 1) == found);
    require(!Core::display_name(function).empty());
  }
  require((*core)->function_at(text.size()) == nullptr);
  require((*core)->hash().size() == 32);
  return 0;
}
