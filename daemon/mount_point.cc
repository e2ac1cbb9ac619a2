#include "daemon/mount_point.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "daemon/source.h"

extern char** environ;

namespace qdiscsim {
namespace {

constexpr const char* kFuse = "/dev/fuse";

[[noreturn]] void refuse(const std::string& directory, const std::string& why) {
  throw UnusableConfiguration{fmt::format("pktgen.control_fs: {}: {}", directory, why)};
}

// mountinfo writes blanks and backslashes as \ooo.
std::string without_escapes(std::string_view text) {
  constexpr std::size_t kDigits = 3;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + kDigits < text.size()) {
      out += static_cast<char>(std::stoi(std::string{text.substr(i + 1, kDigits)}, nullptr, 8));
      i += kDigits;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string mounted_on(const std::string& directory) {
  std::ifstream file{"/proc/self/mountinfo"};
  std::stringstream text;
  text << file.rdbuf();
  return mounted_type(text.str(), directory);
}

bool is_ours(const std::string& type) {
  return type == std::string{"fuse."} + kMountSubtype;
}

// readlink of a mount whose program has ended still works, so this does too.
std::string without_links(const std::string& directory) {
  std::array<char, PATH_MAX> path{};
  return realpath(directory.c_str(), path.data()) != nullptr ? path.data() : directory;
}

void check_fuse(const std::string& directory) {
  const int fd = open(kFuse, O_RDWR | O_CLOEXEC);
  if (fd >= 0) {
    close(fd);
    return;
  }
  const int error = errno;
  if (error == EACCES || error == EPERM) {
    refuse(directory, fmt::format("cannot be mounted: {}: {}; give this user, container or unit "
                                  "access to it, or remove the key",
                                  kFuse, std::strerror(error)));
  }
  refuse(directory, fmt::format("cannot be mounted: {}: {}; load the module (modprobe fuse), in a "
                                "container pass the device (--device {} --cap-add SYS_ADMIN), or "
                                "remove the key",
                                kFuse, std::strerror(error), kFuse));
}

bool take_off(const std::string& directory) {
  if (umount2(directory.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0) return true;
  std::string program = "fusermount3";
  std::string option = "-uq";
  std::string end = "--";
  std::string name = directory;
  const std::array<char*, 5> words{program.data(), option.data(), end.data(), name.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environ) != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A mount whose program has ended answers everything with ENOTCONN.
void take_off_dead_mount(const std::string& directory) {
  struct stat info {};
  if (stat(directory.c_str(), &info) == 0 || errno != ENOTCONN) return;
  if (!is_ours(mounted_on(directory)) || !take_off(directory)) {
    refuse(directory,
           fmt::format("the program behind what is mounted there has ended; take it off: "
                       "fusermount3 -u {}",
                       directory));
  }
  spdlog::info("pktgen.control_fs: {}: took off what a killed qdiscsimd had left", directory);
}

void check_directory(const std::string& directory) {
  struct stat info {};
  if (stat(directory.c_str(), &info) != 0) {
    const int error = errno;
    if (error == ENOENT) refuse(directory, "does not exist; create it: mkdir -p " + directory);
    if (is_ours(mounted_on(directory))) {
      refuse(directory, "another user's qdiscsimd serves it; choose another directory");
    }
    refuse(directory, std::string{std::strerror(error)} + "; name a directory of this user");
  }
  if (!S_ISDIR(info.st_mode)) refuse(directory, "is not a directory; name an empty one");
  if (is_ours(mounted_on(directory))) {
    refuse(directory, "another qdiscsimd serves it; end that one or choose another directory");
  }
  std::error_code error;
  const bool empty = std::filesystem::is_empty(directory, error);
  if (error) refuse(directory, error.message() + "; name a directory that this user can read");
  if (!empty) refuse(directory, "is not empty; empty it or choose another directory");
  if (access(directory.c_str(), W_OK) != 0) {
    refuse(directory, "only who may write to it can mount on it; name a directory of this user");
  }
}

}  // namespace

std::string mounted_type(std::string_view mountinfo, std::string_view directory) {
  std::string type;
  std::istringstream lines{std::string{mountinfo}};
  for (std::string line; std::getline(lines, line);) {
    // 36 35 98:0 /root /mount/point options optional... - type source options
    std::istringstream words{line};
    std::string word;
    std::string point;
    for (int i = 0; i < 5; ++i) words >> point;
    while (words >> word && word != "-") {
    }
    if (words >> word && without_escapes(point) == directory) type = word;
  }
  return type;
}

std::string prepare_mount_point(const std::string& directory) {
  std::string real = without_links(directory);
  check_fuse(real);
  take_off_dead_mount(real);
  check_directory(real);
  return real;
}

}  // namespace qdiscsim
