/** The values that the newest run brought for the node's outputs. */
import { type ReactElement, useState } from "react";
import { useShallow } from "zustand/react/shallow";
import type { TensorPreview } from "../../main/api/runs.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { numberOfText } from "../../worker-runtime/protocol/element-text.js";
import { tensorName } from "../document/tensor-names.js";
import { HeadingAside, Note, Section, SectionHeading } from "../parts/section.js";
import { useBeforeEdit } from "../stores/before-edit.js";
import { useGraphRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { bytesText, figureText, stepText } from "../ui/format.js";
import { Segmented } from "../ui/segmented.js";
import textStyles from "../ui/text.module.css";
import { elementText, fetchOf } from "../viewport/node-text.js";
import figureStyles from "./figure.module.css";
import styles from "./value-section.module.css";

const words = texts.inspector.valueSection;

const MAX_ROWS = 12;
const MAX_COLUMNS = 6;
/** Outputs that are looked up; an op with more shows the first ones. */
const MAX_OUTPUTS = 16;

export function ValueSection({ node }: { node: NodeDef }): ReactElement | null {
  const previews = useGraphRun(
    useShallow((state) =>
      Array.from({ length: MAX_OUTPUTS }, (_, output) =>
        fetchOf(state.latest?.fetches, tensorName(node.name, output)),
      ),
    ),
  ).filter((preview) => preview !== undefined);
  const step = useGraphRun((state) => state.latest?.step ?? 0);
  const stale = useBeforeEdit();
  const [chosen, setChosen] = useState(0);
  const preview = previews[chosen] ?? previews[0];
  if (!preview) return null;
  return (
    <Section stale={stale}>
      <SectionHeading>
        {words.heading}
        <span className={textStyles.grow} />
        <HeadingAside>{stale ? words.stepBeforeEdit({ step: stepText(step) }) : stepText(step)}</HeadingAside>
      </SectionHeading>
      {previews.length > 1 ? (
        <div className={styles.outputs}>
          <Segmented
            size="compact"
            label={words.output}
            options={previews.map(({ name }) => ({ id: name, label: name.slice(name.lastIndexOf(":")) }))}
            selected={previews[chosen]?.name}
            onSelect={(name) => setChosen(previews.findIndex((preview) => preview.name === name))}
          />
        </div>
      ) : null}
      <Value preview={preview} />
    </Section>
  );
}

function Value({ preview }: { preview: TensorPreview }): ReactElement {
  const { shape, dtype, values, elementCount, byteLength } = preview;
  if (shape.length === 0) {
    return (
      <div className={figureStyles.figure}>
        <b>{elementText(values[0] ?? "", dtype)}</b>
        <span>{words.scalar({ dtype })}</span>
      </div>
    );
  }
  const columns = shape.at(-1) ?? 1;
  const rows = columns === 0 ? 0 : Math.floor(values.length / columns);
  const isVector = shape.length === 1;
  const shownRows = isVector ? Math.min(values.length, MAX_ROWS) : Math.min(rows, MAX_ROWS);
  const shownColumns = isVector ? 1 : Math.min(columns, MAX_COLUMNS);
  const cell = (row: number, column: number) => values[isVector ? row : row * columns + column] ?? "";
  const hidden = elementCount - shownRows * shownColumns;
  return (
    <>
      <div className={figureStyles.figure}>
        <b>[{shape.join(",")}]</b>
        <span>
          {dtype}, {bytesText(byteLength)}
        </span>
      </div>
      <table className={classNames(styles.values, textStyles.monospace)}>
        <tbody>
          {Array.from({ length: shownRows }, (_, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row of a tensor is its index
            <tr key={row}>
              <th scope="row">{row}</th>
              {Array.from({ length: shownColumns }, (_, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column of a tensor is its index
                <td key={column}>{elementText(cell(row, column), dtype)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {hidden > 0 ? <Note>{words.more({ count: hidden })}</Note> : null}
      <Statistics preview={preview} />
    </>
  );
}

/** Only when every element is here; figures of a part would be taken for figures of the whole. */
function Statistics({ preview }: { preview: TensorPreview }): ReactElement | null {
  const { values, elementCount, dtype } = preview;
  if (values.length !== elementCount || elementCount < 2 || /string|complex|bool/.test(dtype)) return null;
  const numbers = values.map(numberOfText);
  const real = numbers.filter(Number.isFinite);
  if (real.length === 0) return null;
  const notNumbers = numbers.filter(Number.isNaN).length;
  const infinite = numbers.length - real.length - notNumbers;
  const mean = real.reduce((sum, value) => sum + value, 0) / real.length;
  const deviation = Math.sqrt(real.reduce((sum, value) => sum + (value - mean) ** 2, 0) / real.length);
  const figures: readonly (readonly [string, number])[] = [
    [words.figures.min, Math.min(...real)],
    [words.figures.max, Math.max(...real)],
    [words.figures.mean, mean],
    [words.figures.std, deviation],
    ["NaN", notNumbers],
    ...(infinite > 0 ? ([["±inf", infinite]] as const) : []),
  ];
  return (
    <div className={styles.statistics}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <span>{name}</span>
          <b>{figureText(value)}</b>
        </div>
      ))}
    </div>
  );
}
