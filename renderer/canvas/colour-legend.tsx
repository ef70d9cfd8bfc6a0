import type { ReactElement } from "react";
import { colourCommands } from "../commands/colour-commands.js";
import { useBeforeEdit } from "../stores/before-edit.js";
import { useGraphRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { stepText } from "../ui/format.js";
import { Segmented } from "../ui/segmented.js";
import textStyles from "../ui/text.module.css";
import { type Colouring, useColouring, useColourScale } from "../viewport/colouring.js";
import styles from "./colour-legend.module.css";

const words = texts.canvas.colourLegend;

const OPTIONS: readonly { readonly id: Colouring; readonly label: string }[] = [
  { id: "task", label: words.task },
  { id: "op", label: words.op },
  { id: "time", label: words.time },
  { id: "bytes", label: words.bytes },
];

/** The legend of nodes' colours, while they do not mean tasks. */
export function ColourLegend(): ReactElement | null {
  const by = useColouring((state) => state.by);
  const scale = useColourScale();
  const step = useGraphRun((state) => state.latest?.tracedStep);
  const hasSetUp = useGraphRun((state) => state.latest?.tracedStepRegisteredGraph);
  const isOld = useBeforeEdit();
  if (!scale) return null;
  const source =
    by === "op"
      ? undefined
      : step === undefined
        ? by === "time"
          ? words.noTrace
          : words.byShapes
        : isOld
          ? words.beforeEdit({ step: stepText(step, by === "time" && hasSetUp) })
          : stepText(step, by === "time" && hasSetUp);
  return (
    <section className={styles.legend} aria-label={words.label}>
      <Segmented
        label={words.by}
        options={OPTIONS}
        selected={by}
        size="compact"
        onSelect={(id) => void colourCommands[id].now().run()}
      />
      {scale.legend.length === 0 ? null : (
        <ul>
          {scale.legend.map(({ colour, text }) => (
            <li key={text}>
              <i style={{ background: colour }} />
              {text}
            </li>
          ))}
        </ul>
      )}
      {source === undefined ? null : <p className={textStyles.muted}>{source}</p>}
    </section>
  );
}
