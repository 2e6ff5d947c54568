// Who a pid is, its threads and its memory: tried on this process and on children of it.
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

#include <catch2/catch.hpp>

#include <aotscope/process.hpp>

using namespace aotscope::process;
using Catch::Matchers::Contains;

namespace {

// A child that sleeps, ended with the scope.
struct Child {
  pid_t pid;
  explicit Child(void (*body)()) : pid(::fork()) {
    if (pid == 0) {
      body();
      ::_exit(0);
    }
  }
  ~Child() {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
};

void until(bool (*condition)(pid_t), pid_t pid) {
  for (int i = 0; i < 2000 && !condition(pid); ++i) ::usleep(1000);
  REQUIRE(condition(pid));
}

}  // namespace

TEST_CASE("we are who we are") {
  const auto self = identify(::getpid());
  REQUIRE(self);
  CHECK(self->pid == ::getpid());
  CHECK(self->comm.starts_with("test_process"));
  REQUIRE_FALSE(self->arguments.empty());
  CHECK(self->command().starts_with(self->arguments[0]));
  CHECK(self->exe.ends_with("test_process"));
  CHECK(alive(::getpid()));
  CHECK(living_thread(::getpid()) == ::getpid());
  CHECK(cpu_seconds(::getpid()).value_or(-1) >= 0);
  CHECK(thread_name(::getpid(), ::getpid()).starts_with("test_process"));
}

TEST_CASE("a process without arguments is called by its name") {
  Identity identity;
  identity.comm = "kthreadd";
  CHECK(identity.command() == "[kthreadd]");
  identity.arguments = {"wamr", "run", "a b"};
  CHECK(identity.command() == "wamr run a b");
}

TEST_CASE("numbers that are no process") {
  for (const pid_t pid : {0, -1, 0x7fffffff}) {
    const auto nobody = identify(pid);
    REQUIRE_FALSE(nobody);
    CHECK_THAT(nobody.error().message, Contains("no such process"));
    CHECK_FALSE(nobody.error().hint.empty());
    CHECK_FALSE(alive(pid));
    CHECK(threads(pid).empty());
  }
}

TEST_CASE("a thread's number names its process") {
  pid_t tid = 0;
  bool done = false;
  std::thread other([&] {
    __atomic_store_n(&tid, ::gettid(), __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&done, __ATOMIC_SEQ_CST)) ::usleep(1000);
  });
  while (__atomic_load_n(&tid, __ATOMIC_SEQ_CST) == 0) ::usleep(100);
  const auto all = threads(::getpid());
  CHECK(std::find(all.begin(), all.end(), tid) != all.end());
  const auto thread = identify(tid);
  REQUIRE_FALSE(thread);
  CHECK_THAT(thread.error().message,
             Contains("is a thread of process " + std::to_string(::getpid())));
  CHECK_THAT(thread.error().hint, Contains("-p " + std::to_string(::getpid())));
  __atomic_store_n(&done, true, __ATOMIC_SEQ_CST);
  other.join();
}

TEST_CASE("a process whose leader ended lives in its threads") {
  static const char word[] = "still here";
  const Child child([] {
    std::thread([] { ::pause(); }).detach();
    ::syscall(SYS_exit, 0);  // this thread alone; pthread_exit would unwind through the test
  });
  until([](pid_t pid) { return living_thread(pid) != pid && living_thread(pid) != 0; }, child.pid);
  CHECK(alive(child.pid));
  const auto identity = identify(child.pid);
  REQUIRE(identity);
  CHECK_FALSE(identity->arguments.empty());  // the leader has no command line any more
  CHECK_THAT(proc_path(child.pid, "maps"), Contains("/task/"));
  const auto maps = executable_mappings(child.pid);
  REQUIRE(maps);
  CHECK_FALSE(maps->empty());
  Memory memory(child.pid);
  std::array<std::uint8_t, sizeof word> read{};
  REQUIRE(memory.read(reinterpret_cast<std::uint64_t>(word), read));
  CHECK(std::equal(read.begin(), read.end(), word));
}

TEST_CASE("a zombie is not alive") {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(0);
  until([](pid_t child) { return !alive(child); }, pid);
  CHECK(living_thread(pid) == 0);
  ::waitpid(pid, nullptr, 0);
}

TEST_CASE("memory that cannot be read is not made up") {
  constexpr std::size_t page = 4096;
  auto* pages = static_cast<std::uint8_t*>(
      ::mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(pages != MAP_FAILED);
  std::fill_n(pages, 3 * page, std::uint8_t{7});
  REQUIRE(::munmap(pages + page, page) == 0);
  const auto address = [&](std::size_t offset) {
    return reinterpret_cast<std::uint64_t>(pages) + offset;
  };
  Memory memory(::getpid());
  std::array<std::uint8_t, 16> bytes{};
  CHECK(memory.read(address(0), bytes));
  CHECK(bytes[15] == 7);
  CHECK_FALSE(memory.read(address(page), bytes));
  CHECK_FALSE(memory.read(address(page - 8), bytes));  // half of it is there

  // Of many, those that can be read are read and the others are zero.
  const std::array<std::uint64_t, 5> addresses = {address(0), address(page), 16, address(2 * page),
                                                  address(3 * page - 4)};
  std::array<std::uint8_t, 20> out;
  out.fill(1);
  memory.read_many(addresses, 4, out);
  const std::array<std::uint8_t, 20> wanted = {7, 7, 7, 7, 0, 0, 0, 0, 0, 0,
                                               0, 0, 7, 7, 7, 7, 7, 7, 7, 7};
  CHECK(out == wanted);
  ::munmap(pages, page);
  ::munmap(pages + 2 * page, page);
}
