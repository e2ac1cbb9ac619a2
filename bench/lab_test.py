"""Tests of what the benches compute: a wrong median would be believed."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
# pylint: disable=wrong-import-position
import callgrind  # noqa: E402
import lab  # noqa: E402
import rings_lab  # noqa: E402
import rings_published  # noqa: E402
import testpmd  # noqa: E402


def options(**changes):
    parsed = lab.parse("", arguments=[])
    for name, value in changes.items():
        setattr(parsed, name, value)
    return parsed


class Statistics(unittest.TestCase):
    def test_the_median_absolute_deviation_shrugs_at_an_outlier(self):
        self.assertEqual(lab.mad([1, 2, 3, 4, 1000]), 1)

    def test_a_percentile_is_a_value_that_was_measured(self):
        values = list(range(1, 201))
        self.assertEqual(lab.percentile(values, 50), 100)
        self.assertEqual(lab.percentile(values, 99), 198)
        self.assertEqual(lab.percentile([7], 99), 7)

    def test_ratios_pair_the_values_of_one_round(self):
        self.assertEqual(lab.ratios([2, 9], [1, 3]), [2, 3])
        with self.assertRaises(ValueError):
            lab.ratios([1], [1, 2])


class Rounds(unittest.TestCase):
    def test_every_round_runs_every_variant_once_in_an_order_that_changes(self):
        log = []
        variants = {name: lambda name=name: log.append(name) or len(log) for name in "abc"}
        results = lab.interleave(variants, options(rounds=20))
        rounds = [tuple(log[i:i + 3]) for i in range(0, 60, 3)]
        self.assertTrue(all(sorted(round_) == ["a", "b", "c"] for round_ in rounds))
        self.assertGreater(len(set(rounds)), 1)
        for turn, round_ in enumerate(rounds):
            self.assertEqual(results["b"][turn], 3 * turn + round_.index("b") + 1)

    def test_nine_are_the_least_unless_it_only_smokes(self):
        self.assertEqual(options().rounds, 9)
        self.assertEqual(lab.parse("", arguments=["--smoke"]).rounds, 2)


class Marks(unittest.TestCase):
    def report(self, smoke, value):
        report = lab.Report("title", options(smoke=smoke))
        report.figure("speed", "Mpps", [1.0, 2.0, 4.0])
        report.mark("ratio", value, "at least", 0.4)
        return report

    def finish(self, report):
        import contextlib
        import io
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = report.finish()
        return code, out.getvalue(), err.getvalue()

    def test_a_missed_one_is_named_and_makes_the_exit_code_1(self):
        code, out, err = self.finish(self.report(False, 0.39))
        self.assertEqual(code, 1)
        self.assertIn("| speed | Mpps | 2.00 | 1.00 .. 4.00 | 1.00 | 3 |", out)
        self.assertIn("- mark MISSED: ratio: 0.390, wanted at least 0.4", out)
        self.assertIn("mark missed: ratio", err)

    def test_a_met_one_does_not(self):
        self.assertEqual(self.finish(self.report(False, 0.4))[0], 0)

    def test_smoke_judges_nothing(self):
        code, out, err = self.finish(self.report(True, 0.39))
        self.assertEqual((code, err), (0, ""))
        self.assertIn("mean nothing", out)


class Parsers(unittest.TestCase):
    def test_testpmd_readings_leave_out_the_start_and_the_end(self):
        text = "".join(f"  Tx-pps:     {number}          Tx-bps:            0\n"
                       for number in (0, 5, 40, 41, 42, 7))
        self.assertEqual(testpmd.packets_per_second(text), [40, 41, 42])

    def test_callgrind_lines_become_short_names(self):
        text = ("2,000 (100.0%)  PROGRAM TOTALS\n"
                "1,234 (61.7%)  /x/qdisc/qdisc.h:qdiscsim::Qdisc<qdiscsim::smp::NativeOn<A>, "
                "qdiscsim::PtrRing<B, C<D> > >::xmit(qdiscsim::Cpu<E>&) [/x/pipeline_bench]\n"
                "  766 ( 3.8%)  /x/ring/ptr_ring.h:void qdiscsim::run<A>(int)\n")
        self.assertEqual(dict(callgrind.parse(text)),
                         {("qdisc/qdisc.h", "Qdisc::xmit"): 1234,
                          ("ring/ptr_ring.h", "void run"): 766})

    def test_runs_of_ring_bench_are_told_ring_by_ring(self):
        runs = rings_lab.Runs({
            "control": {"ratio": 1.01},
            "rings": [{"name": "cas", "runs": [
                {"mega_per_second": 40.0, "longest_stall_ns": 2_000_000},
                {"mega_per_second": 50.0, "figures": {"kicks/buffer": 0.5}}]}]})
        self.assertEqual(runs.rates("cas"), [40, 50])
        self.assertEqual(runs.longest_stall_ms("cas"), [2, 0])

    def test_what_is_derived_of_published_figures_is_as_their_authors_say(self):
        _, generations = rings_published.PUBLISHED["generations"]
        self.assertAlmostEqual(generations["spsc", "clear_after_head", "instructions"],
                               1 - 0.067, 3)
        self.assertAlmostEqual(generations["simple", "clear_after_head", "instructions"],
                               1 - 0.075, 3)
        _, virtio = rings_published.PUBLISHED["virtio_test"]
        self.assertAlmostEqual(virtio["notify always", "instructions"], 1 - 0.325, 3)
        _, vhost = rings_published.PUBLISHED["vhost_net"]
        self.assertAlmostEqual(vhost["zero_each", "drop share %"], 11.3, 1)


if __name__ == "__main__":
    unittest.main()
