#include "daemon/net_namespace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sched.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <set>
#include <thread>
#include <utility>

#include "daemon/source.h"

namespace qdiscsim {
namespace {

constexpr const char* kDirectory = "/run/netns";
constexpr const char* kOwn = "/proc/thread-self/ns/net";
constexpr const char* kOurPrefix = "qdiscsim-";

// A thread that has changed its namespace is of no use for anything else.
void on_own_thread(const std::function<void()>& work) {
  std::exception_ptr failure;
  std::thread thread{[&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  }};
  thread.join();
  if (failure) std::rethrow_exception(failure);
}

// The directory with its lock, by which `ip netns add` and we take turns; released when closed.
UniqueFd lock_directory() {
  UniqueFd directory{open(kDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (directory) flock(directory.get(), LOCK_EX);
  return directory;
}

// A mount of its own that is shared, so that what is mounted and unmounted in it is so in every
// mount namespace that has it. 0 or errno.
int share_directory() {
  if (mount("", kDirectory, "none", MS_SHARED | MS_REC, nullptr) == 0) return 0;
  if (errno != EINVAL) return errno;
  if (mount(kDirectory, kDirectory, "none", MS_BIND | MS_REC, nullptr) != 0) return errno;
  return mount("", kDirectory, "none", MS_SHARED | MS_REC, nullptr) == 0 ? 0 : errno;
}

// Of the calling thread's namespace. Each has a line, "  NAME: bytes ..."; the heading has no
// colon.
std::set<std::string> interfaces_here() {
  std::ifstream file{"/proc/thread-self/net/dev"};
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (const auto colon = line.find(':'); colon != std::string::npos) {
      names.insert(line.substr(0, colon));
    }
  }
  return names;
}

// A namespace with no interfaces but those of a new one, where the calling thread is: lo, and with
// some modules tunnels. Or the empty file that waits for a namespace to be mounted on.
bool is_empty(int fd) {
  struct statfs system {};
  struct stat file {};
  if (fstatfs(fd, &system) != 0 || fstat(fd, &file) != 0) return false;
  if (system.f_type != NSFS_MAGIC) return S_ISREG(file.st_mode) && file.st_size == 0;
  const std::set<std::string> of_a_new_one = interfaces_here();
  bool empty = false;
  on_own_thread([&] { empty = setns(fd, CLONE_NEWNET) == 0 && interfaces_here() == of_a_new_one; });
  return empty;
}

void take_off(const std::string& path) {
  umount2(path.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
  unlink(path.c_str());
}

bool is_same_file(int fd, const std::string& path) {
  struct stat held {};
  struct stat named {};
  return fstat(fd, &held) == 0 && stat(path.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

const char* way_out(int error) {
  switch (error) {
    case EPERM:
    case EACCES:
      return "CAP_SYS_ADMIN and CAP_NET_ADMIN are needed: run it as root, as a service with "
             "tap.conf (operations.md), in a container with --cap-add SYS_ADMIN --cap-add "
             "NET_ADMIN; or choose another link.kind";
    case EROFS:
      return "make it writable, in a container with --privileged; or choose another link.kind";
    case ENOSPC:
      return "raise the limit in /proc/sys/user, or choose another link.kind";
    default:
      return "see links.md, or choose another link.kind";
  }
}

}  // namespace

std::string tap_error(const std::string& why, int error) {
  return fmt::format("{}: {}; {}", why, std::strerror(error), way_out(error));
}

NetNamespace::NetNamespace(const std::string& device, std::string name)
    : name_{std::move(name)},
      path_{fmt::format("{}/{}", kDirectory, name_)},
      label_{fmt::format("device {}: link.netns: {}", device, name_)} {
  on_own_thread([this] { make(); });
}

NetNamespace::~NetNamespace() {
  const UniqueFd directory = lock_directory();
  // Somebody may have deleted it, and may have made another one.
  if (is_same_file(namespace_.get(), path_)) take_off(path_);
}

void NetNamespace::inside(const std::function<void()>& work) const {
  on_own_thread([&] {
    if (setns(namespace_.get(), CLONE_NEWNET) != 0) refuse(tap_error("cannot be entered", errno));
    work();
  });
}

void NetNamespace::make() {
  if (unshare(CLONE_NEWNET) != 0) refuse(tap_error("cannot be made", errno));
  namespace_ = UniqueFd{open(kOwn, O_RDONLY | O_CLOEXEC)};
  if (!namespace_) refuse(tap_error(kOwn, errno));
  flock(namespace_.get(), LOCK_EX | LOCK_NB);
  // For the interfaces to come. A kernel without IPv6 has no such file.
  const char* const kNoIpv6 = "/proc/sys/net/ipv6/conf/default/disable_ipv6";
  const UniqueFd ipv6{open(kNoIpv6, O_WRONLY | O_CLOEXEC)};
  if (ipv6 ? write(ipv6.get(), "1", 1) != 1 : errno != ENOENT) refuse(tap_error(kNoIpv6, errno));
  publish();
}

void NetNamespace::publish() {
  constexpr mode_t kMode = 0755;
  if (mkdir(kDirectory, kMode) != 0 && errno != EEXIST) refuse(tap_error(kDirectory, errno));
  const UniqueFd directory = lock_directory();
  if (!directory) refuse(tap_error(kDirectory, errno));
  if (const int error = share_directory()) {
    refuse(tap_error(fmt::format("{}: cannot be mounted", kDirectory), error));
  }
  clear_name();
  const UniqueFd file{open(path_.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0)};
  if (!file) refuse(tap_error(path_, errno));
  if (mount(kOwn, path_.c_str(), "none", MS_BIND, nullptr) != 0) {
    const int error = errno;
    unlink(path_.c_str());
    refuse(tap_error(fmt::format("{}: cannot be mounted", path_), error));
  }
}

// The name is free, or becomes so because a killed daemon has left it. On a thread in a new
// namespace.
void NetNamespace::clear_name() const {
  const UniqueFd old{open(path_.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!old) {
    if (errno == ENOENT) return;
    refuse(tap_error(path_, errno));
  }
  if (flock(old.get(), LOCK_EX | LOCK_NB) != 0) {
    refuse("another qdiscsimd uses it; end that one or choose another link.netns");
  }
  if (!name_.starts_with(kOurPrefix) || !is_empty(old.get())) {
    refuse(fmt::format(
        "exists already and may be somebody's, who would see this device's packets; delete it (ip "
        "netns delete {}) or choose another link.netns",
        name_));
  }
  take_off(path_);
  spdlog::info("{}: took away what a killed qdiscsimd had left", label_);
}

void NetNamespace::refuse(const std::string& why) const {
  throw UnusableConfiguration{fmt::format("{}: {}", label_, why)};
}

}  // namespace qdiscsim
