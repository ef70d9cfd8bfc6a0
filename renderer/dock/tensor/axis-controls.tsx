import { type ReactElement, useId, useState } from "react";
import {
  keptAxes,
  parseSelection,
  type Selection,
  selectionShape,
  selectionText,
} from "../../../worker-runtime/protocol/selection.js";
import { type TensorView, tensorViewActions } from "../../stores/tensor-tabs.js";
import { texts } from "../../texts/texts.js";
import { bytesText, numberText, shapeText } from "../../ui/format.js";
import textStyles from "../../ui/text.module.css";
import { SelectInput, TextInput } from "../../ui/text-input.js";
import styles from "./axis-controls.module.css";
import type { TensorSource } from "./tensor-source.js";

const words = texts.dock.axisControls;

interface AxisControlsProps {
  readonly source: TensorSource;
  readonly view: TensorView;
}

/** Which part of a tensor is shown: a control per dimension, and the same as a slice that can be typed. */
export function AxisControls({ source, view }: AxisControlsProps): ReactElement {
  const { name, dtype, shape, byteLength } = source;
  return (
    <section className={styles.controls} aria-label={words.label}>
      <h3 className={styles.name} title={name}>
        {name}
      </h3>
      <p className={styles.kind}>
        {dtype} {shapeText(shape)} · {bytesText(byteLength)}
      </p>
      <div className={styles.axes}>
        {shape.map((size, axis) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a dimension is its number
          <Axis key={axis} axis={axis} size={size} source={source} view={view} />
        ))}
      </div>
      {shape.length === 0 ? null : <SliceField source={source} view={view} />}
    </section>
  );
}

function Axis({
  axis,
  size,
  source,
  view,
}: AxisControlsProps & { readonly axis: number; readonly size: number }): ReactElement {
  const { selection, columnAxis, mode } = view;
  const part = selection[axis] ?? 0;
  const isIndex = typeof part === "number";
  const change = (next: Selection[number], across = columnAxis) =>
    tensorViewActions.change(source, { selection: selection.with(axis, next), columnAxis: across });
  const whole = { from: 0, to: size, step: 1 };
  const range = isIndex ? whole : part;
  const use = isIndex ? "index" : axis === columnAxis ? "columns" : "rows";
  const isPicture = mode === "image" && axis >= source.shape.length - 3;
  const names = isPicture
    ? { rows: "kept", columns: "kept" }
    : mode === "image"
      ? { rows: "all", columns: "all" }
      : { rows: "rows", columns: "columns" };
  return (
    <div className={styles.axis}>
      <b>d{axis}</b>
      <span className={textStyles.muted}>{numberText(size)}</span>
      <SelectInput
        aria-label={words.use({ axis })}
        className={styles.use}
        value={mode === "image" && use === "columns" ? "rows" : use}
        onChange={({ target: { value } }) => {
          if (value === "index") change(range.from);
          else if (value === "columns") change(range, axis);
          else change(range, axis === columnAxis ? otherColumn(selection, axis) : columnAxis);
        }}
      >
        {size > 0 ? <option value="index">{words.index}</option> : null}
        <option value="rows">{names.rows}</option>
        {mode === "image" ? null : <option value="columns">{words.columns}</option>}
      </SelectInput>
      {isIndex ? (
        <>
          <TextInput
            type="number"
            aria-label={words.indexOf({ axis })}
            className={styles.index}
            min={0}
            max={size - 1}
            value={part}
            onChange={({ target: { value } }) => {
              const index = Number(value);
              if (value !== "" && Number.isInteger(index) && index >= 0 && index < size) change(index);
            }}
          />
          <input
            type="range"
            aria-label={words.indexOf({ axis })}
            className={styles.slider}
            min={0}
            max={size - 1}
            value={part}
            onChange={({ target: { value } }) => change(Number(value))}
          />
        </>
      ) : (
        <span className={textStyles.muted}>{rangeText(range)}</span>
      )}
    </div>
  );
}

/** The last other dimension that is kept. */
function otherColumn(selection: Selection, axis: number): number | null {
  return (
    keptAxes(selection)
      .filter((kept) => kept !== axis)
      .at(-1) ?? null
  );
}

function rangeText({
  from,
  to,
  step,
}: {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}) {
  if (to <= from) return words.noRange;
  return step === 1 ? words.range({ from, to: to - 1 }) : words.rangeWithStep({ from, to: to - 1, step });
}

function SliceField({ source, view }: AxisControlsProps): ReactElement {
  const { shape } = source;
  const written = selectionText(view.selection, shape);
  // Typed text is kept until it is a slice; then the controls and the text are one value again.
  const [typed, setTyped] = useState<string>();
  const errorId = useId();
  const read = typed === undefined ? undefined : parseSelection(typed, shape);
  const problem = typeof read === "string" ? read : undefined;
  const sizes = selectionShape(view.selection);
  return (
    <>
      <div className={styles.slice}>
        <TextInput
          monospace
          aria-label={words.slice}
          value={typed ?? written}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : errorId}
          spellCheck={false}
          onChange={({ target: { value } }) => {
            setTyped(value);
            const selection = parseSelection(value, shape);
            if (typeof selection !== "string") tensorViewActions.change(source, { selection });
          }}
          onBlur={() => setTyped(undefined)}
        />
        <span className={textStyles.muted}>
          {sizes.length === 0 ? "scalar" : sizes.map(numberText).join(" × ")}
        </span>
      </div>
      {problem === undefined ? null : (
        <p className={textStyles.error} id={errorId} role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
