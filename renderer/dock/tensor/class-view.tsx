import { type ChangeEvent, type ReactElement, useId, useState } from "react";
import type { Grid } from "../../../worker-runtime/protocol/selection.js";
import { labelsInGraph } from "../../document/class-labels.js";
import { attempt } from "../../stores/app-store.js";
import { useDocument } from "../../stores/document-store.js";
import { type TensorView, tensorViewActions, useTensorTabs } from "../../stores/tensor-tabs.js";
import { Button } from "../../ui/button.js";
import { countText, figureText, numberText } from "../../ui/format.js";
import textStyles from "../../ui/text.module.css";
import { TextArea, TextInput } from "../../ui/text-input.js";
import styles from "./class-view.module.css";
import type { TensorSource } from "./tensor-source.js";
import { useTensorWork } from "./use-tensor-work.js";
import { WorkNote } from "./work-note.js";

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
    <section className={styles.view} aria-label={`Classes of ${source.name}`}>
      <div className={styles.bar}>
        <b>Top {top.length}</b>
        <span className={textStyles.muted}>of {countText(columns, "class", "classes")}</span>
        {grid.rows > 1 ? (
          <>
            <span className={textStyles.muted}>row</span>
            <TextInput
              type="number"
              aria-label="Row of scores"
              className={styles.row}
              min={0}
              max={grid.rows - 1}
              value={row}
              onChange={({ target: { value } }) => setRow(Math.max(0, Math.trunc(Number(value))))}
            />
            <span className={textStyles.muted}>of {numberText(grid.rows)}</span>
          </>
        ) : null}
        <span className={textStyles.grow} />
        <Button
          size="small"
          variant="ghost"
          aria-pressed={count > SHOWN}
          onClick={() => setCount(count > SHOWN ? SHOWN : MORE_SHOWN)}
        >
          {count > SHOWN ? `Top ${SHOWN}` : `Top ${MORE_SHOWN}`}
        </Button>
        <Labels />
      </div>
      <table className={styles.scores}>
        <thead>
          <tr>
            <th scope="col">Class</th>
            <th scope="col">Name</th>
            <th scope="col" className={styles.barColumn}>
              <span className={textStyles.spokenOnly}>Bar</span>
            </th>
            <th scope="col" className={styles.number}>
              Score
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
              <td>{countText(others, "other class", "other classes")}</td>
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
    if (file) attempt(async () => tensorViewActions.setLabels(linesOf(await file.text())));
  };
  return (
    <div className={styles.labels}>
      <Button size="small" variant="ghost" icon="list" aria-expanded={open} onClick={() => setOpen(!open)}>
        {labels.length === 0 ? "Names of classes…" : countText(labels.length, "name")}
      </Button>
      {open ? (
        <div className={styles.names}>
          <TextArea
            aria-label="Names of classes, one per line"
            placeholder={"One name per line,\nclass 0 first"}
            rows={6}
            value={labels.join("\n")}
            onChange={({ target: { value } }) => tensorViewActions.setLabels(value.split("\n"))}
            onBlur={({ target: { value } }) => tensorViewActions.setLabels(linesOf(value))}
          />
          <label htmlFor={fileId}>From a text file</label>
          <input id={fileId} type="file" accept=".txt,.csv,text/plain" onChange={read} />
        </div>
      ) : null}
    </div>
  );
}
