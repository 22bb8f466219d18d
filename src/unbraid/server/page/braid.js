// The lines between the strand and its parts: three, braided where they leave the strand, apart where they arrive.

const SAMPLES = 72;
const TURNS = 1.5;
const WIDTH = 8;

// Draws into `svg`, one line to the middle of each panel, and draws again whenever a size changes.
export function drawBraid(svg, panels) {
  const lines = panels.map((panel) => [...svg.querySelectorAll(`[data-to="${panel.dataset.part}"]`)]);
  const draw = () => {
    const { width, height, top } = svg.getBoundingClientRect();
    if (!width) return;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    panels.forEach((panel, index) => {
      const box = panel.getBoundingClientRect();
      const path = line(width, height / 2, box.top - top + box.height / 2, (index * 2 * Math.PI) / panels.length);
      for (const one of lines[index]) one.setAttribute("d", path);
    });
  };
  const observer = new ResizeObserver(draw);
  for (const each of [svg, ...panels]) observer.observe(each);
}

function line(width, from, to, phase) {
  const points = [];
  for (let step = 0; step <= SAMPLES; step++) {
    const t = step / SAMPLES;
    const away = smooth((t - 0.38) / 0.62);
    const wave = WIDTH * (1 - away) * Math.sin(2 * Math.PI * TURNS * t + phase);
    points.push(`${(t * width).toFixed(1)} ${(from + (to - from) * away + wave).toFixed(1)}`);
  }
  return `M${points.join("L")}`;
}

function smooth(t) {
  const x = Math.min(1, Math.max(0, t));
  return x * x * (3 - 2 * x);
}
