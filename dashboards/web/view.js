// What a summary (docs/http.md) looks like.
const $ = (id) => document.getElementById(id);

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
    Object.keys(pools[0][part]).map((path) => [path, sum(pools, (pool) => pool[part][path])]);
}

function record(summary, device) {
  const time = summary.time;
  if (device) {
    charts.rates.push(time, ["offered", "delivered", "dropped"].map((name) =>
      [name === "delivered" ? "sent" : name, device[name + "_pps"]]));
    const bands = (get) => device.bands.map((band) => ["band " + band.band, get(band)]);
    charts.drops.push(time, bands((band) => band.dropped_pps));
    charts.backlog.push(time, bands((band) => band.backlog_packets));
    charts.sojourn.push(time, bands((band) => band.sojourn_seconds ? 1e6 * band.sojourn_seconds.p99 : null));
  }
  // Many threads are one line: the sum, and the worst.
  const generators = summary.generators;
  const few = generators.length <= 6;
  charts.generators.push(time, few ? generators.map((g) => [g.name, g.rate_pps]) :
    [[`all ${generators.length} threads`, sum(generators, (g) => g.rate_pps)]]);
  charts.behind.push(time, few ? generators.map((g) => [g.name, 1e3 * g.behind_seconds]) :
    [["the latest thread", 1e3 * Math.max(...generators.map((g) => g.behind_seconds))]]);
  charts.alloc.push(time, paths(summary.page_pools, "alloc_pps"));
  charts.recycle.push(time, paths(summary.page_pools, "recycle_pps"));
}

// All at a glance, where there are several; a row's name chooses the device.
function showDevices(devices, shown) {
  $("devices-section").hidden = devices.length < 2;
  if (devices.length < 2) return;
  fillTable($("devices"), devices.map((device) => ({name: device.name, choose, cells: [
    {text: device.up ? device.stuck_seconds > 0 ? "stuck" : "up" : "down", kind: "text", bad: !device.up || device.stuck_seconds > 0},
    {text: format.packets(device.offered_pps)}, {text: format.packets(device.delivered_pps)},
    {text: format.packets(device.dropped_pps), bad: device.dropped_pps > 0},
    {text: format.percent(device.drop_ratio), bad: device.drop_ratio > 0},
    {text: format.bits(device.bits_per_second)}, {text: format.count(device.backlog_packets)},
  ]})), "");
  for (const row of $("devices").rows) {
    row.querySelector("button").setAttribute("aria-pressed", String(row.dataset.name === shown.name));
  }
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
  const running = generators.filter((g) => g.running);
  const known = running.filter((g) => g.configured_pps != null);
  fill($("generators-facts"), generators.length === 0 ? "" :
    `${running.length} of ${plural(generators.length, "thread")} running` +
    `, ${format.packets(sum(running, (g) => g.rate_pps))} sent` +
    (known.length > 0 && known.length === running.length ?
      `, ${format.packets(sum(known, (g) => g.configured_pps))} configured` : "") +
    (running.length > 0 ? `, the latest ${format.duration(Math.max(...running.map((g) => g.behind_seconds)))} behind` : ""));
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
  fill($("pools-facts"), pools.length === 0 ? "" :
    `${plural(pools.length, "pool")}, ${format.count(sum(pools, (pool) => pool.inflight_pages))} pages in flight`);
  fillTable($("pools"), pools.map((pool) => ({name: pool.name, cells: [
    {text: format.count(pool.inflight_pages)}, {text: format.percent(pool.recycled_ratio)},
    {text: format.count(pool.cache_pages)},
    {text: `${format.count(pool.ring_pages)} of ${format.count(pool.ring_capacity)}`,
      value: pool.ring_pages, meter: pool.ring_capacity},
    ...["fast", "refill", "slow"].map((path) => ({text: format.packets(pool.alloc_pps[path])})),
    ...["cached", "ring", "ring_full"].map((path) => ({text: format.packets(pool.recycle_pps[path])})),
  ]})), "No page_pool.");
}
