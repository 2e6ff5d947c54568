// Each export's total is the recording's, whatever the names hold.
#include <algorithm>
#include <numeric>
#include <set>

#include <zlib.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <protozero/pbf_reader.hpp>

#include <aotscope/exports.hpp>
#include <aotscope/view.hpp>

#include "make_profile.hpp"
#include "unit/profile/random_run.hpp"
#include "view/stack_frames.hpp"
#include "view/utf8.hpp"

using namespace aotscope;
using aotscope::test::Profile;
using nlohmann::json;

namespace {

Profile random_profile(std::uint64_t seed = 3) {
  Profile profile;
  test::describe_run(profile);
  profile.info.frequency_hz = 999;
  profile.info.duration_s = 120;
  test::RandomRun(seed, 120).feed(profile, 20000);
  return profile;
}

bool is_safe(std::string_view text) {
  while (!text.empty()) {
    const view::Character at = view::next_character(text);
    if (!at.valid || (view::is_unsafe(at.code) && at.code != '\n' && at.code != '\r')) return false;
    text.remove_prefix(at.length);
  }
  return true;
}

std::string gunzip(const std::string& bytes) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  std::string out(std::size_t{64} << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

std::uint64_t sum(const json& numbers) {
  std::uint64_t out = 0;
  for (const json& number : numbers) out += number.get<std::uint64_t>();
  return out;
}

// The cells of one CSV line.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      out.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      out.emplace_back();
    } else if (line[i] != '\r') {
      out.back() += line[i];
    }
  }
  return out;
}

}  // namespace

TEST_CASE("classes dealt out over stacks: all sums are exact") {
  const Profile profile = random_profile();
  view::ClassDealer dealer(profile);
  std::map<profile::FrameKey, isa::PerClass<std::uint64_t>> sums;
  for (const profile::StackNode& node : profile.stacks()) {
    if (node.frame.kind != profile::FrameKind::wasm || node.self == 0) continue;
    const auto dealt = dealer.deal(node.frame, node.self);
    CHECK(std::accumulate(dealt.begin(), dealt.end(), std::uint64_t{0}) == node.self);
    for (std::size_t i = 0; i < dealt.size(); ++i) sums[node.frame][i] += dealt[i];
  }
  for (const auto& [key, count] : profile.functions()) {
    if (count.self != 0) CHECK(sums[key] == count.classes);
  }
}

TEST_CASE("pprof: samples, classes and strings") {
  const Profile profile = random_profile();
  const auto packed = view::pprof_profile(profile);
  REQUIRE(packed);
  const std::string bytes = gunzip(*packed);
  std::vector<std::string> strings;
  std::set<std::uint64_t> locations;
  std::set<std::uint64_t> functions;
  for (protozero::pbf_reader reader(bytes); reader.next();) {
    if (reader.tag() == 6) {
      strings.push_back(reader.get_string());
      CHECK(is_safe(strings.back()));
    } else if (reader.tag() == 4 || reader.tag() == 5) {
      auto& ids = reader.tag() == 4 ? locations : functions;
      protozero::pbf_reader message = reader.get_message();
      REQUIRE(message.next(1));
      ids.insert(message.get_uint64());
    } else {
      reader.skip();
    }
  }
  REQUIRE(!strings.empty());
  CHECK(strings.front().empty());
  CHECK(locations == functions);
  std::uint64_t total = 0;
  std::map<std::string, std::uint64_t> by_class;
  for (protozero::pbf_reader reader(bytes); reader.next();) {
    if (reader.tag() != 2) {
      reader.skip();
      continue;
    }
    std::int64_t count = 0;
    std::string cls;
    for (protozero::pbf_reader sample = reader.get_message(); sample.next();) {
      if (sample.tag() == 1) {
        for (const std::uint64_t id : sample.get_packed_uint64()) CHECK(locations.contains(id));
      } else if (sample.tag() == 2) {
        count = *sample.get_packed_int64().begin();
      } else if (sample.tag() == 3) {
        std::string key;
        std::string value;
        for (protozero::pbf_reader label = sample.get_message(); label.next();) {
          auto& text = label.tag() == 1 ? key : value;
          text = strings.at(static_cast<std::size_t>(label.get_int64()));
        }
        if (key == "class") cls = value;
      } else {
        sample.skip();
      }
    }
    total += static_cast<std::uint64_t>(count);
    if (!cls.empty()) by_class[cls] += static_cast<std::uint64_t>(count);
  }
  CHECK(total == profile.totals().total);
  const auto classes = profile.classes();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    CHECK(by_class[std::string(isa::class_id(static_cast<isa::InstrClass>(i)))] == classes[i]);
  }
}

TEST_CASE("speedscope: stacks and weights") {
  const Profile profile = random_profile();
  const json data = json::parse(view::speedscope_json(profile));
  const json& run = data["profiles"][0];
  CHECK(sum(run["weights"]) == profile.totals().total);
  CHECK(run["endValue"] == profile.totals().total);
  CHECK(run["weights"].size() == run["samples"].size());
  for (const json& stack : run["samples"]) {
    CHECK(!stack.empty());
    for (const json& frame : stack) CHECK(frame < data["shared"]["frames"].size());
  }
}

