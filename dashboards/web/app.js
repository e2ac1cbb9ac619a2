// The page's life: events in, figures out, and what to say when they stay away.
const kStaleSeconds = 3;
let newest = null;         // the last summary
let arrived = 0;           // when it came, performance.now() / 1000
let paused = false;
let chosen = null;         // the device's name
let spoken = 0;
let quietBeats = 0;        // events in a row in which nothing was sent though generators run
let shownConfig = "";      // what the configuration on the page depends on

function deviceOf(summary) {
  return summary.devices.find((device) => device.name === chosen) ?? summary.devices[0];
}

function showNotices() {
  const silence = performance.now() / 1000 - arrived;
  const notices = newest ? noticesOf(newest, quietBeats) : [];
  const lost = arrived === 0 ? silence > kStaleSeconds + 2 : silence > kStaleSeconds;
  if (lost) {
    notices.unshift([silenceNotice(silence, connected(), arrived !== 0), true]);
  } else if (paused) {
    notices.unshift(["Paused: the figures stand still, the daemon goes on. The charts will have what comes meanwhile.", false]);
  }
  const state = lost ? "no answer" : newest ? newest.state : "connecting";
  fill($("state"), state);
  $("state").className = lost ? "badge bad" : state === "ready" ? "badge good" : "badge";
  document.body.classList.toggle("old", lost && arrived !== 0);
  const box = $("notices");
  const text = JSON.stringify(notices);
  if (box.dataset.shown === text) return;
  box.dataset.shown = text;
  box.replaceChildren(...notices.map(([words, bad]) => {
    const line = document.createElement("p");
    line.className = bad ? "notice bad" : "notice";
    line.textContent = words;
    return line;
  }));
}

function chooseDevices(devices) {
  $("device-label").hidden = devices.length < 2;
  const select = $("device");
  const names = devices.map((device) => device.name);
  if ([...select.options].map((option) => option.value).join("\n") === names.join("\n")) return;
  select.replaceChildren(...names.map((name) => new Option(name, name, false, name === chosen)));
}

function show() {
  if (!newest) return;
  const device = deviceOf(newest);
  const account = $("account");
  account.hidden = false;
  account.textContent = newest.account_violations === 0 ? "account adds up" : "account broken";
  account.className = newest.account_violations === 0 ? "badge good" : "badge bad";
  const {reloads, changed_since_reload: changes} = newest.config;
  $("facts").textContent = `${newest.version}, up ${format.duration(Math.floor(newest.uptime_seconds))}` +
    (reloads ? `, ${reloads} reload${reloads === 1 ? "" : "s"}` : "") +
    (changes ? `, ${changes} change${changes === 1 ? "" : "s"} since the file was read` : "");
  document.body.dataset.time = newest.time;
  chooseDevices(newest.devices);
  showDevices(newest.devices, device);
  showDevice(device);
  showGenerators(newest.generators);
  showPools(newest.page_pools);
  for (const chart of Object.values(charts)) chart.draw();
  const config = `${reloads} ${changes}`;
  if (config !== shownConfig) showConfig();
  shownConfig = config;
  // Spoken calmly: once in 15 seconds.
  if (device && newest.time - spoken >= 15) {
    spoken = newest.time;
    $("spoken").textContent = `${device.name}: sent ${format.packets(device.delivered_pps)}, ` +
      `dropped ${format.percent(device.drop_ratio)}.`;
  }
}

function take(summary) {
  arrived = performance.now() / 1000;
  if (newest && summary.uptime_seconds < newest.uptime_seconds) {
    for (const chart of Object.values(charts)) chart.forget();  // a new daemon
  }
  quietBeats = is_quiet(summary) ? quietBeats + 1 : 0;
  record(summary, deviceOf(summary));
  if (paused) return;
  newest = summary;
  if (!document.hidden) show();
  showNotices();
}

async function showConfig() {
  if (!$("config").open) return;
  const state = $("config-state"), text = $("config").querySelector("pre");
  try {
    const answer = await fetch("/api/v1/config", {signal: AbortSignal.timeout(5000)});
    text.textContent = await answer.text();
    const changes = newest ? newest.config.changed_since_reload : 0;
    state.textContent = changes === 0 ? "As the file says." :
      `With ${changes} change${changes === 1 ? "" : "s"} made while running; a reload takes them back.`;
  } catch {
    state.textContent = "qdiscsimd does not answer.";
  }
}

const kThemes = ["auto", "light", "dark"];
function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  $("theme").textContent = "Theme: " + theme;
  $("theme").dataset.theme = theme;
  try { localStorage.setItem("theme", theme); } catch { /* private windows keep nothing */ }
  for (const chart of Object.values(charts)) chart.recolour();
}

$("theme").addEventListener("click", () => {
  setTheme(kThemes[(kThemes.indexOf($("theme").dataset.theme) + 1) % kThemes.length]);
});
$("pause").addEventListener("click", () => {
  paused = !paused;
  $("pause").setAttribute("aria-pressed", String(paused));
  $("pause").textContent = paused ? "Go on" : "Pause";
  showNotices();
});
$("device").addEventListener("change", (event) => {
  choose(event.target.value);
});

function choose(name) {
  chosen = name;
  $("device").value = name;
  for (const name of ["rates", "drops", "backlog", "sojourn"]) charts[name].forget();
  if (newest) record(newest, deviceOf(newest));
  show();
}
$("config").addEventListener("toggle", showConfig);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme($("theme").dataset.theme));
document.addEventListener("visibilitychange", () => { if (!document.hidden) show(); });

let theme = "auto";
try { theme = localStorage.getItem("theme") ?? theme; } catch { /* as above */ }
setTheme(kThemes.includes(theme) ? theme : "auto");
connect(take);
setInterval(showNotices, 1000);
