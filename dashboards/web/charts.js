// Charts of the last two minutes. A chart keeps its own points; a series that appears or goes
// (a generator, a device) starts the chart anew.
const kPoints = 120;
const kColours = ["--c0", "--c1", "--c2", "--c3", "--c4", "--c5"];

// dygraphs' own legend writes styles into markup, which the page's policy forbids.
Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) => plugin !== Dygraph.Plugins.Legend);

function colour(index) {
  return getComputedStyle(document.documentElement).getPropertyValue(kColours[index % kColours.length]).trim();
}

class Chart {
  constructor(id, empty) {
    this.box = document.getElementById(id);
    this.title = this.box.parentElement.querySelector("figcaption").textContent.replace(/\s+/g, " ").trim();
    this.empty = empty;
    this.box.setAttribute("role", "img");
    this.legend = document.createElement("ul");
    this.legend.className = "legend";
    this.box.after(this.legend);
    this.forget();
  }

  forget() {
    this.names = [];
    this.points = [];
    if (this.graph) this.graph.destroy();
    this.graph = null;
  }

  // series: [[name, value or null], ...] at one moment, in seconds since 1970.
  push(time, series) {
    const names = series.map(([name]) => name);
    if (names.join("\n") !== this.names.join("\n")) {
      this.forget();
      this.names = names;
    }
    this.points.push([new Date(1000 * time), ...series.map(([, value]) => value)]);
    if (this.points.length > kPoints) this.points.shift();
  }

  // The newest point in words, for who does not see the picture.
  speak(text) { this.box.setAttribute("aria-label", this.title + ": " + text); }

  draw() {
    const known = this.points.some((point) => point.slice(1).some((value) => value != null));
    this.box.classList.toggle("empty", !known);
    this.legend.hidden = !known;
    if (!known) {
      if (this.graph) this.graph.destroy();
      this.graph = null;
      this.box.textContent = this.empty;
      this.speak(this.empty);
      return;
    }
    const newest = this.points.at(-1);
    this.speak(this.names.map((name, i) => `${name} ${format.short(newest[i + 1])}`).join(", "));
    const from = newest[0].getTime() - 1000 * (kPoints - 1);
    const highest = Math.max(...this.points.flatMap((point) => point.slice(1)).filter((value) => value != null));
    const options = {
      file: this.points,
      dateWindow: [from, newest[0].getTime()],
      valueRange: [0, highest > 0 ? 1.1 * highest : 1],
    };
    if (this.graph) {
      this.graph.updateOptions(options);
      return;
    }
    this.box.textContent = "";
    const style = getComputedStyle(document.documentElement);
    this.graph = new Dygraph(this.box, this.points, {
      ...options,
      labels: ["time", ...this.names],
      colors: this.names.map((_, i) => colour(i)),
      strokeWidth: 1.8,
      drawPoints: false,
      axisLineColor: style.getPropertyValue("--line"),
      gridLineColor: style.getPropertyValue("--line"),
      axes: {x: {drawGrid: false, pixelsPerLabel: 70}, y: {pixelsPerLabel: 28, axisLabelWidth: 44, axisLabelFormatter: format.short}},
      interactionModel: {},
      highlightCircleSize: 0,
    });
    this.legend.replaceChildren(...this.names.map((name, i) => {
      const item = document.createElement("li");
      const key = document.createElement("i");
      key.style.background = colour(i);
      item.append(key, name);
      return item;
    }));
  }

  // After a change of theme.
  recolour() {
    if (this.graph) this.graph.destroy();
    this.graph = null;
    this.draw();
  }
}