TEST_CASE("firefox: tables of one length each, and weights") {
  const Profile profile = random_profile();
  const json data = json::parse(view::firefox_json(profile));
  const json& thread = data["threads"][0];
  CHECK(sum(thread["samples"]["weight"]) == profile.totals().total);
  for (const char* table : {"samples", "stackTable", "frameTable", "funcTable", "resourceTable",
                            "nativeSymbols", "markers"}) {
    for (const auto& [name, column] : thread[table].items()) {
      INFO(table << "." << name);
      if (column.is_array()) CHECK(column.size() == thread[table]["length"]);
    }
  }
  // In time: it ascends, and each interval has the samples that it has.
  std::map<std::uint64_t, std::uint64_t> shown;
  double last = 0;
  for (std::size_t i = 0; i < thread["samples"]["length"]; ++i) {
    const double time = thread["samples"]["time"][i];
    CHECK(time >= last);
    last = time;
    const auto second = static_cast<std::uint64_t>(time / 1000 - 1e-9);
    shown[second - second % profile.detail_seconds()] +=
        thread["samples"]["weight"][i].get<std::uint64_t>();
  }
  CHECK(shown.size() == profile.details().size());
  for (const auto& [start, detail] : profile.details()) CHECK(shown[start] == detail.samples);

  const json& stacks = thread["stackTable"];
  for (std::size_t i = 0; i < stacks["length"]; ++i) {
    CHECK((stacks["prefix"][i].is_null() || stacks["prefix"][i] < i));
    CHECK(stacks["frame"][i] < thread["frameTable"]["length"]);
    CHECK(stacks["category"][i] < data["meta"]["categories"].size());
  }
  for (const json& name : thread["funcTable"]["name"]) CHECK(name < thread["stringArray"].size());
}

TEST_CASE("csv: self sums to the samples, every line has every column") {
  Profile profile = random_profile();
  const std::string text = view::csv_report(profile);
  CHECK(is_safe(text));
  std::uint64_t total = 0;
  const auto lines = test::lines(text);
  const auto columns = cells(lines.front()).size();
  CHECK(columns == 9 + isa::class_count);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto row = cells(lines[i]);
    CHECK(row.size() == columns);
    total += std::stoull(row[6]);
  }
  CHECK(total == profile.totals().total);
}

TEST_CASE("csv: a name is text, not a formula and not two cells") {
  Profile profile;
  profile.add_image(test::image_of({"=1+1", "a,\"b\"", "@x"}));
  for (std::uint32_t i = 0; i < 3; ++i) {
    test::add_wasm(profile, i, i * 0x100, isa::InstrClass::alu, isa::InstrClass::alu, 3 - i);
  }
  const auto lines = test::lines(view::csv_report(profile));
  CHECK(cells(lines[1])[5] == "'=1+1");
  CHECK(cells(lines[2])[5] == "a,\"b\"");
  CHECK(cells(lines[3])[5] == "'@x");
}

TEST_CASE("svg: well-formed whatever the names hold") {
  Profile profile;
  profile.add_image(test::image_of({"</text>&", "\x1b[31m\xff", "\xEF\xBF\xBE\"'<!--", "a;b 7"}));
  for (std::uint32_t i = 0; i < 4; ++i) {
    test::add_wasm(profile, i, i * 0x100, isa::InstrClass::alu, isa::InstrClass::alu, 10);
  }
  const std::string text = view::flame_svg(profile);
  CHECK(is_safe(text));
  CHECK(text.find("</text>&<") == std::string::npos);
  CHECK(text.find("&lt;/text&gt;&amp;") != std::string::npos);
  CHECK(text.find("\xEF\xBF\xBE") == std::string::npos);
  CHECK(text.find("<!--") == std::string::npos);
  CHECK(view::flame_svg(Profile()).find("</svg>") != std::string::npos);
}

TEST_CASE("windows: parts of the run sum to the whole") {
  const Profile profile = random_profile();
  const auto first = view::window_of(profile, 0, 60);
  const auto second = view::window_of(profile, 60, 1e9);
  CHECK(first.sum.samples + second.sum.samples == profile.totals().total);
  CHECK(first.to_s == 60);
  CHECK(second.from_s == 60);
  CHECK(view::window_of(profile, 500, 600).sum.samples == 0);
  const json part = json::parse(view::window_json(profile, first));
  std::uint64_t self = 0;
  for (const json& function : part["functions"]) self += function["self"].get<std::uint64_t>();
  CHECK(self == part["samples"]["wasm"]);
  CHECK(part["samples"]["total"] == first.sum.samples);
}

TEST_CASE("groups: every table's samples are the recording's") {
  const Profile profile = random_profile();
  using By = view::GroupBy;
  for (const By by : {By::function, By::cls, By::image, By::thread, By::stack}) {
    view::GroupOptions options;
    options.by = by;
    options.limit = 0;
    const std::string text = view::group_text(profile, options);
    CHECK(is_safe(text));
    const auto lines = test::lines(text);
    std::uint64_t total = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      std::string number = lines[i].substr(7, 10);
      std::erase(number, ',');
      total += std::stoull(number);
    }
    CHECK(total == profile.totals().total);
  }
}

TEST_CASE("timeline: a function that ran in the second half only") {
  Profile profile;
  profile.info.frequency_hz = 10;
  profile.info.duration_s = 80;
  profile.add_image(test::image_of({"early", "late"}));
  for (int second = 0; second < 80; ++second) {
    profile::Sample sample;
    sample.leaf = test::wasm(second < 40 ? 0 : 1);
    sample.text_offset = sample.leaf.id * 0x100;
    sample.time_s = second;
    sample.count = 10;
    profile.add(sample);
  }
  const auto window = view::window_of(profile, 0, 1e9);
  const std::string text = view::timeline_text(profile, window, {});
  CHECK(test::line_with(text, "all,").starts_with("████████  100.0"));
  CHECK(test::line_with(text, "early") == "████       50.0  early");
  CHECK(test::line_with(text, "late") == "    ████   50.0  late");
  const std::string plain = view::timeline_text(profile, window, {.ascii = true});
  CHECK(test::line_with(plain, "late") == "    @@@@   50.0  late");
  CHECK(view::timeline_text(Profile(), view::window_of(Profile(), 0, 1), {}).empty());
}
