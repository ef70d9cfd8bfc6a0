import { type ReactElement, useEffect, useMemo, useState } from "react";
import type { ScriptCurve, ScriptJob } from "../../../main/api/scripts.js";
import { showProblem } from "../../stores/app-store.js";
import { texts } from "../../texts/texts.js";
import { client } from "../../transport/client.js";
import { Chart, type ChartSeries } from "../../ui/chart.js";
import { figureText, stepText } from "../../ui/format.js";
import textStyles from "../../ui/text.module.css";
import { ScrollRegion } from "../scroll-region.js";
import styles from "./script-curves.module.css";

const words = texts.dock.scriptCurves;

/** The scalars of the script's event files over its steps, one chart for each tag. */
export function ScriptCurves({ job }: { readonly job: ScriptJob }): ReactElement {
  const curves = useScriptCurves(job);
  const tags = useMemo(() => [...new Set(job.scalars.map(({ name }) => name))], [job.scalars]);
  return (
    <div className={styles.curves}>
      <ScrollRegion label={words.curves}>
        {tags.length === 0 ? <p className={styles.none}>{words.none}</p> : null}
        {tags.map((tag) => (
          <Curve key={tag} tag={tag} job={job} curves={curves} />
        ))}
      </ScrollRegion>
    </div>
  );
}

interface CurveProps {
  readonly tag: string;
  readonly job: ScriptJob;
  readonly curves: readonly ScriptCurve[];
}

function Curve({ tag, job, curves }: CurveProps): ReactElement {
  const series = useMemo(() => seriesOf(curves.filter(({ name }) => name === tag)), [curves, tag]);
  const newest = job.scalars.find(({ name }) => name === tag);
  const label = words.curve({ tag });
  return (
    <section className={styles.curve} aria-label={label}>
      <h3 className={styles.title}>
        <span className={textStyles.truncated} title={tag}>
          {tag}
        </span>
        <b>{newest ? figureText(newest.last) : ""}</b>
        <span className={textStyles.muted}>{newest ? stepText(newest.step) : ""}</span>
      </h3>
      <Chart label={tag} xName="step" series={series} />
      {series.length > 1 ? (
        <p className={textStyles.muted}>{series.map((one) => one.label).join(", ")}</p>
      ) : null}
    </section>
  );
}

/** The first is drawn as a line, those of other folders and machines dashed. */
function seriesOf(curves: readonly ScriptCurve[]): ChartSeries[] {
  const machines = new Set(curves.map(({ machine }) => machine));
  return curves.map(({ machine, folder, steps, values }, index) => ({
    label: [...(machines.size > 1 ? [machine] : []), folder].filter((part) => part !== "").join(" ") || "–",
    xs: steps,
    values: values.map((value) => (Number.isFinite(value) ? value : null)),
    look: index === 0 ? "main" : "compared",
  }));
}

/** The curves of a job, asked for again when one of them has grown and the request before was answered. */
function useScriptCurves({ id, scalars }: ScriptJob): readonly ScriptCurve[] {
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly curves: readonly ScriptCurve[] }>();
  const key = scalars
    .map(({ machine, folder, name, step }) => [machine, folder, name, step].join())
    .join(";");
  const [asked, setAsked] = useState("");
  const isWaiting = asked !== "" && asked !== loaded?.key;
  useEffect(() => {
    if (!isWaiting && key !== "" && key !== asked) setAsked(key);
  }, [isWaiting, key, asked]);
  useEffect(() => {
    if (asked === "") return;
    let isMounted = true;
    client()
      .call("scripts.curves", { jobId: id })
      .then(
        (curves) => isMounted && setLoaded({ key: asked, curves }),
        (error: unknown) => isMounted && showProblem(error, { key: "curves" }),
      );
    return () => {
      isMounted = false;
    };
  }, [id, asked]);
  return loaded?.curves ?? [];
}
