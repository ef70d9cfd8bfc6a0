import { type ReactElement, useDeferredValue, useMemo, useRef, useState } from "react";
import { copyText } from "../actions/copy-text.js";
import { attempt } from "../stores/app-store.js";
import { useBeforeEdit } from "../stores/before-edit.js";
import { useDocumentRun } from "../stores/run-store.js";
import { uiActions } from "../stores/ui-store.js";
import { client } from "../transport/client.js";
import { Button } from "../ui/button.js";
import { CopyButton } from "../ui/copy-button.js";
import { bytesText, numberText, shapeText, stepText } from "../ui/format.js";
import { useRowWindow } from "./row-window.js";
import { ScrollRegion } from "./scroll-region.js";
import { useTensorPages } from "./tensor-pages.js";
import { elementText, gridShape, parseRowSlice, rowLabel } from "./tensor-text.js";

const ROW_HEIGHT = 21;
/** More columns than this would make a row too wide to read or draw. */
const MOST_COLUMNS = 64;
/** What one Copy puts on the clipboard at most. */
const COPY_ELEMENTS = 100_000;

/** One tensor as a grid. Only the visible rows are drawn and fetched. */
export default function TensorTab({ name }: { readonly name: string }): ReactElement {
  const run = useDocumentRun((state) => state.latest);
  const old = useBeforeEdit();
  const tensor = run?.fetches.find((fetched) => fetched.name === name);
  const [sliceText, setSliceText] = useState("");
  const deferredSlice = useDeferredValue(sliceText);
  const frame = useRef<HTMLElement>(null);
  const shape = tensor?.shape ?? [];
  const grid = gridShape(shape);
  const slice = useMemo(() => parseRowSlice(deferredSlice, grid.rows), [deferredSlice, grid.rows]);
  const rows = slice === undefined ? 0 : slice.to - slice.from;
  const view = useRowWindow(frame, rows, ROW_HEIGHT);
  const columns = Math.min(grid.columns, MOST_COLUMNS);
  const first = (slice?.from ?? 0) + view.first;
  const last = (slice?.from ?? 0) + view.last;
  const pages = useTensorPages(run?.runId, run?.step, tensor, first * grid.columns, last * grid.columns);
  if (run === undefined || tensor === undefined) {
    return <p className="empty">The newest run did not fetch {name}.</p>;
  }
  const columnNumbers = Array.from({ length: columns }, (_, column) => column);
  return (
    <>
      <div className="dock-bar">
        <b>{name}</b>
        <span className="mono fg2">
          {tensor.dtype} {shapeText(tensor.shape)} · {bytesText(tensor.byteLength)} · {stepText(run.step)}
          {old ? " · before edit" : ""}
        </span>
        <span className="grow" />
        <label className="search">
          <span className="fg2">{shape.length > 1 ? "Rows" : "Lines"}</span>
          <input
            aria-label="Rows to show, as a Python slice"
            placeholder="0:100"
            value={sliceText}
            aria-invalid={slice === undefined}
            onChange={(event) => setSliceText(event.target.value)}
            style={{ width: 80 }}
            spellCheck={false}
          />
        </label>
        {slice === undefined ? (
          <span className="field-error" role="alert">
            Write a slice within 0:{numberText(grid.rows)}
          </span>
        ) : (
          <span className="fg2">
            {numberText(rows)} of {numberText(grid.rows)}
          </span>
        )}
        <CopyAll key={`${run.runId} ${run.step}`} runId={run.runId} name={name} count={tensor.elementCount} />
        <Button size="small" variant="ghost" icon="close" onClick={() => uiActions.closeTensor(name)}>
          Close
        </Button>
      </div>
      <ScrollRegion ref={frame} label={`Values of ${name}`}>
        <div
          className={`value-grid${tensor.dtype === "string" ? " wide" : ""}${old ? " old" : ""}`}
          style={{ height: (rows + 1) * ROW_HEIGHT }}
        >
          <div className="value-row value-head" style={{ height: ROW_HEIGHT }}>
            <span className="value-label">{shape.length > 1 ? "[…]" : ""}</span>
            {columnNumbers.map((column) => (
              <span key={column}>{shape.length > 0 ? column : ""}</span>
            ))}
            {grid.columns > columns ? <span>… {numberText(grid.columns - columns)} more</span> : null}
          </div>
          {Array.from({ length: Math.max(0, view.last - view.first) }, (_, offset) => first + offset).map(
            (row) => (
              <div
                key={row}
                className="value-row"
                style={{ top: (row - (slice?.from ?? 0) + 1) * ROW_HEIGHT, height: ROW_HEIGHT }}
              >
                <span className="value-label">{rowLabel(shape, row, grid.columns)}</span>
                {columnNumbers.map((column) => {
                  const index = row * grid.columns + column;
                  if (index >= tensor.elementCount) return <span key={column} />;
                  const value = pages(index);
                  const text = value === undefined ? undefined : elementText(tensor.dtype, value);
                  return (
                    <span key={column} title={text}>
                      {text ?? "…"}
                    </span>
                  );
                })}
              </div>
            ),
          )}
        </div>
      </ScrollRegion>
    </>
  );
}

/** Copies the elements row by row, at most as many as the clipboard can hold. */
function CopyAll({
  runId,
  name,
  count,
}: {
  readonly runId: string;
  readonly name: string;
  readonly count: number;
}): ReactElement {
  const [text, setText] = useState<string>();
  if (text !== undefined) return <CopyButton text={text} label="Copy" copied />;
  return (
    <Button
      size="small"
      variant="ghost"
      icon="copy"
      onClick={() =>
        attempt(async () => {
          const { values, shape } = await client().call("runs.tensor", {
            runId,
            name,
            offset: 0,
            count: Math.max(1, Math.min(count, COPY_ELEMENTS)),
          });
          const columns = Math.max(1, shape.at(-1) ?? 1);
          const lines: string[] = [];
          for (let at = 0; at < values.length; at += columns)
            lines.push(values.slice(at, at + columns).join("\t"));
          await copyText(lines.join("\n"));
          setText(lines.join("\n"));
        })
      }
    >
      {count > COPY_ELEMENTS ? `Copy the first ${numberText(COPY_ELEMENTS)}` : "Copy"}
    </Button>
  );
}
