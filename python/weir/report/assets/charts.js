// The charts of a page: Plotly with the colors and words of the page.

const COLORS = {
  light: ["#1c2b6b", "#3592ac", "#b3450a", "#d8925f", "#5f7a2e", "#8a4f9e", "#7a7a7a", "#c23b75"],
  dark: ["#fdf3a8", "#58b38a", "#ff9d5c", "#b86f45", "#8fb8f0", "#c9a0e0", "#a8a8a8", "#f08fb5"],
};

/** Colors and words of a chart's layout and traces, as Plotly wants them. */
function dress(key, figure) {
  const style = getComputedStyle(root);
  const color = (name) => style.getPropertyValue(`--${name}`).trim();
  const scale = dark.matches ? DARK : LIGHT;
  const layout = { ...structuredClone(figure.layout), paper_bgcolor: color("paper"), plot_bgcolor: "transparent" };
  layout.font = { family: getComputedStyle(document.body).fontFamily, size: 13, color: color("ink") };
  layout.hoverlabel = { bgcolor: color("panel"), bordercolor: color("line"), font: { color: color("ink") }, namelength: -1 };
  layout.legend = { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, font: { size: 11 } };
  for (const axis of ["xaxis", "yaxis", "yaxis2"]) {
    if (axis === "yaxis2" && !layout[axis]) continue;
    const lines = { gridcolor: color("line"), zerolinecolor: color("line"), linecolor: color("line") };
    if (axis === "xaxis") Object.assign(lines, { spikecolor: color("quiet"), spikethickness: 1, showspikes: layout.hovermode === "x unified" });
    if (key === "matrix" || key === "congestion") Object.assign(lines, { showgrid: false, zeroline: false, showline: true, mirror: true });
    // Names of links beside a narrow chart would take more room than it.
    if (key === "congestion" && axis === "yaxis" && root.clientWidth < 640) lines.tickfont = { size: 9 };
    layout[axis] = { ...lines, automargin: true, ...layout[axis] };
  }
  const data = figure.data.map((trace, number) => {
    const one = structuredClone(trace);
    const colors = COLORS[dark.matches ? "dark" : "light"];
    const line = colors[(one.meta?.color ?? number) % colors.length];
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
