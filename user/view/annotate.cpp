// `annotate`: what one function is, what it spends its samples on, and its whole listing.
#include <algorithm>

#include <fmt/format.h>

#include "view/format.hpp"
#include "view/listing.hpp"

namespace aotscope::view {
namespace {

using isa::InstrClass;

class AnnotateText {
 public:
  AnnotateText(const Listing& listing, const AnnotateOptions& options)
      : listing_(listing), options_(options), function_(listing), paint_{options.color} {}

  std::string text() {
    header();
    mix();
    if (sampled()) hottest();
    whole_listing();
    return std::move(out_);
  }

 private:
  bool sampled() const { return function_.count() != nullptr; }
  std::uint64_t self() const { return sampled() ? function_.count()->self : 0; }
  bool precise() const { return listing_.profile != nullptr && listing_.profile->info.precise; }

  template <typename... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
    out_.erase(out_.find_last_not_of(' ') + 1);
    out_ += '\n';
  }

  void header() {
    const profile::FunctionEntry& f = function_.function();
    const isa::Code& code = function_.code();
    line("{}  core {} local {} (func[{}])  {}", paint_.bold(safe_text(f.name)),
         listing_.image->core, f.local, f.index, base_name(listing_.image->path));
    line(
        "text {:#x} to {:#x}, {} bytes, {} instructions, frame {} bytes, {} spill loads, {} "
        "spill stores",
        f.offset, f.offset + listing_.code.size(), grouped(listing_.code.size()),
        grouped(code.instrs.size()), grouped(code.frame_size), grouped(code.spill_loads),
        grouped(code.spill_stores));
    if (!code.classified) {
      line("{} code is not classified yet", safe_text(listing_.image->arch, 40));
    }
    if (code.undecoded_bytes != 0) {
      line("{} bytes are no instruction that is known", grouped(code.undecoded_bytes));
    }
    spill_log();
    if (listing_.profile == nullptr) return;
    if (!sampled()) {
      line("no samples in this function");
      return;
    }
    const profile::FunctionCount& count = *function_.count();
    const std::uint64_t all = listing_.profile->totals().total;
    std::string samples =
        fmt::format("{} samples, {:.2f}% of all", grouped(count.self), percent(count.self, all));
    if (listing_.profile->info.stacks) {
      samples += fmt::format("; with what it calls {:.2f}%", percent(count.total, all));
    }
    if (count.kernel != 0) {
      samples +=
          fmt::format("; {:.1f}% of its samples in the kernel", percent(count.kernel, count.self));
    }
    line("{}", samples);
    callers();
    if (precise()) {
      line("A sample is charged to the instruction that caused the event (a precise event).");
    } else {
      line(
          "A sample is charged to the instruction that was about to run. The time of a slow load, "
          "division or");
      line(
          "call therefore shows behind it, where its result is needed: `waits` is the class of "
          "that slow");
      line("instruction, and ← its offset.");
    }
  }

  void spill_log() {
    if (listing_.spill_log == nullptr) return;
    if (!isa::knows_spills(arch_of(*listing_.image))) {
      line("spill log: not compared, spills are not told from other frame slots in {} code yet",
           safe_text(listing_.image->arch, 40));
      return;
    }
    const isa::Code& code = function_.code();
    const isa::SpillEntry* entry =
        listing_.spill_log->find(listing_.image->core, function_.function().local);
    if (entry == nullptr) {
      line("spill log: {}", code.spill_loads + code.spill_stores == 0
                                ? "not in it, as it should be without spills"
                                : "not in it, although the code spills");
      return;
    }
    const bool same = entry->loads == code.spill_loads && entry->stores == code.spill_stores;
    line("spill log: spill_ld {}, spill_st {}: {}", entry->loads, entry->stores,
         same ? "as in the code" : "not what the code has; is the log from another build?");
  }

