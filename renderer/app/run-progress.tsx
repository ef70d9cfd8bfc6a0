import { type ReactElement, useEffect, useState } from "react";
import type { RunUpdate } from "../../main/api/runs.js";
import { isActive, useDocumentRun, useRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { rateText, secondsText, stepText } from "../ui/format.js";
import textStyles from "../ui/text.module.css";
import styles from "./run-progress.module.css";
import { useLongRun } from "./use-long-run.js";

const words = texts.app.runProgress;

/** Screen readers hear the step this often at most. */
const ANNOUNCE_EVERY_MILLIS = 10_000;
const SECOND = 1000;

export function RunProgress(): ReactElement | null {
  const run = useRun((state) => state.newest);
  const ofDocument = useDocumentRun((state) => state.latest?.runId);
  const elsewhere = run?.runId !== ofDocument;
  const shown = useLongRun();
  const sinceMillis = useMillisSince(run);
  if (run === undefined || !shown) return null;
  const share = run.step / run.steps;
  const [state, ofSteps] = headline(run, elsewhere);
  const text = [state, ofSteps].filter(Boolean).join(" ");
  const facts = paceFacts(run, run.currentMillis + sinceMillis);
  return (
    <div
      className={styles.progress}
      role="progressbar"
      aria-label={words.run}
      aria-valuemin={0}
      aria-valuemax={run.steps}
      aria-valuenow={run.step}
      aria-valuetext={text}
      title={[text, ...facts].join(" · ")}
    >
      <div>
        <b className={styles.headline}>
          <span className={classNames(textStyles.truncated, styles.state)}>{state}</span>
          {ofSteps === undefined ? null : <span>{ofSteps}</span>}
        </b>
        <span className={styles.pace}>
          {facts.map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
        </span>
      </div>
      <i>
        <u style={{ width: `${(share * 100).toFixed(1)}%` }} />
      </i>
      <Announcer text={text} />
    </div>
  );
}

/** Milliseconds since the last event of a run in progress, updated every second: a long step sends no events. */
function useMillisSince(run: RunUpdate | undefined): number {
  const [now, setNow] = useState({ of: run, millis: 0 });
  const active = isActive(run);
  useEffect(() => {
    if (!active) return;
    const receivedAt = performance.now();
    const timer = setInterval(() => setNow({ of: run, millis: performance.now() - receivedAt }), SECOND);
    return () => clearInterval(timer);
  }, [run, active]);
  return now.of === run ? now.millis : 0;
}

/** The current activity, and the number of steps, which is omitted if space is limited. */
function headline(run: RunUpdate, elsewhere: boolean): [state: string, ofSteps: string | undefined] {
  const text = stateText(run);
  const ofSteps = run.state === "running" && run.steps > 1 ? words.ofSteps({ steps: run.steps }) : undefined;
  return [
    elsewhere && run.origin ? words.elsewhere({ document: run.origin.document, state: text }) : text,
    ofSteps,
  ];
}

function stateText(run: RunUpdate): string {
  if (run.state === "stopping") return words.stoppingAfter({ step: stepText(run.step + 1) });
  if (run.state === "paused") return words.pausedAfter({ step: stepText(run.step) });
  if (run.state === "preparing") return run.phase ?? words.preparing;
  return run.steps === 1 ? words.running : stepText(run.step);
}

/**
 * The facts that are shown as far as there is room, most important first: "12 s in this step", "7 s left", "83 steps/s".
 *
 * @param currentMillis how long the current step, or the preparation before it, has taken so far
 */
export function paceFacts(run: RunUpdate, currentMillis: number): string[] {
  const facts: string[] = [];
  const current = secondsText(Math.floor(currentMillis / SECOND));
  if (currentMillis >= SECOND && run.state !== "paused")
    facts.push(run.step === 0 ? current : words.inThisStep({ time: current }));
  if (run.step === 0 || run.elapsedMillis === 0) return facts;
  const left = ((run.steps - run.step) * run.elapsedMillis) / run.step;
  if (run.state === "running" && left >= SECOND / 2)
    facts.push(words.left({ time: estimateText(Math.ceil(left / SECOND)) }));
  const perSecond = (run.step * SECOND) / run.elapsedMillis;
  facts.push(words.stepsPerSecond({ rate: rateText(perSecond) }));
  return facts;
}

/** Rounded to the precision of an estimate. */
function estimateText(seconds: number): string {
  return secondsText(seconds <= 90 ? seconds : Math.ceil(seconds / 60) * 60, { zeroSeconds: false });
}

function Announcer({ text }: { readonly text: string }): ReactElement {
  const [said, setSaid] = useState({ text, at: 0 });
  useEffect(() => {
    const now = Date.now();
    if (now - said.at >= ANNOUNCE_EVERY_MILLIS) setSaid({ text, at: now });
  }, [text, said.at]);
  return (
    <span className={textStyles.spokenOnly} aria-live="polite">
      {said.text}
    </span>
  );
}
