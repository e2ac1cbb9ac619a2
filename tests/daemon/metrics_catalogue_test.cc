#include "daemon/metrics_catalogue.h"

#include <gtest/gtest.h>
#include <prometheus/check_names.h>

#include <fstream>
#include <set>
#include <sstream>

namespace qdiscsim {
namespace {

TEST(MetricsCatalogue, HasValidNamesEachOnce) {
  std::set<std::string_view> names;
  for (const MetricInfo& metric : kMetrics) {
    EXPECT_TRUE(prometheus::CheckMetricName(std::string{metric.name})) << metric.name;
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name << " is there twice";
    EXPECT_TRUE(metric.name.starts_with("qdiscsim_") || metric.name.starts_with("process_"))
        << metric.name;
  }
}

TEST(MetricsCatalogue, GivesTheTotalSuffixToCountersAndOnlyToThem) {
  for (const MetricInfo& metric : kMetrics) {
    EXPECT_EQ(metric.name.ends_with("_total"), metric.type == prometheus::MetricType::Counter)
        << metric.name;
  }
}

TEST(MetricsCatalogue, ExplainsEveryMetricInOneSentenceWithoutAFullStop) {
  for (const MetricInfo& metric : kMetrics) {
    ASSERT_FALSE(metric.help.empty()) << metric.name;
    EXPECT_NE(metric.help.back(), '.') << metric.name;
    EXPECT_EQ(metric.help.find('\n'), std::string_view::npos) << metric.name;
    EXPECT_EQ(metric.help.find('|'), std::string_view::npos) << metric.name << ": breaks the table";
    EXPECT_FALSE(metric.unit.empty()) << metric.name;
  }
}

TEST(MetricsCatalogue, IsWhatTheDocumentationShows) {
  const std::string path = QDISCSIM_DOCS "/metrics.md";
  std::ifstream file{path};
  ASSERT_TRUE(file) << path << " is missing: write it with ./dev docs";
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str() == metrics_reference_markdown())
      << path << " is out of date: run ./dev docs (qdiscsimd --print-metrics-reference > "
      << "docs/metrics.md) and commit the result";
}

}  // namespace
}  // namespace qdiscsim
