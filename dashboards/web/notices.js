// What a person should know before looking at figures. Notices are announced to who listens, so a
// text does not change with each second: durations go up in steps.
const kSteps = [86400, 43200, 10800, 3600, 1800, 600, 300, 120, 60, 30, 10, 5, 3, 1];
const kLateSeconds = 1;    // a generator that is later than this is worth a sentence
const kQuietBeats = 3;     // without a packet, while generators run

const format_step = (seconds) => {
  const step = kSteps.find((length) => seconds >= length);
  return step ? "more than " + (step < 60 ? step + " s" : step < 3600 ? step / 60 + " min" : step / 3600 + " h") :
    "less than 1 s";
};

const plural = (n, thing) => `${n} ${thing}${n === 1 ? "" : "s"}`;

// A generator from which packets could be expected each second.
const is_busy = (g) => g.running && (g.configured_pps == null || g.configured_pps >= 10);
const is_quiet = (summary) => summary.generators.some(is_busy) && summary.generators.every((g) => g.rate_pps === 0);

// [text, is it bad]. quietBeats: for how many events nothing was sent.
function noticesOf(summary, quietBeats) {
  const notices = [];
  const say = (text, bad = false) => notices.push([text, bad]);
  if (summary.state === "starting") say("The daemon is starting.");
  if (summary.state === "stopping") say("The daemon is stopping: the queues are being drained.");
  if (summary.account_violations > 0) {
    say(`${plural(summary.account_violations, "check")} of the accounts failed: this is a bug, please report it.`, true);
  }
  if (!summary.config.last_reload_ok) {
    say("The last reload was refused: the former configuration is in force. The log says what is wrong.", true);
  }
  if (summary.state !== "ready") return notices;
  const generators = summary.generators;
  if (generators.length === 0) {
    say("No generator is configured, so no packet moves. Add one under generators: and reload.");
  } else if (!generators.some((g) => g.running)) {
    say("No generator runs, so no packet moves. Start a group: POST /api/v1/generators/NAME/start over the UNIX socket.");
  } else if (quietBeats >= kQuietBeats) {
    say("Generators run, but none has sent a packet for some seconds: the data plane stands still. " +
      "Look for a device below that is down or stuck, and into the log.", true);
  }
  const late = generators.filter((g) => g.running && g.behind_seconds >= kLateSeconds);
  if (late.length > 0) {
    const worst = late.reduce((a, b) => a.behind_seconds > b.behind_seconds ? a : b);
    say(`${plural(late.length, "generator thread")} cannot keep the schedule here, the latest by ` +
      `${format_step(worst.behind_seconds)}: fewer packets are offered than configured. Lower ratep, or free a CPU for each thread.`);
  }
  for (const device of summary.devices) {
    if (!device.up) say(`${device.name} is down: what is offered to it is dropped.`, true);
    else if (device.stuck_seconds > 0) {
      say(`${device.name}: packets have waited for ${format_step(device.stuck_seconds)} and nobody sends them.`, true);
    }
  }
  return notices;
}

// silence: seconds since the last event. open: the connection is there, so the process is, too.
function silenceNotice(silence, open, everHeard) {
  if (!everHeard) return "No answer from qdiscsimd yet. Trying again every few seconds.";
  const since = `No figures from qdiscsimd for ${format_step(silence)}`;
  return (open ? `${since}, though it is connected: it stands still, or its machine does. ` :
    `${since}: it has ended, or cannot be reached. `) + "What is below is old. Trying again.";
}
