// Numbers for people. Every function takes null for "not known" or "no limit".
const kNone = "\u2013";

const format = {
  count: (n) => n == null ? kNone : Math.round(n).toLocaleString("en-US"),
  scaled(n, units) {
    let i = 0;
    while (i + 1 < units.length && Math.abs(n) >= 999.5) { n /= 1000; ++i; }
    const digits = n === 0 || Math.abs(n) >= 100 || i === 0 ? 0 : Math.abs(n) >= 10 ? 1 : 2;
    return n.toFixed(digits) + " " + units[i];
  },
  packets: (n) => n == null ? kNone : format.scaled(n, ["pps", "kpps", "Mpps", "Gpps"]),
  bits: (n) => n == null ? kNone : format.scaled(n, ["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"]),
  // Beside an axis, and in a chart's words: 1.5M.
  short(n) {
    if (n == null) return "unknown";
    const [unit, letter] = n >= 1e9 ? [1e9, "G"] : n >= 1e6 ? [1e6, "M"] : n >= 1e3 ? [1e3, "k"] : [1, ""];
    return +(n / unit).toPrecision(3) + letter;
  },
  percent(r) {
    if (r == null) return kNone;
    const p = 100 * r;
    return (p === 0 ? "0" : p < 0.01 ? "<0.01" : p < 10 ? p.toFixed(2) : p.toFixed(1)) + " %";
  },
  duration(s) {
    if (s == null) return kNone;
    if (s === 0) return "0 s";
    if (s < 1e-6) return (s * 1e9).toPrecision(3) + " ns";
    if (s < 1e-3) return (s * 1e6).toPrecision(3) + " \u00b5s";
    if (s < 1) return (s * 1e3).toPrecision(3) + " ms";
    if (s < 100) return s.toPrecision(3) + " s";
    const whole = Math.floor(s), hours = Math.floor(whole / 3600);
    const minutes = Math.floor(whole / 60) % 60;
    return (hours ? hours + " h " : "") + minutes + " min " + (hours ? "" : whole % 60 + " s");
  },
};
