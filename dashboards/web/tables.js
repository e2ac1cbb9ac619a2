// Tables that are written once and then filled in, so that a reader's place in them stays.

// A cell: what is shown, and the exact figure for scripts and tests.
function fill(element, text, value) {
  if (element.textContent !== text) element.textContent = text;
  if (value != null) element.dataset.value = value;
}

// rows: [{name, choose(name), cells: [{text, value, bad, kind, meter}]}]
function fillTable(body, rows, empty) {
  const names = rows.map((row) => row.name);
  const shown = [...body.rows].map((row) => row.dataset.name ?? "");
  if (rows.length === 0) {
    if (!body.querySelector(".none")) {
      const cell = document.createElement("td");
      cell.className = "text none";
      cell.colSpan = 20;
      cell.textContent = empty;
      const row = document.createElement("tr");
      row.append(cell);
      body.replaceChildren(row);
    }
    return;
  }
  if (names.join("\n") !== shown.join("\n")) {
    body.replaceChildren(...rows.map((row, index) => {
      const line = document.createElement("tr");
      line.dataset.name = row.name;
      const head = document.createElement("th");
      head.scope = "row";
      if (row.key) {
        const key = document.createElement("span");
        key.className = "key";
        key.style.background = `var(${kColours[index % kColours.length]})`;
        head.append(key);
      }
      if (row.choose) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = row.name;
        button.addEventListener("click", () => row.choose(row.name));
        head.append(button);
      } else {
        head.append(row.name);
      }
      line.append(head, ...row.cells.map(() => document.createElement("td")));
      return line;
    }));
  }
  rows.forEach((row, index) => {
    row.cells.forEach((cell, column) => {
      const element = body.rows[index].cells[column + 1];
      element.classList.toggle("bad", Boolean(cell.bad));
      element.classList.toggle("text", cell.kind === "text");
      if (cell.figure) element.dataset.figure = cell.figure;
      if (cell.meter == null) {
        fill(element, cell.text, cell.value);
        return;
      }
      let meter = element.querySelector("meter");
      if (!meter) {
        meter = document.createElement("meter");
        element.append(document.createElement("span"), " ", meter);
      }
      fill(element.firstChild, cell.text);
      element.dataset.value = cell.value;
      meter.max = cell.meter || 1;
      meter.high = 0.9 * meter.max;
      meter.value = cell.value;
      meter.setAttribute("aria-label", "share of the limit");
    });
  });
}
