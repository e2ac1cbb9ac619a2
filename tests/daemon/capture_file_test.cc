// The file of a capture: how it comes to be, what is refused, and what a full disk leaves of it.
#include "daemon/capture_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "daemon/pcapng.h"

namespace qdiscsim {
namespace {

using testing::HasSubstr;

class CaptureFileTest : public testing::Test {
 protected:
  CaptureFileTest() {
    std::string name = testing::TempDir() + "qdiscsim-capture-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~CaptureFileTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string content(const std::string& name) const {
    std::ifstream in{path(name), std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  std::string why_refused(const std::string& file) const {
    try {
      CaptureFile{file};
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
  static pcapng::Bytes packet(std::size_t size) {
    const pcapng::Bytes data(size, std::byte{0x55});
    pcapng::Bytes out;
    pcapng::enhanced_packet(out,
                            {.interface = 0, .time = 0, .length = 0, .bytes = data, .comment = ""});
    return out;
  }

  std::filesystem::path folder_;
};

TEST_F(CaptureFileTest, IsMadeForItsUserAndGroupAndNobodyElse) {
  const mode_t before = umask(0);
  CaptureFile file{path("new")};
  umask(before);
  struct stat is {};
  ASSERT_EQ(stat(path("new").c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 07777U, 0640U);
}

TEST_F(CaptureFileTest, RefusesToReplaceWhatIsNoCapture) {
  for (const std::string held : {"seed: 1\n", "x", "\xd4\xc3\xb2\xa1 of another kind"}) {
    std::ofstream{path("old"), std::ios::binary} << held;
    EXPECT_EQ(why_refused(path("old")),
              path("old") +
                  ": holds something else than a pcapng capture; choose another file, or "
                  "remove it");
    EXPECT_EQ(content("old"), held);
  }
  std::ofstream{path("empty")};
  EXPECT_EQ(why_refused(path("empty")), "");
}

TEST_F(CaptureFileTest, IsWrittenAnewButKeepsItsMode) {
  std::ofstream{path("old"), std::ios::binary} << "\x0a\x0d\x0d\x0a, and more";
  chmod(path("old").c_str(), 0600);
  const pcapng::Bytes block = packet(3);
  CaptureFile file{path("old")};
  EXPECT_EQ(content("old"), "");
  EXPECT_TRUE(file.write(block));
  EXPECT_EQ(content("old"), "");
  EXPECT_TRUE(file.dirty());
  EXPECT_TRUE(file.flush());
  EXPECT_FALSE(file.dirty());
  EXPECT_EQ(content("old").size(), block.size());
  EXPECT_TRUE(file.write(block));
  EXPECT_TRUE(file.close());
  EXPECT_EQ(content("old").size(), 2 * block.size());
  EXPECT_EQ(file.size(), 2 * block.size());
  EXPECT_FALSE(file.write(block));
  struct stat is {};
  stat(path("old").c_str(), &is);
  EXPECT_EQ(is.st_mode & 07777U, 0600U);
}

TEST_F(CaptureFileTest, RefusesWhatIsNoRegularFile) {
  EXPECT_EQ(why_refused(folder_.string()),
            folder_.string() + ": is a directory; choose another file");
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(why_refused(path("fifo")),
            path("fifo") + ": is not a regular file; choose another file");
  EXPECT_EQ(why_refused("/dev/null"), "/dev/null: is not a regular file; choose another file");
}

TEST_F(CaptureFileTest, NamesThePathTheErrorAndTheWayOut) {
  EXPECT_EQ(why_refused(path("no/file")), path("no/file") +
                                              ": No such file or directory; create its "
                                              "directory, or choose another file");
  EXPECT_THAT(why_refused("/proc/qdiscsim-capture"), HasSubstr("/proc/qdiscsim-capture: "));
  EXPECT_THAT(why_refused("/proc/qdiscsim-capture"), HasSubstr("; "));
}

TEST_F(CaptureFileTest, RefusesAFileThatAnotherCaptureWrites) {
  const pcapng::Bytes block = packet(3);
  CaptureFile file{path("mine")};
  file.write(block);
  file.flush();
  std::filesystem::create_symlink(path("mine"), path("alias"));
  EXPECT_EQ(why_refused(path("alias")),
            path("alias") + ": another capture writes to it; choose another file");
  EXPECT_EQ(content("mine").size(), block.size());
}

// The system's limit of a file's size stands for a full disk.
TEST_F(CaptureFileTest, EndsBehindAWholeBlockWhenNoMoreCanBeWritten) {
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const pcapng::Bytes block = packet(100);
  CaptureFile file{path("full")};
  EXPECT_TRUE(file.write(block));
  EXPECT_TRUE(file.flush());
  const rlimit limit{3 * block.size() + 10, old_limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(file.write(block));
  const bool flushed = file.flush();
  setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_action);
  EXPECT_FALSE(flushed);
  EXPECT_EQ(file.error(), EFBIG);
  EXPECT_EQ(file.lost_packets(), 3U);
  EXPECT_EQ(file.size(), 3 * block.size());
  EXPECT_FALSE(file.write(block));
  EXPECT_FALSE(file.close());
  EXPECT_EQ(content("full").size(), 3 * block.size());
}

}  // namespace
}  // namespace qdiscsim
