#!/usr/bin/env python3
"""A configuration file that changes while it is read, and reloads that never end.

usage: config_test.py QDISCSIMD [unittest arguments]
"""

import socket
import subprocess

import lab


class Configuration(lab.Knocks):
    def test_a_storm_of_hangups_ends_with_the_file_in_force(self):
        self.start()
        self.hangups(500)
        self.write_config(rate="60kpps")
        self.hangups(500)
        self.wait_for_log("generators.*60")
        self.assert_goes_on()
        self.assert_exact()

    def test_a_file_that_is_replaced_while_it_is_read_is_applied_whole_or_refused(self):
        self.start()
        whole = self.config.read_text()
        for turn in range(60):
            rate = f"{50 + turn}kpps"
            text = whole.replace("50kpps", rate)
            self.hangups(1)
            if turn % 3 == 0:
                new = self.config.with_suffix(".new")
                new.write_text(text)
                new.rename(self.config)
            elif turn % 3 == 1:
                self.config.write_text("")  # cut to nothing
                self.hangups(1)
            else:
                with open(self.config, "w") as file:
                    file.write(text[:len(text) // 2])
                    file.flush()
                    self.hangups(1)
                    file.write(text[len(text) // 2:])
        self.config.write_text(whole.replace("50kpps", "777kpps"))
        self.hangups(1)
        self.wait_for_log("777")
        self.assert_goes_on()
        self.assert_exact()

    def test_a_file_that_is_gone_empty_or_a_directory_is_refused(self):
        self.start()
        whole = self.config.read_text()
        self.config.unlink()
        self.assert_reload("refused")
        self.config.mkdir()
        self.assert_reload("refused")
        self.config.rmdir()
        self.config.write_bytes(b"\0\xff" * 5000)
        self.assert_reload("refused")
        self.config.write_text(whole)
        self.assert_reload("applied in")
        self.assert_goes_on()
        self.assert_exact()

    def test_a_listen_address_in_use_is_refused_and_the_old_one_stays(self):
        with socket.create_server(("127.0.0.1", 0)) as thief:
            stolen = f"127.0.0.1:{thief.getsockname()[1]}"
            self.start()
            whole = self.config.read_text()
            self.config.write_text(whole.replace("127.0.0.1:0", stolen))
            self.assert_reload("refused")
            self.assertRegex(self.log(), f'http.listen: .* -> "{stolen}" .needs a restart.')
            self.assert_goes_on()
            refused = subprocess.run([self.qdiscsimd, self.config, "--set", "control.socket=none"],
                                     capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(refused.returncode, 69, refused.stderr)
            self.assertIn(f"{stolen}: address already in use", refused.stderr)
            self.config.write_text(whole)
            self.assert_reload("applied in")
            self.assert_exact()

    def test_a_huge_configuration_is_refused_with_a_reason(self):
        self.start()
        whole = self.config.read_text()
        self.config.write_text(whole.replace(
            "generators: [", "generators: [" +
            "".join(f"{{name: g{n}, device: eth0, ratep: 1kpps}}, " for n in range(20_000))))
        self.assert_reload("refused")
        self.assert_goes_on()
        self.config.write_text("[" * 1_000_000)
        self.assert_reload("refused")
        self.assert_goes_on()
        self.assert_exact()


if __name__ == "__main__":
    lab.main()
