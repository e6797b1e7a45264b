// The charts of a page: Plotly with the colors and words of the page.

/** Colors and words of a chart's layout and traces, as Plotly wants them. */
function dress(key, figure) {
  const scale = scaleStops();
  const layout = { ...structuredClone(figure.layout), paper_bgcolor: paint("paper"), plot_bgcolor: "transparent" };
  layout.font = { family: getComputedStyle(document.body).fontFamily, size: 13, color: paint("ink") };
  layout.hoverlabel = { bgcolor: paint("panel"), bordercolor: paint("line"), font: { color: paint("ink") }, namelength: -1 };
  layout.legend = { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, font: { size: 11 } };
  for (const axis of ["xaxis", "yaxis", "yaxis2"]) {
    if (axis === "yaxis2" && !layout[axis]) continue;
    const lines = { gridcolor: paint("line"), zerolinecolor: paint("line"), linecolor: paint("line") };
    if (axis === "xaxis") Object.assign(lines, { spikecolor: paint("quiet"), spikethickness: 1, showspikes: layout.hovermode === "x unified" });
    if (key === "matrix" || key === "congestion") Object.assign(lines, { showgrid: false, zeroline: false, showline: true, mirror: true });
    // Names of links beside a narrow chart would take more room than it.
    if (key === "congestion" && axis === "yaxis" && root.clientWidth < 640) lines.tickfont = { size: 9 };
    layout[axis] = { ...lines, automargin: true, ...layout[axis] };
  }
  const data = figure.data.map((trace, number) => {
    const one = structuredClone(trace);
    const own = one.meta?.color ?? number;
    const line = typeof own === "string" ? paint(own) : colorOf(own);
    if (one.type === "heatmap") one.colorscale = scale.map((stop, at) => [at / (scale.length - 1), stop]);
    else if (one.type === "bar") one.marker = { color: line };
    else one.line = { width: 1.8, ...one.line, color: line };
    if (one.fill) one.fillcolor = `${line}33`;
    return one;
  });
  for (const [path, both] of Object.entries(payload.texts[key])) {
    const steps = path.split(".");
    const last = steps.pop();
    let place = /^\d+$/.test(steps[0]) ? data : layout;
    for (const step of steps) place = place[step] ??= {};
    place[last] = both[root.dataset.language === "ja" ? 1 : 0];
  }
  return { data, layout };
}

const figures = new Map();
async function showCharts() {
  if (payload.plotly === null) return;
  const script = document.createElement("script");
  script.textContent = await text(payload.plotly);
  document.head.append(script);
  for (const [key, blob] of Object.entries(payload.charts)) figures.set(key, JSON.parse(await text(blob)));
  await dressAll();
}

async function dressAll() {
  for (const [key, figure] of figures) {
    const { data, layout } = dress(key, figure);
    await Plotly.react(`chart-${key}`, data, layout, { displaylogo: false, responsive: true, displayModeBar: false });
  }
}
