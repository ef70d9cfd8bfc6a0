/** Plots of scalars, and the tables of runs beside them. */
export const curves = {
  curveLines: {
    run: "run {number, number}",
    asMeasured: "as measured",
  },
  curveTools: {
    smooth: "Smooth {smoothing}",
  },
  curvesView: {
    nothingChosen: "No scalar is chosen.",
    curveName: "Curve of {name}",
    chartOf: "{name} by step",
    chart: "Scalars by step",
    sampled: "Every {every, number} points; all are in the CSV file.",
    step: "Step",
  },
  runTables: {
    scalars: "Scalars",
    scalarsCaption: "Scalars <muted>every step</muted>",
    scalar: "Scalar",
    last: "Last",
    lowest: "Lowest",
    highest: "Highest",
    notFinite: "{count, number} steps had no finite value",
    atStep: "at {step, number}",
    runs: "Runs",
    runsCaption: "Runs <muted>{count, number} kept, ticked ones are compared</muted>",
    run: "Run",
    state: "State",
    steps: "Steps",
    time: "Time",
  },
  runStateText: {
    preparing: "preparing",
    running: "running",
    paused: "paused",
    stopping: "stopping",
    done: "done",
    stopped: "stopped",
    failed: "failed",
  },
} as const;
