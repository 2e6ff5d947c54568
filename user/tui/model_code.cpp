// One function in detail: its listing with live shares, its callers and callees.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tui/code.hpp"
#include "view/format.hpp"

namespace aotscope::tui {

using profile::FrameKey;
using profile::FrameKind;

namespace {

constexpr std::size_t most_hot = 40;
constexpr std::size_t most_marked_blocks = 5;
constexpr double notable_block = 10;  // per cent of the function

double share(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::vector<NamedShare> children_of(const profile::Profile& profile, const profile::CallTree& tree,
                                    std::string_view end_name) {
  constexpr std::size_t most = 50;
  std::vector<NamedShare> out;
  const profile::CallNode& root = tree.nodes[0];
  const auto whole = static_cast<double>(root.count);
  for (std::size_t i = 0; i < std::min(most, root.children.size()); ++i) {
    const profile::CallNode& child = tree.nodes[root.children[i]];
    out.push_back({child.frame, view::function_label(profile, child.frame), 0,
                   share(static_cast<double>(child.count), whole)});
  }
  if (root.ends != 0 && !end_name.empty()) {
    out.push_back({{FrameKind::cut, 0, 0},
                   std::string(end_name),
                   0,
                   share(static_cast<double>(root.ends), whole)});
    std::stable_sort(out.begin(), out.end(),
                     [](const NamedShare& a, const NamedShare& b) { return a.share > b.share; });
  }
  return out;
}

}  // namespace

void Model::open_code(const profile::Profile& profile, store::CodeSource& source) {
  FunctionView& view = snapshot_.function;
  const FrameKey key = view.key;
  view.lines.clear();
  view.hottest.clear();
  view.no_code.clear();
  const profile::FunctionEntry* entry = profile.function(key);
  auto next = std::make_unique<Code>();
  next->key = key;
  if (entry == nullptr) {
    view.place = key.kind == FrameKind::host ? "host code" : "code that no image explains";
    view.facts.clear();
    view.no_code = "no listing: the code is not of an AOT image";
    code_ = std::move(next);
    return;
  }
  if (code_ && code_->key.kind == FrameKind::wasm && code_->key.image == key.image &&
      !code_->image.functions.empty()) {
    code_->function.reset();
    next->image = std::move(code_->image);
  } else {
    next->image = profile.images()[key.image];
  }
  next->bytes = source.code(key);
  view.text_offset = entry->offset;
  view.place = fmt::format("core {} local {} (func[{}])  {}", next->image.core, entry->local,
                           entry->index, view::base_name(next->image.path));
  if (next->bytes.empty()) {
    view.facts.clear();
    view.no_code = "no listing: the image's code cannot be read";
    code_ = std::move(next);
    return;
  }
  next->listing.image = &next->image;
  next->listing.local = key.id;
  next->listing.code = next->bytes;
  next->function = std::make_unique<view::FunctionListing>(next->listing);
  const isa::Code& code = next->function->code();
  view.facts = fmt::format("{} bytes, {} instructions, frame {}, {} spill loads, {} spill stores",
                           view::grouped(next->bytes.size()), view::grouped(code.instrs.size()),
                           view::grouped(code.frame_size), code.spill_loads, code.spill_stores);
  if (!code.classified) view.facts += "; its architecture is not classified yet";

  auto table = code.tables.begin();
  const auto add_tables = [&](std::uint32_t before) {
    for (; table != code.tables.end() && table->offset < before; ++table) {
      CodeLine line;
      line.offset = table->offset;
      line.is_instruction = false;
      line.text = fmt::format("table of {} targets", view::grouped(table->targets.size()));
      view.lines.push_back(std::move(line));
      next->instr_of_line.push_back(-1);
    }
  };
  for (std::uint32_t i = 0; i < code.instrs.size(); ++i) {
    const isa::Instr& instr = code.instrs[i];
    add_tables(instr.offset);
    if (i == 0 || instr.block_start) next->blocks.emplace_back(i, i);
    next->blocks.back().second = i;
    CodeLine line;
    line.offset = instr.offset;
    line.cls = instr.cls;
    line.waits = instr.waits;
    line.label = next->function->label(instr.offset);
    if (instr.producer >= 0 && static_cast<std::size_t>(instr.producer) < code.instrs.size()) {
      line.producer = code.instrs[static_cast<std::size_t>(instr.producer)].offset;
    }
    next->line_of_instr.push_back(static_cast<std::uint32_t>(view.lines.size()));
    next->instr_of_line.push_back(i);
    next->block_of_instr.push_back(static_cast<std::uint32_t>(next->blocks.size() - 1));
    view.lines.push_back(std::move(line));
  }
  add_tables(UINT32_MAX);
  next->counters.resize(code.instrs.size());
  code_ = std::move(next);
}

// Samples, marks of hot blocks, the hottest instructions. Looks only at what has samples: a
// function may have hundreds of thousands of instructions.
void Model::update_lines(const profile::Profile& profile) {
  FunctionView& view = snapshot_.function;
  if (!code_ || !code_->function) return;
  const isa::Code& code = code_->function->code();
  const auto line_of = [&](std::uint32_t instr) -> CodeLine& {
    return view.lines[code_->line_of_instr[instr]];
  };
  for (const std::uint32_t instr : code_->sampled) line_of(instr).samples = 0;
  const std::vector<std::uint32_t> before = std::move(code_->sampled);
  code_->sampled.clear();
  if (const auto found = profile.functions().find(view.key); found != profile.functions().end()) {
    const profile::FunctionEntry& entry = code_->function->function();
    for (const auto& [text_offset, at] : found->second.offsets) {
      if (text_offset < entry.offset) continue;
      const isa::Instr* instr = code.at(static_cast<std::uint32_t>(text_offset - entry.offset));
      if (instr == nullptr) continue;
      const auto index = static_cast<std::uint32_t>(instr - code.instrs.data());
      CodeLine& line = line_of(index);
      if (line.samples == 0) code_->sampled.push_back(index);  // offsets ascend
      line.samples += at.count;
    }
  }
  double recent = 0, all = 0;
  std::map<std::uint32_t, double> blocks;
  for (const std::uint32_t instr : code_->sampled) {
    const CodeLine& line = line_of(instr);
    Counter& counter = code_->counters[instr];
    // The first look has no window behind it: the whole past is not "now".
    if (wants_function_) {
      counter = {line.samples, 0};
    } else {
      counter.update(line.samples, decay_);
    }
    recent += counter.recent;
    all += static_cast<double>(line.samples);
    blocks[code_->block_of_instr[instr]] += static_cast<double>(line.samples);
  }
  for (const std::uint32_t instr : before) line_of(instr).now = line_of(instr).self = 0;
  std::vector<std::uint32_t> hot;
  for (const std::uint32_t instr : code_->sampled) {
    CodeLine& line = line_of(instr);
    line.self = share(static_cast<double>(line.samples), all);
    line.now = share(code_->counters[instr].recent, recent);
    hot.push_back(code_->line_of_instr[instr]);
  }
  mark_blocks(blocks, all);
  const auto hotter = [&](std::uint32_t a, std::uint32_t b) {
    return view.lines[a].samples != view.lines[b].samples
               ? view.lines[a].samples > view.lines[b].samples
               : a < b;
  };
  const std::size_t most = std::min(hot.size(), most_hot);
  std::partial_sort(hot.begin(), hot.begin() + static_cast<std::ptrdiff_t>(most), hot.end(),
                    hotter);
  hot.resize(most);
  view.hottest = std::move(hot);
}

// The hottest block, and up to four more that hold a tenth of the function each.
void Model::mark_blocks(const std::map<std::uint32_t, double>& samples, double all) {
  using Edge = CodeLine::Edge;
  std::vector<CodeLine>& lines = snapshot_.function.lines;
  const auto each = [&](std::uint32_t block, auto change) {
    const auto [first, last] = code_->blocks[block];
    for (std::uint32_t i = first; i <= last; ++i) change(lines[code_->line_of_instr[i]], i);
  };
  for (const std::uint32_t block : code_->marked) {
    each(block, [](CodeLine& line, std::uint32_t) { line.edge = Edge::none, line.rank = 0; });
  }
  code_->marked.clear();
  std::vector<std::pair<double, std::uint32_t>> order;
  for (const auto& [block, count] : samples) order.emplace_back(-count, block);
  std::sort(order.begin(), order.end());
  for (std::size_t b = 0; b < std::min(order.size(), most_marked_blocks); ++b) {
    const auto [negative, block] = order[b];
    const double part = share(-negative, all);
    if (b != 0 && part < notable_block) break;
    const auto [first, last] = code_->blocks[block];
    each(block, [&, first = first, last = last](CodeLine& line, std::uint32_t i) {
      line.edge = first == last ? Edge::only
                  : i == first  ? Edge::first
                  : i == last   ? Edge::last
                                : Edge::middle;
      line.rank = static_cast<std::uint8_t>(b + 1);
      line.block_share = part;
    });
    code_->marked.push_back(block);
  }
}

void Model::update_function(const profile::Profile& profile, bool fresh) {
  FunctionView& view = snapshot_.function;
  if (fresh) {
    view.row = {};
    view.row.key = view.key;
    view.row.name = view::function_label(profile, view.key);
  }
  for (const Row& row : *snapshot_.rows) {
    if (row.key == view.key) view.row = row;
  }
  view.classes.clear();
  if (const auto found = windows_.find(view.key);
      found != windows_.end() && view.key.kind == FrameKind::wasm) {
    const FunctionWindow& window = found->second;
    double recent = 0, waits_recent = 0;
    for (std::size_t i = 0; i < isa::class_count; ++i) {
      recent += window.classes[i].recent;
      waits_recent += window.waits[i].recent;
    }
    const auto self = static_cast<double>(window.self.before);
    for (std::size_t i = 0; i < isa::class_count; ++i) {
      const Counter& landed = window.classes[i];
      const Counter& waits = window.waits[i];
      if (landed.before == 0 && waits.before == 0) continue;
      view.classes.push_back({static_cast<isa::InstrClass>(i), share(landed.recent, recent),
                              share(static_cast<double>(landed.before), self),
                              share(waits.recent, waits_recent),
                              share(static_cast<double>(waits.before), self)});
    }
    const bool by_waits = snapshot_.by_waits;
    std::stable_sort(view.classes.begin(), view.classes.end(),
                     [by_waits](const Share& a, const Share& b) {
                       return by_waits ? a.waits_self > b.waits_self : a.self > b.self;
                     });
  }
  view.callers.clear();
  view.callees.clear();
  if (profile.info.stacks) {
    view.callers = children_of(profile, profile::callers_of(profile, view.key), "[nobody]");
    view.callees = children_of(profile, profile::callees_of(profile, view.key), "[self]");
  }
}

void Model::prepare(const profile::Profile& profile, store::CodeSource& source, bool all_lines) {
  const Screen screen = snapshot_.screen == Screen::help ? snapshot_.under : snapshot_.screen;
  if (screen != Screen::function && screen != Screen::annotate) return;
  const bool fresh = wants_function_;
  if (fresh && (!code_ || code_->key != snapshot_.function.key)) open_code(profile, source);
  const bool news = has_news_ && !snapshot_.paused;
  if (fresh || news) update_lines(profile);
  if (fresh || news || wants_detail_) update_function(profile, fresh);
  if (!snapshot_.paused) has_news_ = false;
  wants_detail_ = false;
  if (fresh && screen == Screen::annotate) center_cursor();
  wants_function_ = false;
  if (!code_ || !code_->function) return;

  const auto fetch = [&](std::size_t line) {
    CodeLine& at = snapshot_.function.lines[line];
    const std::int64_t instr = code_->instr_of_line[line];
    if (!at.text.empty() || instr < 0) return;
    at.text = view::safe_text(code_->function->instruction_text(
                                  code_->function->code().instrs[static_cast<std::size_t>(instr)]),
                              300);
  };
  for (const std::uint32_t line : snapshot_.function.hottest) fetch(line);
  if (screen != Screen::annotate && !all_lines) return;
  const auto count = static_cast<int>(snapshot_.function.lines.size());
  const Cursor& at = snapshot_.cursors[static_cast<std::size_t>(Screen::annotate)];
  const int around = std::max(2 * page_, 100);
  int first = std::max(0, std::min(at.item, at.first) - around);
  int end = std::min(count, std::max(at.item, at.first) + around);
  if (all_lines) first = 0, end = count;
  for (int line = first; line < end; ++line) fetch(static_cast<std::size_t>(line));
}

// The hottest line in view, with what is before it.
void Model::center_cursor() {
  const FunctionView& view = snapshot_.function;
  Cursor& at = snapshot_.cursors[static_cast<std::size_t>(Screen::annotate)];
  at.item = view.hottest.empty() ? 0 : static_cast<int>(view.hottest.front());
  at.first = std::max(0, at.item - page_ / 2);
}

}  // namespace aotscope::tui