  void callers() {
    if (!listing_.profile->info.stacks) return;
    constexpr std::size_t most = 6;
    const profile::CallTree tree = profile::callers_of(
        *listing_.profile,
        {profile::FrameKind::wasm, listing_.image->id, function_.function().local});
    const profile::CallNode& root = tree.nodes[0];
    if (root.count == 0) return;
    std::string out = "called by";
    for (std::size_t i = 0; i < std::min(root.children.size(), most); ++i) {
      const profile::CallNode& caller = tree.nodes[root.children[i]];
      fmt::format_to(std::back_inserter(out), "{} {} {:.1f}%", i == 0 ? "" : ",",
                     function_label(*listing_.profile, caller.frame),
                     percent(caller.count, root.count));
    }
    if (root.children.size() > most) {
      fmt::format_to(std::back_inserter(out), " and {} more", root.children.size() - most);
    }
    if (root.ends != 0) {
      fmt::format_to(std::back_inserter(out), "{} nobody {:.1f}%", root.children.empty() ? "" : ",",
                     percent(root.ends, root.count));
    }
    line("{}", out);
  }

  // Of the samples, or of the instructions where there is no recording.
  void mix() {
    out_ += '\n';
    if (!sampled()) {
      isa::PerClass<std::uint64_t> counts{};
      std::copy(function_.code().counts.begin(), function_.code().counts.end(), counts.begin());
      line("{}", paint_.bold(fmt::format("{:<14} {:>6} {:>12}", "class", "%", "instructions")));
      for (const ClassShare& part : ranked(counts)) {
        line("{:<14} {:6.1f} {:>12}", isa::class_id(part.cls), part.share, grouped(part.count));
      }
      return;
    }
    const profile::FunctionCount& count = *function_.count();
    std::vector<ClassShare> rows = ranked(count.classes);
    for (const ClassShare& waited : ranked(count.waits)) {
      const bool is_new = std::none_of(
          rows.begin(), rows.end(), [&](const ClassShare& row) { return row.cls == waited.cls; });
      if (is_new && !precise()) rows.push_back({waited.cls, 0, 0});
    }
    std::string head = fmt::format("{:<14} {:>6} {:>10}", "class", "%", "samples");
    if (!precise()) head += fmt::format(" {:>7} {:>10}", "waits%", "samples");
    line("{}", paint_.bold(head));
    for (const ClassShare& row : rows) {
      std::string text = fmt::format("{:<14} {:6.1f} {:>10}", isa::class_id(row.cls), row.share,
                                     grouped(row.count));
      if (!precise()) {
        const std::uint64_t waits = count.waits[static_cast<std::size_t>(row.cls)];
        text += fmt::format(" {:7.1f} {:>10}", percent(waits, self()), grouped(waits));
      }
      line("{}", text);
    }
    if (function_.astray() != 0) {
      line("{} samples are on no instruction of the listing", grouped(function_.astray()));
    }
  }

  void columns() {
    std::string head;
    if (sampled()) head = fmt::format("{:>6} {:>9}  ", "%", "samples");
    head += fmt::format("{:>10} {:>8}  {:<12} ", "offset", "", "class");
    if (!precise()) head += fmt::format("{:<12} ", "waits");
    line("{}", paint_.bold(head + "  instruction"));
  }

  // Share and samples, blank where there are none, so that the hot lines stand out.
  std::string figures(const ListedInstr& row) const {
    if (!sampled()) return {};
    if (row.samples == 0) return std::string(6 + 1 + 9 + 2, ' ');
    const double share = percent(row.samples, self());
    const std::string text = fmt::format("{:6.2f} {:>9}  ", share, grouped(row.samples));
    if (share >= 10) return paint_.red(text);
    return share >= 2 ? paint_.yellow(text) : text;
  }

