/** The checkpoints that a run has saved. */
import type { ReactElement } from "react";
import type { RunCheckpoints } from "../../../main/api/checkpoints.js";
import type { RunUpdate } from "../../../main/api/runs.js";
import { crumbsOf } from "../../actions/paths.js";
import { activeRunCommands } from "../../commands/run-commands.js";
import { checkpointCommands } from "../../commands/training-commands.js";
import { CommandButton } from "../../parts/command-button.js";
import { isActive } from "../../stores/run-store.js";
import { texts } from "../../texts/texts.js";
import { bytesText, clockText, figureText } from "../../ui/format.js";
import { Icon } from "../../ui/icon.js";
import { Tag } from "../../ui/tag.js";
import textStyles from "../../ui/text.module.css";
import tableStyles from "../data-table.module.css";
import { TabBar } from "../tab-bar.js";
import styles from "./training-tab.module.css";

const words = texts.dock.checkpoints;

/** The saved checkpoints, the newest first; one can be saved now, and any restored. */
export function Checkpoints({ run }: { readonly run: RunUpdate }): ReactElement {
  const { folder, saved: newest = [], best, problem } = run.checkpoints ?? {};
  const saved = best ? [...newest, best.saved] : newest;
  return (
    <section aria-label={words.title}>
      <TabBar>
        <h3 className={styles.title}>{words.title}</h3>
        <span className={textStyles.muted}>{howOften(run.checkpoints)}</span>
        {folder === undefined ? null : <span className={textStyles.truncated}>{folder}</span>}
        <span className={textStyles.grow} />
        {isActive(run) ? (
          <CommandButton command={activeRunCommands.saveCheckpoint} target={run} icon />
        ) : null}
      </TabBar>
      {problem ? (
        <p className={styles.notice} role="status">
          <Icon name="warning" />
          <span>
            <b>{problem.message}</b> {problem.reason} {isActive(run) ? words.goesOn : null}
          </span>
        </p>
      ) : null}
      {saved.length === 0 ? null : (
        <table className={tableStyles.table} aria-label={words.title}>
          <thead>
            <tr>
              <th scope="col">{words.name}</th>
              {[words.step, words.savedAt, words.size, words.loss].map((head) => (
                <th key={head} scope="col" className={tableStyles.number}>
                  {head}
                </th>
              ))}
              <th scope="col">
                <span className={textStyles.spokenOnly}>{words.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {saved.map((checkpoint, at) => {
              const { prefix, step, savedAt, byteLength, loss } = checkpoint;
              return (
                <tr key={prefix}>
                  <td>
                    <code>{crumbsOf(prefix).at(-1)?.name}</code>{" "}
                    {at === 0 && newest.length > 0 ? <Tag>{words.latest}</Tag> : null}
                    {checkpoint === best?.saved ? (
                      <Tag>{words.best({ tensor: best.tensor, value: figureText(best.value) })}</Tag>
                    ) : null}
                  </td>
                  <td className={tableStyles.number}>{words.stepNumber({ step })}</td>
                  <td className={tableStyles.number}>{clockText(savedAt)}</td>
                  <td className={tableStyles.number}>{bytesText(byteLength)}</td>
                  <td className={tableStyles.number}>{loss === undefined ? "–" : figureText(loss)}</td>
                  <td className={tableStyles.number}>
                    <CommandButton
                      command={checkpointCommands.export}
                      target={checkpoint}
                      size="small"
                      spoken="named"
                    />{" "}
                    <CommandButton
                      command={checkpointCommands.restore}
                      target={checkpoint}
                      size="small"
                      spoken="named"
                    />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}

function howOften({ every, minutes, keep }: Partial<RunCheckpoints> = {}): string {
  if (keep === undefined) return words.none;
  const times = [
    ...(every === undefined ? [] : [words.everySteps({ every })]),
    ...(minutes === undefined ? [] : [words.everyMinutes({ minutes })]),
  ];
  const kept = words.kept({ keep });
  return times.length === 0 ? `${words.whenAsked}, ${kept}` : `${times.join(", ")}, ${kept}`;
}
