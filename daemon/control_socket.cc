#include "daemon/control_socket.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace qdiscsim {
namespace {

using boost::asio::local::stream_protocol;
using boost::system::error_code;

constexpr std::string_view kWayOut = "; choose another path with control.socket, or none";

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error{"control.socket: " + path + ": " + why + std::string{kWayOut}};
}

bool somebody_answers(boost::asio::io_context& context, const std::string& path) {
  stream_protocol::socket probe{context};
  error_code error;
  probe.connect(stream_protocol::endpoint{path}, error);
  return !error || error == boost::asio::error::try_again;
}

}  // namespace

std::string control_socket_path(const std::string& configured) {
  if (configured == "none") return "";
  if (configured != "auto") return configured;
  const auto from = [](const char* variable, const std::string& rest) {
    const char* const folder = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
    return folder == nullptr || *folder == '\0' ? "" : folder + rest;
  };
  if (std::string path = from("RUNTIME_DIRECTORY", "/control.sock"); !path.empty()) return path;
  if (geteuid() == 0) return "/run/qdiscsim/control.sock";
  return from("XDG_RUNTIME_DIR", "/qdiscsim/control.sock");
}

ControlSocket::ControlSocket(boost::asio::io_context& context, const std::string& path)
    : path_{path}, acceptor_{context} {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::path{path}.parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  struct stat is {};
  if (lstat(path.c_str(), &is) == 0) {
    if (!S_ISSOCK(is.st_mode)) refuse(path, "is there already, and is no socket");
    if (somebody_answers(context, path)) refuse(path, "another qdiscsimd answers on it");
    unlink(path.c_str());
  }
  error_code error;
  acceptor_.open(stream_protocol{}, error);
  const mode_t before = umask(0117);
  if (!error) acceptor_.bind(stream_protocol::endpoint{path}, error);
  umask(before);
  if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
  if (error) refuse(path, error.message());
  if (lstat(path.c_str(), &is) == 0) {
    device_ = is.st_dev;
    inode_ = is.st_ino;
  }
}

// Somebody who took the file off may have started another daemon on the path.
ControlSocket::~ControlSocket() {
  struct stat is {};
  if (lstat(path_.c_str(), &is) != 0 || is.st_dev != device_ || is.st_ino != inode_) return;
  unlink(path_.c_str());
}

}  // namespace qdiscsim
