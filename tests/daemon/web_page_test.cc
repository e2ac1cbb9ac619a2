#include "daemon/web_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/sample_snapshot.h"

namespace qdiscsim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string page(const Snapshot& snapshot) {
  DaemonState state;
  state.set_phase(Phase::kReady);
  return render_web_page(summarise(snapshot, RateWindow{}, state));
}

TEST(WebPage, ShowsDevicesBandsGeneratorsAndPools) {
  const std::string html = page(sample_snapshot());
  EXPECT_THAT(html, HasSubstr("<h2>eth0: wire link at 1 Gbit/s, 1 tx queue</h2>"));
  EXPECT_THAT(html, HasSubstr("<tr><th scope=\"row\">2</th>"));
  EXPECT_THAT(html, HasSubstr("<td>110</td><td>702</td><td>100</td><td>1,000</td>"));
  EXPECT_THAT(html, HasSubstr("gen/0"));
  EXPECT_THAT(html, HasSubstr("href=\"/metrics\""));
}

TEST(WebPage, LoadsNothingFromElsewhere) {
  const std::string html = page(sample_snapshot());
  EXPECT_THAT(html, Not(HasSubstr("http://")));
  EXPECT_THAT(html, Not(HasSubstr("https://")));
}

TEST(WebPage, EscapesNames) {
  Snapshot s = sample_snapshot();
  s.devices[0].name = "<b>&\"'";
  const std::string html = page(s);
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;&amp;&quot;&#39;"));
}

TEST(WebPage, SaysSoWhenTheAccountsFailed) {
  Snapshot s = sample_snapshot();
  EXPECT_THAT(page(s), Not(HasSubstr("this is a bug")));
  s.account_violations = 1;
  EXPECT_THAT(page(s), HasSubstr("1 check of the accounts failed: this is a bug"));
}

}  // namespace
}  // namespace qdiscsim
