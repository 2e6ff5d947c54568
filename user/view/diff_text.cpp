// `aotscope diff` for people.
#include <algorithm>

#include <fmt/format.h>

#include <aotscope/exports.hpp>
#include <aotscope/view.hpp>

#include "view/diff_parts.hpp"
#include "view/format.hpp"

namespace aotscope::view {
namespace {

using profile::Diff;
using profile::DiffRow;
using profile::Measure;

std::string source_line(std::string_view which, const DiffSource& source, double dispersion) {
  const profile::RunInfo& info = source.profile->info;
  std::string out = fmt::format("{}  {}  {}  {} {} Hz  {} samples  {:.2f} s of CPU time", which,
                                safe_text(source.file, 120), duration_text(info.sampled_s()),
                                safe_text(info.event, 60), info.frequency_hz,
                                grouped(source.profile->totals().total), info.target_cpu_s);
  if (dispersion >= 1.5) out += fmt::format("  phases ×{:.1f}", dispersion);
  return out + "\n";
}

std::string value(double number) { return fmt::format("{:8.2f}", number); }

// "+1.83 ±0.88": the wider half of the interval.
std::string change(const Measure& measure) {
  const double half = std::max(measure.high - measure.change(), measure.change() - measure.low);
  return fmt::format("{:+8.2f} {:>6}", measure.change(), fmt::format("±{:.2f}", half));
}

// "spill-load +3.1  move -0.4", in the unit of the table.
std::string class_text(const DiffRow& row) {
  std::string out;
  for (const ClassChange& part : class_changes(row)) {
    out +=
        fmt::format("{}{} {:+.1f}", out.empty() ? "" : "  ", isa::class_id(part.cls), part.change);
  }
  return out;
}

class DiffText {
 public:
  DiffText(const Diff& diff, const DiffTextOptions& options)
      : diff_(diff), options_(options), paint_{options.color} {}

  std::string text(const DiffSource& before, const DiffSource& after) {
    out_ = source_line("old", before, diff_.old_dispersion) +
           source_line("new", after, diff_.new_dispersion);
    method();
    if (before.profile->totals().total == 0 || after.profile->totals().total == 0) {
      return out_ + "\nno samples in one of the two: there is nothing to compare\n";
    }
    functions();
    classes();
    rest();
    return out_;
  }

 private:
  std::string unit() const { return diff_.work ? "s" : "%"; }

  void method() {
    out_ += diff_.work ? "CPU seconds, both having done the same work" : "% of all samples";
    out_ += fmt::format("; ± {:g} %, corrected for {} comparisons; ~ may be sampling noise\n",
                        diff_.confidence * 100, diff_.comparisons);
  }

  // A line that may be noise is dim as a whole.
  void line(bool significant, std::string text) {
    text = (significant ? "  " : "~ ") + text;
    text.erase(text.find_last_not_of(' ') + 1);
    out_ += (significant ? text : paint_.dim(text)) + "\n";
  }

  std::string head() const {
    return fmt::format("{:>8} {:>8} {:>8} {:>6}", "old" + unit(), "new" + unit(), "change", "±");
  }

  void functions() {
    // Pure callers whose total did not change say nothing.
    std::vector<const DiffRow*> rows;
    for (const DiffRow& row : diff_.functions) {
      if (row.significant || row.self.old_samples + row.self.new_samples != 0) {
        rows.push_back(&row);
      }
    }
    const std::size_t all = rows.size();
    if (options_.limit != 0 && rows.size() > options_.limit) rows.resize(options_.limit);
    std::size_t width = 14;
    for (const DiffRow* row : rows) width = std::max(width, display_width(safe_text(row->name)));
    width = std::min<std::size_t>(width, 48);
    std::string title = "\n  " + head();
    if (diff_.totals) title += fmt::format("  {:>8} {:>6}", "total", "±");
    title +=
        fmt::format("  {}  {:<11}  classes that changed", pad_right("function", width), "matched");
    out_ += paint_.bold(title) + "\n";
    for (const DiffRow* shown : rows) {
      const DiffRow& row = *shown;
      std::string text =
          value(row.self.old_value) + " " + value(row.self.new_value) + " " + change(row.self);
      if (diff_.totals) text += "  " + change(row.total);
      text += fmt::format("  {}  {:<11}  {}", pad_right(safe_text(row.name), width),
                          matched_text(row), class_text(row));
      line(row.significant, std::move(text));
    }
    if (rows.size() < all) out_ += fmt::format("  … {} more\n", grouped(all - rows.size()));
    const bool any = std::any_of(diff_.functions.begin(), diff_.functions.end(),
                                 [](const DiffRow& row) { return row.significant; });
    if (!any) out_ += "no function changed by more than sampling noise\n";
  }

  void classes() {
    if (diff_.classes.empty()) return;
    out_ += paint_.bold("\n  " + head() + "  class") + "\n";
    for (const profile::ClassRow& row : diff_.classes) {
      line(row.significant, value(row.self.old_value) + " " + value(row.self.new_value) + " " +
                                change(row.self) + "  " + std::string(isa::class_id(row.cls)));
    }
  }

  void rest() {
    out_ += paint_.bold("\n  " + head() + "  code") + "\n";
    const std::pair<const char*, const Measure*> kinds[] = {
        {"wasm", &diff_.wasm}, {"host", &diff_.host}, {"unknown", &diff_.unknown}};
    for (const auto& [name, measure] : kinds) {
      if (measure->old_samples == 0 && measure->new_samples == 0) continue;
      line(measure->significant(), value(measure->old_value) + " " + value(measure->new_value) +
                                       " " + change(*measure) + "  " + name);
    }
  }

  const Diff& diff_;
  const DiffTextOptions& options_;
  Paint paint_;
  std::string out_;
};

}  // namespace

std::string diff_text(const Diff& diff, const DiffSource& before, const DiffSource& after,
                      const DiffTextOptions& options) {
  return DiffText(diff, options).text(before, after);
}

}  // namespace aotscope::view
