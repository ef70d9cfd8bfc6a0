import { type ChangeEvent, type ReactElement, useId, useState } from "react";
import type { Grid } from "../../../worker-runtime/protocol/selection.js";
import { labelsInGraph } from "../../document/class-labels.js";
import { attempt } from "../../stores/app-store.js";
import { activeSession, inSession } from "../../stores/document-session.js";
import { useDocument } from "../../stores/document-store.js";
import { type TensorView, tensorViewActions, useTensorTabs } from "../../stores/tensor-tabs.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { figureText } from "../../ui/format.js";
import textStyles from "../../ui/text.module.css";
import { TextArea, TextInput } from "../../ui/text-input.js";
import styles from "./class-view.module.css";
import type { TensorSource } from "./tensor-source.js";
import { useTensorWork } from "./use-tensor-work.js";
import { WorkNote } from "./work-note.js";

const words = texts.dock.classView;

interface ClassViewProps {
  readonly source: TensorSource;
  readonly view: TensorView;
  /** With a dimension of classes that runs across. */
  readonly grid: Grid;
}

const SHOWN = 5;
const MORE_SHOWN = 20;

/** The classes with the highest scores, with their names; the others as one row. */
export function ClassView({ source, view, grid }: ClassViewProps): ReactElement {
  const [chosenRow, setRow] = useState(0);
  const [count, setCount] = useState(SHOWN);
  const row = Math.min(chosenRow, Math.max(0, grid.rows - 1));
  const work = useTensorWork(
    "tensors.top",
    {
      tensor: source.address,
      selection: [...view.selection],
      ...(grid.columnAxis === undefined ? {} : { columnAxis: grid.columnAxis }),
      row,
      count,
    },
    source.step,
  );
  const typed = useTensorTabs((state) => state.labels);
  const inGraph = useDocument((state) => labelsInGraph(state.document.nodes, grid.columns));
  const labels = typed.length > 0 ? typed : inGraph;
  const { result } = work;
  if (result === undefined) return <WorkNote work={work} />;
  const { top, rest, columns } = result;
  const sum = top.reduce((total, { value }) => total + value, rest);
  const areShares = top.every(({ value }) => value >= 0) && rest >= -1e-3 && Math.abs(sum - 1) < 1e-3;
  const longest = Math.max(...top.map(({ value }) => Math.abs(value)), Number.MIN_VALUE);
  const others = columns - top.length;
  return (
    <section className={styles.view} aria-label={words.label({ source: source.name })}>
      <div className={styles.bar}>
        <b>{words.top({ top: top.length })}</b>
        <span className={textStyles.muted}>{words.ofClasses({ count: columns })}</span>
        {grid.rows > 1 ? (
          <>
            <span className={textStyles.muted}>{words.row}</span>
            <TextInput
              type="number"
              aria-label={words.rowScores}
              className={styles.row}
              min={0}
              max={grid.rows - 1}
              value={row}
              onChange={({ target: { value } }) => setRow(Math.max(0, Math.trunc(Number(value))))}
            />
            <span className={textStyles.muted}>{words.ofRows({ count: grid.rows })}</span>
          </>
        ) : null}
        <span className={textStyles.grow} />
        <Button
          size="small"
          variant="ghost"
          aria-pressed={count > SHOWN}
          onClick={() => setCount(count > SHOWN ? SHOWN : MORE_SHOWN)}
        >
          {words.top({ top: count > SHOWN ? SHOWN : MORE_SHOWN })}
        </Button>
        <Labels />
      </div>
      <table className={styles.scores}>
        <thead>
          <tr>
            <th scope="col">{words.class}</th>
            <th scope="col">{words.name}</th>
            <th scope="col" className={styles.barColumn}>
              <span className={textStyles.spokenOnly}>{words.bar}</span>
            </th>
            <th scope="col" className={styles.number}>
              {words.score}
            </th>
          </tr>
        </thead>
        <tbody>
          {top.map(({ index, value, text }) => (
            <tr key={index}>
              <td className={textStyles.monospace}>{index}</td>
              <td>
                <b>{labels[index] ?? "–"}</b>
              </td>
              <td>
                <i
                  className={value < 0 ? styles.negative : styles.score}
                  style={{ width: `${((100 * Math.abs(value)) / (areShares ? 1 : longest)).toFixed(1)}%` }}
                />
              </td>
              <td className={styles.number} title={text}>
                {areShares ? `${(100 * value).toFixed(1)}%` : figureText(value)}
              </td>
            </tr>
          ))}
          {others > 0 ? (
            <tr className={textStyles.muted}>
              <td />
              <td>{words.others({ count: others })}</td>
              <td>
                {areShares ? (
                  <i className={styles.score} style={{ width: `${(100 * rest).toFixed(1)}%` }} />
                ) : null}
              </td>
              <td className={styles.number}>{areShares ? `${(100 * Math.max(0, rest)).toFixed(1)}%` : ""}</td>
            </tr>
          ) : null}
        </tbody>
      </table>
      <WorkNote work={work} />
    </section>
  );
}

/** One name per line; the first is that of class 0. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  while (lines.at(-1) === "") lines.pop();
  return lines;
}

function Labels(): ReactElement {
  const labels = useTensorTabs((state) => state.labels);
  const [open, setOpen] = useState(false);
  const fileId = useId();
  const read = (event: ChangeEvent<HTMLInputElement>) => {
    const [file] = event.target.files ?? [];
    if (!file) return;
    const session = activeSession();
    attempt(async () => {
      const lines = linesOf(await file.text());
      inSession(session, () => tensorViewActions.setLabels(lines));
    });
  };
  return (
    <div className={styles.labels}>
      <Button size="small" variant="ghost" icon="list" aria-expanded={open} onClick={() => setOpen(!open)}>
        {labels.length === 0 ? words.namesClasses : words.names({ count: labels.length })}
      </Button>
      {open ? (
        <div className={styles.names}>
          <TextArea
            aria-label={words.namesTitle}
            placeholder={words.namesPlaceholder}
            rows={6}
            value={labels.join("\n")}
            onChange={({ target: { value } }) => tensorViewActions.setLabels(value.split("\n"))}
            onBlur={({ target: { value } }) => tensorViewActions.setLabels(linesOf(value))}
          />
          <label htmlFor={fileId}>{words.fromTextFile}</label>
          <input id={fileId} type="file" accept=".txt,.csv,text/plain" onChange={read} />
        </div>
      ) : null}
    </div>
  );
}
