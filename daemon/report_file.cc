#include "daemon/report_file.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include "daemon/report_views.h"

namespace qdiscsim {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw std::system_error{errno, std::generic_category(), "--report " + path + ": " + what};
}

}  // namespace

ReportFile::ReportFile(std::string path)
    : path_{std::move(path)}, file_{std::fopen(path_.c_str(), "we"), &std::fclose} {
  if (file_ == nullptr) fail(path_, "the file cannot be opened");
}

void ReportFile::write(const Snapshot& snapshot, Nanoseconds elapsed) {
  const std::string text =
      path_.ends_with(".md") ? report_markdown(snapshot, elapsed) : report_json(snapshot, elapsed);
  if (std::fputs(text.c_str(), file_.get()) < 0 || std::fclose(file_.release()) != 0) {
    fail(path_, "the report cannot be written");
  }
}

}  // namespace qdiscsim
