// /proc/PID/maps, of ourselves and made up.
#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <aotscope/process.hpp>

using namespace aotscope::process;

TEST_CASE("only executable mappings are kept, with their parts") {
  const auto maps = parse_executable_mappings(
      "00400000-00452000 r-xp 00001000 08:02 173521      /usr/bin/dbus-daemon\n"
      "00651000-00652000 r--p 00051000 08:02 173521      /usr/bin/dbus-daemon\n"
      "7f10ab000000-7f10ab010000 rwxp 00000000 00:00 0 \n"
      "7f10ab020000-7f10ab030000 r-xp 00000000 00:00 0\n"
      "7fff0a7fe000-7fff0a800000 r-xp 00000000 00:00 0                          [vdso]\n"
      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n");
  REQUIRE(maps.size() == 5);
  CHECK(maps[0].start == 0x400000);
  CHECK(maps[0].end == 0x452000);
  CHECK(maps[0].file_offset == 0x1000);
  CHECK(maps[0].path == "/usr/bin/dbus-daemon");
  CHECK_FALSE(maps[0].anonymous());
  CHECK_FALSE(maps[0].writable);
  CHECK(maps[1].anonymous());
  CHECK(maps[1].writable);
  CHECK(maps[2].anonymous());
  CHECK(maps[3].path == "[vdso]");
  CHECK_FALSE(maps[3].anonymous());
  CHECK(maps[4].end == 0xffffffffff601000);
}

TEST_CASE("paths are whatever a file can be called") {
  const auto maps = parse_executable_mappings(
      "1000-2000 r-xp 00000000 08:02 7          /tmp/two  words/lib 1.so\n"
      "2000-3000 r-xp 00000000 08:02 7          /tmp/gone (deleted)\n"
      "3000-4000 r-xp 00000000 08:02 7          /tmp/new\\012line\n"
      "4000-5000 r-xp 00000000 00:05 7          /memfd:jit (deleted)\n"
      "5000-6000 r-xp 00000000 00:00 0          [anon:my code]\n"
      "6000-7000 r-xp 00000000 08:02 7          /tmp/r-xp 00000000 00:00 0\n");
  REQUIRE(maps.size() == 6);
  CHECK(maps[0].path == "/tmp/two  words/lib 1.so");
  CHECK(maps[1].path == "/tmp/gone (deleted)");
  CHECK(maps[2].path == "/tmp/new\\012line");
  CHECK_FALSE(maps[3].anonymous());
  CHECK(maps[4].anonymous());
  CHECK(maps[5].path == "/tmp/r-xp 00000000 00:00 0");
}

TEST_CASE("lines of another shape are stepped over") {
  const auto maps = parse_executable_mappings(
      "\n"
      "nonsense\n"
      "1000\n"
      "1000-\n"
      "1000-2000\n"
      "1000-2000 \n"
      "1000-2000 r-x\n"
      "1000-2000 r-xp\n"
      "1000-2000 r-xp 0\n"
      "1000-2000 r-xp zz 00:00 0\n"
      "2000-1000 r-xp 00000000 00:00 0\n"
      "1000-1000 r-xp 00000000 00:00 0\n"
      "fffffffffffffffff-2000 r-xp 00000000 00:00 0\n"
      "-1000-2000 r-xp 00000000 00:00 0\n"
      "8000-9000 r-xp 00000000 00:00 0\n"
      "9000-a000 r-xp 00000000 00:00 0");  // cut off: its end is not known
  REQUIRE(maps.size() == 1);
  CHECK(maps[0].start == 0x8000);
  CHECK(parse_executable_mappings("").empty());
}

TEST_CASE("our own maps hold what we map") {
  constexpr std::size_t size = 3 * 4096;
  void* code = ::mmap(nullptr, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(code != MAP_FAILED);
  const auto start = reinterpret_cast<std::uint64_t>(code);
  const auto maps = executable_mappings(::getpid());
  REQUIRE(maps);
  bool found = false, self = false;
  std::uint64_t last = 0;
  for (const Mapping& mapping : *maps) {
    CHECK(mapping.start >= last);
    last = mapping.end;
    // The kernel may have merged it with a neighbour.
    found |= mapping.anonymous() && mapping.start <= start && start + size <= mapping.end;
    self |= mapping.path.ends_with("test_process");
  }
  CHECK(found);
  CHECK(self);
  ::munmap(code, size);
  CHECK_FALSE(executable_mappings(0));
}
