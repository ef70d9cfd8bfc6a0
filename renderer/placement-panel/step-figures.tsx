import type { ReactElement } from "react";
import type { SimulatedStep } from "../placement/simulate.js";
import type { MeasuredStep } from "../stores/placement-store.js";
import { bytesText, durationText, stepText } from "../ui/format.js";
import textStyles from "../ui/text.module.css";
import styles from "./placement-panel.module.css";

interface StepFiguresProps {
  readonly before: SimulatedStep;
  readonly after: SimulatedStep;
  readonly measuredBefore: MeasuredStep | undefined;
  /** Once the placement was applied and run. */
  readonly measuredAfter?: MeasuredStep | undefined;
}

/** The time of a step and what it sends, before and after. */
export function StepFigures({
  before,
  after,
  measuredBefore,
  measuredAfter,
}: StepFiguresProps): ReactElement {
  const longest = Math.max(before.micros, after.micros, 1);
  const change = before.micros === 0 ? 0 : Math.round((100 * (after.micros - before.micros)) / before.micros);
  const rows = [
    { name: "Before", step: before, measured: measuredBefore },
    { name: "After", step: after, measured: measuredAfter },
  ];
  return (
    <>
      <table className={styles.figures}>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">Expected</th>
            <th scope="col">Measured</th>
            <th scope="col">Sent</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, step, measured }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <b>{durationText(step.micros / 1000)}</b>
                <i
                  className={styles.bar}
                  style={{ width: `${((100 * step.micros) / longest).toFixed(1)}%` }}
                />
              </td>
              <td title={measured ? stepText(measured.step) : undefined}>
                {measured ? durationText(measured.millis) : <span className={textStyles.muted}>not yet</span>}
              </td>
              <td>{bytesText(step.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className={styles.change}>
        Expected step time <b>{change <= 0 ? `−${-change}` : `+${change}`}%</b>
      </p>
    </>
  );
}
