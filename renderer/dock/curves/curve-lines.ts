import type { RunSummary, ScalarCurve } from "../../../main/api/run-history.js";
import { texts } from "../../texts/texts.js";
import type { ChartBand, ChartSeries } from "../../ui/chart.js";
import { smooth } from "./smooth.js";
import type { CurvesData } from "./use-curves-data.js";

const words = texts.dock.curveLines;

/** One scalar of the shown run and of those that it is compared with. */
export interface CurveLines {
  readonly series: readonly ChartSeries[];
  readonly band: ChartBand | undefined;
}

export function runName({ number }: Pick<RunSummary, "number">): string {
  return words.run({ number });
}

const orNull = (value: number) => (Number.isFinite(value) ? value : null);

/** Lines of a scalar: the shown run's, as measured behind it if it is smoothed, and dashed those of the others. */
export function linesOf(
  name: string,
  shown: string | undefined,
  data: CurvesData,
  smoothing: number,
): CurveLines {
  const found = data.runs.flatMap((run) => {
    const curve = data.curves.get(run.runId)?.find((one) => one.name === name);
    return curve ? [{ run, curve }] : [];
  });
  const series = found.flatMap(({ run, curve }): ChartSeries[] => {
    const isShown = run.runId === shown;
    const line = (label: string, values: readonly number[], look: ChartSeries["look"]): ChartSeries => ({
      label,
      xs: curve.steps,
      values: values.map(orNull),
      look,
    });
    const drawn = line(runName(run), smooth(curve.values, smoothing), isShown ? "main" : "compared");
    return smoothing > 0 && isShown ? [line(words.asMeasured, curve.values, "faint"), drawn] : [drawn];
  });
  const own = found.find(({ run }) => run.runId === shown)?.curve;
  return { series, band: own && bandOf(own) };
}

/** Between the lowest and the highest value of each point, once points stand for several steps. */
function bandOf({ stepsPerPoint, steps, low, high }: ScalarCurve): ChartBand | undefined {
  return stepsPerPoint === 1 ? undefined : { xs: steps, low: low.map(orNull), high: high.map(orNull) };
}

/** All points of the curves as CSV: run, scalar, step, value, lowest, highest. */
export function curvesCsv({ runs, curves }: CurvesData): string {
  const lines = ["run,scalar,step,value,lowest,highest"];
  for (const run of runs) {
    for (const { name, steps, values, low, high } of curves.get(run.runId) ?? []) {
      steps.forEach((step, i) => {
        lines.push([run.number, JSON.stringify(name), step, values[i], low[i], high[i]].join(","));
      });
    }
  }
  return `${lines.join("\r\n")}\r\n`;
}
