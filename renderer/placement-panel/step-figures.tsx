import type { ReactElement } from "react";
import type { SimulatedStep } from "../placement/simulate.js";
import type { MeasuredStep } from "../stores/placement-store.js";
import { texts } from "../texts/texts.js";
import { bytesText, durationText, stepText } from "../ui/format.js";
import { bold } from "../ui/rich-parts.js";
import textStyles from "../ui/text.module.css";
import styles from "./placement-panel.module.css";

const words = texts.placementPanel.stepFigures;

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
    { name: words.before, step: before, measured: measuredBefore },
    { name: words.after, step: after, measured: measuredAfter },
  ];
  return (
    <>
      <table className={styles.figures}>
        <thead>
          <tr>
            <th scope="col">{words.step}</th>
            <th scope="col">{words.expected}</th>
            <th scope="col">{words.measured}</th>
            <th scope="col">{words.sent}</th>
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
              <td title={measured ? stepText(measured.step, measured.hasSetUp) : undefined}>
                {measured ? (
                  durationText(measured.millis)
                ) : (
                  <span className={textStyles.muted}>{words.notYet}</span>
                )}
              </td>
              <td>{bytesText(step.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className={styles.change}>
        {words.change({ percent: change <= 0 ? `−${-change}` : `+${change}`, b: bold })}
      </p>
    </>
  );
}
