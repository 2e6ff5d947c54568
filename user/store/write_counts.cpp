// Flush: counters of functions, instructions, hosts, threads and stacks.
#include "rows.hpp"

namespace aotscope::store {
namespace {

// One function's code; a longer one is left out of the recording rather than bloat it.
constexpr std::size_t max_code_bytes = 4U << 20;

}  // namespace

void CountRows::write(Db& db, const Profile& profile, CodeSource* code) {
  write_functions(db, profile, code);
  write_hosts(db, profile);
  write_unknowns(db, profile);
  write_threads(db, profile);
  write_stacks(db, profile);
}

void CountRows::commit() {
  counts_.commit();
  host_slots_.commit();
  thread_slots_.commit();
}

void CountRows::discard() {
  counts_.discard();
  host_slots_.discard();
  thread_slots_.discard();
}

void CountRows::forget() {
  discard();
  functions_.clear();
  hosts_.clear();
  unknowns_.clear();
  threads_.clear();
  nodes_.clear();
}

void CountRows::write_functions(Db& db, const Profile& profile, CodeSource* code) {
  for (const auto& [key, function] : profile.functions()) {
    if (!db.ok()) return;
    FunctionSlot& slot = functions_[key];
    if (slot.self == function.self && slot.total == function.total &&
        (slot.code != 0 || code == nullptr || function.self == 0))
      continue;
    total_.run(db, key.image, key.id, function.self, function.total, function.kernel);
    counts_.set(slot.total, function.total);
    if (slot.self != function.self) {
      counts_.set(slot.self, function.self);
      for (const auto& [offset, count] : function.offsets) {
        std::uint64_t& written = slot.offsets[offset];
        if (written == count.count) continue;
        if (!offset_.run(db, key.image, key.id, offset, static_cast<int>(count.cls),
                         static_cast<int>(count.waits), count.count, count.kernel))
          return;
        counts_.set(written, count.count);
      }
    }
    if (slot.code == 0 && code != nullptr && function.self != 0) {
      const std::vector<std::uint8_t> bytes = code->code(key);
      if (!bytes.empty() && bytes.size() <= max_code_bytes)
        code_.run(db, key.image, key.id, std::span<const std::uint8_t>(bytes));
      counts_.set(slot.code, 1);
    }
  }
}

void CountRows::write_hosts(Db& db, const Profile& profile) {
  const std::vector<profile::HostEntry>& hosts = profile.hosts();
  hosts_.resize(hosts.size());
  for (std::size_t i = 0; i < hosts.size() && db.ok(); ++i) {
    const profile::HostEntry& host = hosts[i];
    if (hosts_[i].self == host.self && hosts_[i].total == host.total) continue;
    host_.run(db, static_cast<std::uint64_t>(i), host.module, host.symbol, host.self, host.total,
              host.kernel);
    host_slots_.set(hosts_[i], {host.self, host.total});
  }
}

void CountRows::write_unknowns(Db& db, const Profile& profile) {
  const std::vector<profile::UnknownEntry>& unknowns = profile.unknowns();
  unknowns_.resize(unknowns.size(), never);
  for (std::size_t i = 0; i < unknowns.size() && db.ok(); ++i) {
    const profile::UnknownEntry& entry = unknowns[i];
    if (unknowns_[i] == entry.self) continue;
    unknown_.run(db, static_cast<std::uint64_t>(i), entry.region, entry.self, entry.kernel);
    for (const auto& [address, count] : entry.addresses)
      address_.run(db, static_cast<std::uint64_t>(i), address, count);
    counts_.set(unknowns_[i], entry.self);
  }
}

void CountRows::write_threads(Db& db, const Profile& profile) {
  for (const auto& [id, thread] : profile.threads()) {
    if (!db.ok()) return;
    ThreadSlot& slot = threads_[id];
    if (slot.self == thread.self && slot.comm == thread.comm) continue;
    thread_.run(db, thread.pid, thread.tid, thread.comm, thread.self, thread.kernel);
    thread_slots_.set(slot, {thread.self, thread.comm});
  }
}

void CountRows::write_stacks(Db& db, const Profile& profile) {
  const std::vector<profile::StackNode>& nodes = profile.stacks();
  nodes_.resize(nodes.size(), never);
  for (std::size_t i = 1; i < nodes.size(); ++i) {  // the root is no row
    const profile::StackNode& node = nodes[i];
    if (nodes_[i] == node.self) continue;
    if (!node_.run(db, static_cast<std::uint64_t>(i), node.parent,
                   static_cast<int>(node.frame.kind), node.frame.image, node.frame.id, node.self,
                   node.kernel))
      return;
    counts_.set(nodes_[i], node.self);
  }
}

}  // namespace aotscope::store
