// `inspect` for people: static counts of the functions of an image.
#include <algorithm>

#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "view/format.hpp"

namespace aotscope::view {
namespace {

struct Row {
  const profile::ImageEntry* image;
  const profile::FunctionEntry* function;
  const isa::StaticCounts* counts;
};

std::uint64_t spills(const Row& row) {
  return std::uint64_t{row.counts->spill_loads} + row.counts->spill_stores;
}

struct Column {
  std::string_view id;
  std::uint64_t (*value)(const Row&);
  bool largest_first;
};

constexpr Column columns[] = {
    {"local", [](const Row& r) -> std::uint64_t { return r.function->local; }, false},
    {"index", [](const Row& r) -> std::uint64_t { return r.function->index; }, false},
    {"name", [](const Row&) -> std::uint64_t { return 0; }, false},  // compared as text
    {"offset", [](const Row& r) -> std::uint64_t { return r.function->offset; }, false},
    {"size", [](const Row& r) -> std::uint64_t { return r.counts->size; }, true},
    {"instructions", [](const Row& r) -> std::uint64_t { return r.counts->instructions; }, true},
    {"spill-ld", [](const Row& r) -> std::uint64_t { return r.counts->spill_loads; }, true},
    {"spill-st", [](const Row& r) -> std::uint64_t { return r.counts->spill_stores; }, true},
    {"spills", spills, true},
    {"frame-size", [](const Row& r) -> std::uint64_t { return r.counts->frame_size; }, true},
    {"undecoded", [](const Row& r) -> std::uint64_t { return r.counts->undecoded_bytes; }, true},
};

void sort_rows(std::vector<Row>& rows, const std::string& by) {
  if (by == "name") {
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return a.function->name < b.function->name;
    });
    return;
  }
  if (const auto cls = isa::class_from_id(by)) {
    const auto at = static_cast<std::size_t>(*cls);
    std::stable_sort(rows.begin(), rows.end(), [at](const Row& a, const Row& b) {
      return a.counts->classes[at] > b.counts->classes[at];
    });
    return;
  }
  const auto* column = std::find_if(std::begin(columns), std::end(columns),
                                    [&](const Column& c) { return c.id == by; });
  if (column == std::end(columns)) return;
  std::stable_sort(rows.begin(), rows.end(), [column](const Row& a, const Row& b) {
    const std::uint64_t x = column->value(a);
    const std::uint64_t y = column->value(b);
    return column->largest_first ? x > y : x < y;
  });
}

isa::PerClass<std::uint64_t> wide(const isa::PerClass<std::uint32_t>& counts) {
  isa::PerClass<std::uint64_t> out{};
  std::copy(counts.begin(), counts.end(), out.begin());
  return out;
}

std::string core_lines(const InspectedCore& core) {
  isa::PerClass<std::uint64_t> classes{};
  std::uint64_t instructions = 0;
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t undecoded = 0;
  bool classified = true;
  for (const isa::FunctionCounts& function : core.functions) {
    for (std::size_t i = 0; i < classes.size(); ++i) classes[i] += function.counts.classes[i];
    instructions += function.counts.instructions;
    loads += function.counts.spill_loads;
    stores += function.counts.spill_stores;
    undecoded += function.counts.undecoded_bytes;
    classified &= function.counts.classified;
  }
  const profile::ImageEntry& image = *core.image;
  std::string out = fmt::format(
      "{}  core {}  {} {} version {}  {} bytes of text  {} functions  {} instructions  {} spill "
      "loads  {} spill stores  {} bytes undecoded\n",
      base_name(image.path), image.core, safe_text(image.arch, 40), safe_text(image.format, 40),
      image.version, grouped(image.text_size), grouped(core.functions.size()),
      grouped(instructions), grouped(loads), grouped(stores), grouped(undecoded));
  if (!classified) {
    out += fmt::format("{} code is not classified yet\n", safe_text(image.arch, 40));
  } else if (instructions != 0) {
    out += "by class, % of the instructions:";
    std::size_t used = 32;
    for (const ClassShare& part : ranked(classes)) {
      const std::string word = fmt::format("  {} {:.1f}", isa::class_id(part.cls), part.share);
      if (used + word.size() > 110) {
        out += "\n   ";
        used = 3;
      }
      out += word;
      used += word.size();
    }
    out += '\n';
  }
  return out;
}

}  // namespace

std::vector<std::string> inspect_columns() {
  std::vector<std::string> out;
  for (const Column& column : columns) out.emplace_back(column.id);
  for (std::size_t i = 0; i < isa::class_count; ++i) {
    out.emplace_back(isa::class_id(static_cast<isa::InstrClass>(i)));
  }
  return out;
}

std::string inspect_text(std::span<const InspectedCore> cores, const InspectOptions& options) {
  std::string out;
  std::vector<Row> rows;
  for (const InspectedCore& core : cores) {
    out += core_lines(core);
    for (const isa::FunctionCounts& function : core.functions) {
      rows.push_back({core.image, &core.image->functions[function.local_func], &function.counts});
    }
  }
  sort_rows(rows, options.sort);
  const std::size_t all = rows.size();
  if (options.limit != 0 && rows.size() > options.limit) rows.resize(options.limit);
  if (rows.empty()) return out;

  const auto cls = isa::class_from_id(options.sort);
  std::size_t width = 14;
  for (const Row& row : rows) width = std::max(width, display_width(safe_text(row.function->name)));
  width = std::min<std::size_t>(width, 48);

  std::string head = fmt::format("{:>9} {:>8} {:>8} {:>8} {:>7}", "size", "instrs", "spill-ld",
                                 "spill-st", "frame");
  if (cls) head += fmt::format(" {:>12}", options.sort);
  head += fmt::format("  {}  core  {:>6}  {:>6}  top classes (share of the instructions)",
                      pad_right("function", width), "local", "index");
  out += "\n" + Paint{options.color}.bold(head) + "\n";
  for (const Row& row : rows) {
    const isa::StaticCounts& counts = *row.counts;
    std::string line = fmt::format("{:>9} {:>8} {:>8} {:>8} {:>7}", grouped(counts.size),
                                   grouped(counts.instructions), grouped(counts.spill_loads),
                                   grouped(counts.spill_stores), grouped(counts.frame_size));
    if (cls)
      line += fmt::format(" {:>12}", grouped(counts.classes[static_cast<std::size_t>(*cls)]));
    line += fmt::format("  {}  {:>4}  {:>6}  {:>6}  {}",
                        pad_right(safe_text(row.function->name), width), row.image->core,
                        row.function->local, row.function->index,
                        counts.classified ? mix_text(wide(counts.classes)) : "-");
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  if (rows.size() < all) {
    out += fmt::format("  … {} more function{}\n", grouped(all - rows.size()),
                       all - rows.size() == 1 ? "" : "s");
  }
  return out;
}

}  // namespace aotscope::view
