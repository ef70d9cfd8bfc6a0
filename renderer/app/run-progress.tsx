import { type ReactElement, useEffect, useState } from "react";
import type { RunUpdate } from "../../main/api/runs.js";
import { useRun } from "../stores/run-store.js";
import { durationText } from "../ui/format.js";
import { useLongRun } from "./use-long-run.js";

/** Screen readers hear the step this often at most. */
const ANNOUNCE_EVERY_MILLIS = 10_000;

export function RunProgress(): ReactElement | null {
  const run = useRun((state) => state.latest);
  const shown = useLongRun();
  if (run === undefined || !shown) return null;
  const share = run.step / run.steps;
  return (
    <div
      className="run-progress"
      role="progressbar"
      aria-label="Run"
      aria-valuemin={0}
      aria-valuemax={run.steps}
      aria-valuenow={run.step}
      aria-valuetext={headline(run)}
    >
      <div>
        <b className="ell">{headline(run)}</b>
        <span className="ell">{pace(run)}</span>
      </div>
      <i>
        <u style={{ width: `${(share * 100).toFixed(1)}%` }} />
      </i>
      <Announcer text={headline(run)} />
    </div>
  );
}

function headline(run: RunUpdate): string {
  if (run.state === "stopping") return `stopping after step ${countOf(run.step + 1)}`;
  if (run.state === "preparing") return run.phase ?? "preparing";
  return run.steps === 1 ? "running" : `step ${countOf(run.step)} / ${countOf(run.steps)}`;
}

function countOf(steps: number): string {
  return steps.toLocaleString("en");
}

/** "83 steps/s · 7 s left"; the time alone before the first step. */
export function pace(run: RunUpdate): string {
  if (run.step === 0 || run.elapsedMillis === 0) return "";
  const perSecond = (run.step * 1000) / run.elapsedMillis;
  const speed = `${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)} steps/s`;
  const left = ((run.steps - run.step) * run.elapsedMillis) / run.step;
  return run.state === "running" && left >= 500
    ? `${speed} · ${durationText(Math.ceil(left / 1000) * 1000)} left`
    : speed;
}

function Announcer({ text }: { readonly text: string }): ReactElement {
  const [said, setSaid] = useState({ text, at: 0 });
  useEffect(() => {
    const now = Date.now();
    if (now - said.at >= ANNOUNCE_EVERY_MILLIS) setSaid({ text, at: now });
  }, [text, said.at]);
  return (
    <span className="hidden-text" aria-live="polite">
      {said.text}
    </span>
  );
}
