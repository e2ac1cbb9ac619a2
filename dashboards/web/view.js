// What a summary (docs/http.md) looks like.
const $ = (id) => document.getElementById(id);
const kMega = 1e6;

const charts = {
  rates: new Chart("chart-rates", "No packet yet."),
  drops: new Chart("chart-drops", "No packet yet."),
  backlog: new Chart("chart-backlog", "No packet yet."),
  sojourn: new Chart("chart-sojourn", "Not recorded."),
  generators: new Chart("chart-generators", "No generator."),
  behind: new Chart("chart-behind", "No generator."),
  alloc: new Chart("chart-alloc", "No page_pool."),
  recycle: new Chart("chart-recycle", "No page_pool."),
};

function sum(things, get) { return things.reduce((total, thing) => total + get(thing), 0); }

// The sums over all pools, path by path.
function paths(pools, part) {
  return pools.length === 0 ? [] :
    Object.keys(pools[0][part]).map((path) => [path, sum(pools, (pool) => pool[part][path]) / kMega]);
}

function record(summary, device) {
  const time = summary.time;
  if (device) {
    charts.rates.push(time, ["offered", "delivered", "dropped"].map((name) =>
      [name === "delivered" ? "sent" : name, device[name + "_pps"] / kMega]));
    const bands = (get) => device.bands.map((band) => ["band " + band.band, get(band)]);
    charts.drops.push(time, bands((band) => band.dropped_pps / kMega));
    charts.backlog.push(time, bands((band) => band.backlog_packets));
    charts.sojourn.push(time, bands((band) => band.sojourn_seconds ? 1e6 * band.sojourn_seconds.p99 : null));
  }
  // Many threads are one line: the sum, and the worst.
  const generators = summary.generators;
  const few = generators.length <= 6;
  charts.generators.push(time, few ? generators.map((g) => [g.name, g.rate_pps / kMega]) :
    [[`all ${generators.length} threads`, sum(generators, (g) => g.rate_pps) / kMega]]);
  charts.behind.push(time, few ? generators.map((g) => [g.name, 1e3 * g.behind_seconds]) :
    [["the latest thread", 1e3 * Math.max(...generators.map((g) => g.behind_seconds))]]);
  charts.alloc.push(time, paths(summary.page_pools, "alloc_pps"));
  charts.recycle.push(time, paths(summary.page_pools, "recycle_pps"));
}

function showDevice(device) {
  $("device-section").hidden = !device;
  $("no-device").hidden = Boolean(device);
  if (!device) return;
  const rate = device.link_bits_per_second;
  $("device-title").textContent = `${device.name}: ${device.link} link${rate ? " at " + format.bits(rate) : ""}, ` +
    `${device.queues} tx queue${device.queues === 1 ? "" : "s"}${device.up ? "" : ", down"}`;
  const figures = {offered_pps: format.packets, delivered_pps: format.packets, dropped_pps: format.packets,
    drop_ratio: format.percent, bits_per_second: format.bits, backlog_packets: format.count};
  for (const element of document.querySelectorAll("dd[data-figure]")) {
    const name = element.dataset.figure;
    fill(element, figures[name](device[name]), device[name]);
    element.classList.toggle("bad", name.startsWith("drop") && device[name] > 0);
  }
  const section = $("device-section");
  for (const name of ["offered", "delivered", "dropped"]) section.dataset[name] = device[name + "_packets"];
  fillTable($("bands"), device.bands.map((band) => {
    const sojourn = band.sojourn_seconds ?? {};
    return {name: String(band.band), key: true, cells: [
      {text: format.packets(band.offered_pps)}, {text: format.packets(band.sent_pps)},
      {text: `${format.packets(band.dropped_pps)} (${format.percent(band.drop_ratio)})`, bad: band.dropped_pps > 0},
      {text: format.count(band.drops.overlimit), value: band.drops.overlimit, figure: "overlimit"},
      {text: format.count(band.drops.deactivated), value: band.drops.deactivated, figure: "deactivated"},
      {text: `${format.count(band.backlog_packets)} of ${format.count(band.limit_packets)}`,
        value: band.backlog_packets, meter: band.limit_packets},
      ...["p50", "p90", "p99", "p999", "max"].map((name) => ({text: format.duration(sojourn[name])})),
    ]};
  }), "");
}

function showGenerators(generators) {
  fillTable($("generators"), generators.map((g) => {
    const latency = g.latency_seconds ?? {};
    return {name: g.name, key: generators.length <= 6, cells: [
      {text: g.device, kind: "text"}, {text: g.running ? "running" : "at rest", kind: "text"},
      {text: format.packets(g.rate_pps)}, {text: g.configured_pps == null ? "no limit" : format.packets(g.configured_pps)},
      {text: format.duration(g.behind_seconds), bad: g.behind_seconds > 0.2},
      {text: format.count(g.sent_packets), value: g.sent_packets, figure: "sent"},
      {text: format.count(g.errors)}, {text: format.duration(latency.p50)}, {text: format.duration(latency.p99)},
    ]};
  }), "No generator. Add one under generators: in the configuration, then reload.");
}

function showPools(pools) {
  fillTable($("pools"), pools.map((pool) => ({name: pool.name, cells: [
    {text: format.count(pool.inflight_pages)}, {text: format.percent(pool.recycled_ratio)},
    {text: format.count(pool.cache_pages)},
    {text: `${format.count(pool.ring_pages)} of ${format.count(pool.ring_capacity)}`,
      value: pool.ring_pages, meter: pool.ring_capacity},
    ...["fast", "refill", "slow"].map((path) => ({text: format.packets(pool.alloc_pps[path])})),
    ...["cached", "ring", "ring_full"].map((path) => ({text: format.packets(pool.recycle_pps[path])})),
  ]})), "No page_pool.");
}

// What a person should know before looking at figures: [text, is it bad].
function noticesOf(summary) {
  const notices = [];
  const say = (text, bad = false) => notices.push([text, bad]);
  if (summary.state === "starting") say("The daemon is starting.");
  if (summary.state === "stopping") say("The daemon is stopping: the queues are being drained.");
  if (summary.account_violations > 0) {
    say(`${summary.account_violations} checks of the accounts failed: this is a bug, please report it.`, true);
  }
  if (!summary.config.last_reload_ok) {
    say("The last reload was refused: the former configuration is in force. The log says what is wrong.", true);
  }
  if (summary.state === "ready") {
    if (summary.generators.length === 0) {
      say("No generator is configured, so no packet moves. Add one under generators: and reload.");
    } else if (!summary.generators.some((g) => g.running)) {
      say("No generator runs, so no packet moves. Start a group: POST /api/v1/generators/NAME/start over the UNIX socket.");
    }
    for (const device of summary.devices) {
      if (!device.up) say(`${device.name} is down: what is offered to it is dropped.`, true);
      else if (device.stuck_seconds > 0) {
        say(`${device.name}: packets have waited for ${format.duration(device.stuck_seconds)} and nobody sends them.`, true);
      }
    }
  }
  return notices;
}