  void row(const ListedInstr& row, std::string_view margin) {
    const isa::Instr& instr = *row.instr;
    const bool classified = function_.code().classified;
    std::string text = figures(row);
    text += fmt::format("{:>10} {:>8}  ",
                        fmt::format("{:#x}", function_.function().offset + instr.offset),
                        fmt::format("+{:#x}", instr.offset));
    text += paint_.dim(fmt::format("{:<12} ", classified ? isa::class_id(instr.cls) : "-"));
    if (!precise()) {
      const bool other = classified && instr.waits != instr.cls;
      text += paint_.dim(fmt::format("{:<12} ", other ? isa::class_id(instr.waits) : ""));
    }
    text += margin;
    const std::string code = function_.instruction_text(instr);
    const bool points_back = !precise() && instr.producer >= 0 &&
                             static_cast<std::size_t>(instr.producer) < function_.instrs().size();
    if (points_back) {
      const std::uint32_t producer =
          function_.instrs()[static_cast<std::size_t>(instr.producer)].instr->offset;
      text += pad_right(code, std::max<std::size_t>(40, display_width(code)));
      text += paint_.dim(fmt::format("  ← +{:#x}", producer));
    } else {
      text += code;
    }
    line("{}", text);
  }

  void hottest() {
    const std::vector<std::size_t> hot = function_.hottest(options_.hottest);
    if (hot.empty()) return;
    out_ += '\n';
    line("the {} hottest instructions", hot.size());
    columns();
    for (const std::size_t i : hot) row(function_.instrs()[i], "  ");
  }

  std::string indent() const {
    return std::string((sampled() ? 18U : 0U) + 10 + 1 + 8 + 2 + 13 + (precise() ? 0U : 13U), ' ');
  }

  void jump_table(const isa::JumpTable& table) {
    constexpr std::size_t columns = 60;
    line("{}  table of {} at +{:#x}", indent(), grouped(table.targets.size()), table.offset);
    std::string text;
    for (std::size_t i = 0; i < table.targets.size();) {
      std::size_t last = i;  // entries that lead to one place are one item
      while (last + 1 < table.targets.size() && table.targets[last + 1] == table.targets[i]) ++last;
      const std::uint32_t target = table.targets[i];
      std::string to = target == isa::JumpTable::nowhere ? "outside" : function_.label(target);
      if (to.empty()) to = fmt::format("+{:#x}", target);
      const std::string item =
          i == last ? fmt::format("{} → {}", i, to) : fmt::format("{}-{} → {}", i, last, to);
      if (!text.empty() && display_width(text) + 3 + display_width(item) > columns) {
        line("{}    {}", indent(), text);
        text.clear();
      }
      text += (text.empty() ? "" : "   ") + item;
      i = last + 1;
    }
    line("{}    {}", indent(), text);
  }

  void block_head(const ListedBlock& block) {
    const std::string what =
        block.rank == 1 ? "hottest block" : fmt::format("block {} by heat", block.rank);
    line("{}{}", indent(),
         paint_.yellow(
             fmt::format("╭─ {}: {:.1f}% of the function", what, percent(block.samples, self()))));
  }

  void whole_listing() {
    out_ += '\n';
    columns();
    const auto& instrs = function_.instrs();
    auto table = function_.code().tables.begin();
    const auto tables_end = function_.code().tables.end();
    for (std::size_t i = 0; i < instrs.size(); ++i) {
      const std::uint32_t offset = instrs[i].instr->offset;
      for (; table != tables_end && table->offset < offset; ++table) jump_table(*table);
      const ListedBlock& block = function_.blocks()[instrs[i].block];
      if (block.first == i && block.rank != 0) block_head(block);
      if (const std::string label = function_.label(offset); !label.empty()) {
        line("{}{}{}", indent(), block.rank != 0 ? paint_.yellow("│ ") : "  ",
             paint_.cyan(label + ":"));
      }
      row(instrs[i], block.rank != 0 ? paint_.yellow("│ ") : "  ");
      if (block.end == i + 1 && block.rank != 0) line("{}{}", indent(), paint_.yellow("╰─"));
    }
    for (; table != tables_end; ++table) jump_table(*table);
  }

  const Listing& listing_;
  const AnnotateOptions& options_;
  FunctionListing function_;
  Paint paint_;
  std::string out_;
};

}  // namespace

std::string annotate_text(const Listing& listing, const AnnotateOptions& options) {
  return AnnotateText(listing, options).text();
}

}  // namespace aotscope::view
