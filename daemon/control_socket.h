// The UNIX socket on which a daemon may be changed: where it lies, and how it comes and goes.
//
// Mode 0660: its user and group may connect. A socket that a killed daemon left is replaced, one on
// which somebody answers is left alone. Control thread.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <string>

namespace qdiscsim {

// The path behind control.socket; empty = no socket. `auto`: control.sock in $RUNTIME_DIRECTORY,
// for root in /run/qdiscsim, else in $XDG_RUNTIME_DIR/qdiscsim.
std::string control_socket_path(const std::string& configured);

class ControlSocket {
 public:
  // Binds and listens; makes the directory (0755) when it is missing.
  // Throws std::runtime_error "control.socket: PATH: what; the way out".
  ControlSocket(boost::asio::io_context& context, const std::string& path);
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;
  ~ControlSocket();  // takes the file off, unless another socket has taken its place

  boost::asio::local::stream_protocol::acceptor& acceptor() noexcept { return acceptor_; }

 private:
  std::string path_;
  dev_t device_ = 0;  // of the file, with its inode
  ino_t inode_ = 0;
  boost::asio::local::stream_protocol::acceptor acceptor_;
};

}  // namespace qdiscsim
