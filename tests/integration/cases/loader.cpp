// Does what a wasm runtime does with AOT files (map RW, copy the text, make it executable, call its
// functions), one command from stdin at a time, so that a test decides when what happens.
//
// Every command is answered by one line on stdout: `ok`, or `ok VALUE`, or `error WHY`. A command
// behind `@THREAD` is given to that thread and answered at once; `join THREAD` waits for it.
// Arguments of the program itself are ignored: they are there for tools that look for an image on
// the command line.
//
//   load NAME FILE              map the text readable and writable, copy it
//   place NAME FILE ADDRESS     the same at a fixed address, mapped over what is there
//   overlay NAME FILE OF PAGE   the same over a page of OF, and executable at once
//   protect NAME FIRST PAGES rx|rw|rwx|none   PAGES 0: all of them
//   unload NAME
//   address NAME                where it is
//   run NAME FUNCTION SECONDS   call an export, or #LOCAL, for so much CPU time of the thread
//   spin NAME FUNCTION SECONDS  the same by the clock on the wall
//   rounds NAME SECONDS         call all functions in turn
//   store NAME FUNCTION SECONDS the same as run, with pages that are dropped before each call
//   half NAME                   unmap the last page, then make all executable, which fails half-way
//   fail                        calls of mmap, mprotect, munmap and mremap that the kernel refuses
//   mappings COUNT              so many mappings of a page each
//   churn SECONDS               map and unmap a data page for so long; answers how often
//   storm COUNT                 make so many pages executable, one after the other
//   sleep SECONDS, burn SECONDS (host code), thread NAME, join NAME, exit_leader, tid, exit
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <fmt/format.h>

#include <aotscope/image.hpp>

namespace {

using Code = void (*)(void* pages, std::size_t count);
constexpr std::size_t page = 4096;
constexpr std::size_t store_pages = 256;

struct Text {
  std::uint8_t* base = nullptr;
  std::size_t size = 0;
  std::map<std::string, std::uint64_t> exports;
  std::vector<std::uint64_t> offsets;  // by local index

  std::size_t mapped() const { return (size + page - 1) & ~(page - 1); }
  Code at(std::uint64_t offset) const { return reinterpret_cast<Code>(base + offset); }
  Code find(const std::string& name) const {
    if (name.starts_with('#')) return at(offsets.at(std::stoul(name.substr(1))));
    return at(exports.at(name));
  }
};

std::mutex texts_mutex;
std::map<std::string, Text> texts;

Text text_named(const std::string& name) {
  const std::lock_guard lock(texts_mutex);
  return texts.at(name);
}

[[noreturn]] void give_up(const char* call) {
  throw std::runtime_error(fmt::format("{}: {}", call, std::strerror(errno)));
}

double clock_seconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
double thread_cpu() { return clock_seconds(CLOCK_THREAD_CPUTIME_ID); }
double wall() { return clock_seconds(CLOCK_MONOTONIC); }

// Like the runtime, keeps neither the file open nor a mapping of it.
Text load(const std::string& file, void* address, bool fixed) {
  const auto core = aotscope::image::Core::open(file);
  if (!core) throw std::runtime_error(core.error().message);
  Text text;
  const auto bytes = (*core)->text();
  text.size = bytes.size();
  void* base = ::mmap(address, bytes.size(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | (fixed ? MAP_FIXED : 0), -1, 0);
  if (base == MAP_FAILED) give_up("mmap");
  text.base = static_cast<std::uint8_t*>(base);
  std::memcpy(base, bytes.data(), bytes.size());
  for (const auto& function : (*core)->functions()) {
    text.offsets.push_back(function.offset);
    if (!function.name.empty()) text.exports.emplace(function.name, function.offset);
  }
  return text;
}

void keep(const std::string& name, Text text) {
  const std::lock_guard lock(texts_mutex);
  texts[name] = std::move(text);
}

int protection(const std::string& word) {
  if (word == "rx") return PROT_READ | PROT_EXEC;
  if (word == "rw") return PROT_READ | PROT_WRITE;
  if (word == "rwx") return PROT_READ | PROT_WRITE | PROT_EXEC;
  if (word == "none") return PROT_NONE;
  throw std::runtime_error("no such protection: " + word);
}

void protect(const Text& text, std::size_t first, std::size_t pages, const std::string& word) {
  const std::size_t size = pages == 0 ? text.mapped() - first * page : pages * page;
  if (::mprotect(text.base + first * page, size, protection(word)) != 0) give_up("mprotect");
}

void run(Code code, double seconds) {
  for (const double end = thread_cpu() + seconds; thread_cpu() < end;) code(nullptr, 0);
}

void spin(Code code, double seconds) {
  for (const double end = wall() + seconds; wall() < end;) code(nullptr, 0);
}

void rounds(const Text& text, double seconds) {
  for (const double end = thread_cpu() + seconds; thread_cpu() < end;) {
    for (const std::uint64_t offset : text.offsets) text.at(offset)(nullptr, 0);
  }
}

void store(Code code, double seconds) {
  void* pages = ::mmap(nullptr, store_pages * page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) give_up("mmap");
  ::madvise(pages, store_pages * page, MADV_NOHUGEPAGE);
  for (const double end = thread_cpu() + seconds; thread_cpu() < end;) {
    if (::madvise(pages, store_pages * page, MADV_DONTNEED) != 0) give_up("madvise");
    code(pages, store_pages);
  }
  ::munmap(pages, store_pages * page);
}

// Each must be refused, or the case that uses them proves nothing.
void fail_calls() {
  Text any;
  {
    const std::lock_guard lock(texts_mutex);
    if (!texts.empty()) any = texts.begin()->second;
  }
  // On the text where there is one: a tool that believed the call would change what is there.
  std::uint8_t* at = any.base ? any.base : reinterpret_cast<std::uint8_t*>(page * 16);
  auto* nowhere =
      reinterpret_cast<std::uint8_t*>(page * 16);  // below what may be mapped by default
  const int rx = PROT_READ | PROT_EXEC, rw = PROT_READ | PROT_WRITE, no_such = 0x100;
  const int fixed = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  const bool refused =
      ::mprotect(at + 1, page, rx) != 0 && ::mprotect(at, page, rw | no_such) != 0 &&
      ::mprotect(at, page, rx | no_such) != 0 && ::mprotect(nowhere, page, rx) != 0 &&
      ::mmap(at, page, rx, MAP_PRIVATE | MAP_FIXED, -1, 0) == MAP_FAILED &&
      ::mmap(at, 0, rx, fixed, -1, 0) == MAP_FAILED &&
      ::mmap(at + 1, page, rw, fixed, -1, 0) == MAP_FAILED &&
      (!any.base || ::mmap(at, page, rx, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
                           0) == MAP_FAILED) &&
      ::munmap(at, 0) != 0 && ::munmap(at + 1, page) != 0 &&
      ::mremap(at, page, page, MREMAP_FIXED | MREMAP_MAYMOVE, at + 1) == MAP_FAILED;
  if (!refused) throw std::runtime_error("a call that must fail went through");
}

// A call that fails after it has done half of its work: the pages before the hole are executable.
void half_protect(const Text& text) {
  // The hole must be there: the page behind the text is taken away with what it may hold.
  if (::munmap(text.base + text.mapped() - page, page) != 0) give_up("munmap");
  if (::mprotect(text.base, text.mapped(), PROT_READ | PROT_EXEC) == 0 || errno != ENOMEM) {
    throw std::runtime_error("mprotect over a hole went through");
  }
}

// Neighbours differ in protection, or the kernel would merge them to one.
void make_mappings(std::size_t count) {
  auto* base = static_cast<std::uint8_t*>(
      ::mmap(nullptr, count * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (base == MAP_FAILED) give_up("mmap");
  for (std::size_t i = 0; i < count; i += 2) {
    if (::mprotect(base + i * page, page, PROT_READ | PROT_WRITE) != 0) give_up("mprotect");
  }
}

std::size_t churn(double seconds) {
  std::size_t count = 0;
  for (const double end = wall() + seconds; wall() < end; ++count) {
    void* data = ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) give_up("mmap");
    *static_cast<volatile char*>(data) = 1;
    ::munmap(data, page);
  }
  return count;
}

void storm(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    void* code = ::mmap(nullptr, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED) give_up("mmap");
    ::munmap(code, page);
  }
}

void burn(double seconds) {
  volatile std::uint64_t sum = 0;
  for (const double end = thread_cpu() + seconds; thread_cpu() < end;) {
    for (int i = 0; i < 100'000; ++i) sum = sum + 1;
  }
}

// A thread that does one command at a time.
class Worker {
 public:
  Worker() : thread_([this] { serve(); }) { thread_.detach(); }
  void give(std::string line) {
    const std::lock_guard lock(mutex_);
    line_ = std::move(line);
    busy_ = true;
    wake_.notify_all();
  }
  std::string wait() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return !busy_; });
    return answer_;
  }

 private:
  void serve();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string line_, answer_ = "ok";
  bool busy_ = false;
  std::thread thread_;
};

std::map<std::string, Worker*> workers;  // never deleted: they end with the process

// The answer's value, "" for none. Throws what went wrong.
std::string command(std::istringstream& words) {
  std::string verb, name, file;
  double seconds = 0;
  words >> verb;
  const auto need = [&](auto&... values) {
    if (!(words >> ... >> values)) throw std::runtime_error(verb + ": an argument is missing");
  };
  if (verb == "load") {
    need(name, file);
    keep(name, load(file, nullptr, false));
  } else if (verb == "place") {
    std::string address;
    need(name, file, address);
    keep(name, load(file, reinterpret_cast<void*>(std::stoull(address, nullptr, 0)), true));
  } else if (verb == "overlay") {
    std::string under;
    std::size_t number = 0;
    need(name, file, under, number);
    const Text text = load(file, text_named(under).base + number * page, true);
    protect(text, 0, 0, "rx");
    keep(name, text);
  } else if (verb == "protect") {
    std::string word;
    std::size_t first = 0, pages = 0;
    need(name, first, pages, word);
    protect(text_named(name), first, pages, word);
  } else if (verb == "unload") {
    need(name);
    const Text text = text_named(name);
    if (::munmap(text.base, text.mapped()) != 0) give_up("munmap");
    const std::lock_guard lock(texts_mutex);
    texts.erase(name);
  } else if (verb == "address") {
    need(name);
    return fmt::format("{:#x}", reinterpret_cast<std::uintptr_t>(text_named(name).base));
  } else if (verb == "run") {
    std::string function;
    need(name, function, seconds);
    run(text_named(name).find(function), seconds);
  } else if (verb == "spin") {
    std::string function;
    need(name, function, seconds);
    spin(text_named(name).find(function), seconds);
  } else if (verb == "rounds") {
    need(name, seconds);
    rounds(text_named(name), seconds);
  } else if (verb == "store") {
    std::string function;
    need(name, function, seconds);
    store(text_named(name).find(function), seconds);
  } else if (verb == "half") {
    need(name);
    half_protect(text_named(name));
  } else if (verb == "fail") {
    fail_calls();
  } else if (verb == "mappings") {
    std::size_t count = 0;
    need(count);
    make_mappings(count);
  } else if (verb == "churn") {
    need(seconds);
    return fmt::format("{}", churn(seconds));
  } else if (verb == "storm") {
    std::size_t count = 0;
    need(count);
    storm(count);
  } else if (verb == "sleep") {
    need(seconds);
    ::usleep(static_cast<useconds_t>(seconds * 1e6));
  } else if (verb == "burn") {
    need(seconds);
    burn(seconds);
  } else if (verb == "tid") {
    return fmt::format("{}", ::gettid());
  } else {
    throw std::runtime_error("no such command: " + verb);
  }
  return {};
}

std::string answer_to(const std::string& line) {
  try {
    std::istringstream words(line);
    const std::string value = command(words);
    return value.empty() ? "ok" : "ok " + value;
  } catch (const std::exception& error) {
    return fmt::format("error {}: {}", line, error.what());
  }
}

void Worker::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return busy_; });
    const std::string line = line_;
    lock.unlock();
    const std::string answer = answer_to(line);
    lock.lock();
    answer_ = answer;
    busy_ = false;
    wake_.notify_all();
  }
}

void say(const std::string& line) { std::cout << line << std::endl; }

bool leader_has_ended() {
  std::ifstream stat(fmt::format("/proc/{}/task/{}/stat", ::getpid(), ::getpid()));
  std::string line;
  std::getline(stat, line);
  const std::size_t close = line.rfind(')');
  return close == std::string::npos || line.at(close + 2) == 'Z';
}

// Reads commands until `exit` or the end of stdin. True when the leader shall end.
bool serve() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb, name;
    words >> verb >> name;
    if (verb == "exit") {
      say("ok");
      return false;
    }
    if (verb == "exit_leader") return true;
    if (verb == "thread") {
      workers[name] = new Worker;
      say("ok");
    } else if (verb.starts_with('@')) {
      workers.at(verb.substr(1))->give(line.substr(verb.size() + 1));
      say("ok");
    } else if (verb == "join") {
      say(workers.at(name)->wait());
    } else {
      say(answer_to(line));
    }
  }
  return false;
}

[[noreturn]] void serve_to_the_end() {
  while (!leader_has_ended()) ::usleep(1000);
  say("ok");
  serve();
  ::_exit(0);
}

}  // namespace

int main() {
  if (serve()) {
    std::thread(serve_to_the_end).detach();
    ::pthread_exit(nullptr);
  }
  ::_exit(0);  // threads may be running
}
