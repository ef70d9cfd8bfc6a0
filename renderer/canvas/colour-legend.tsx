import type { ReactElement } from "react";
import { colourCommands } from "../commands/colour-commands.js";
import { useBeforeEdit } from "../stores/before-edit.js";
import { useGraphRun } from "../stores/run-store.js";
import { stepText } from "../ui/format.js";
import { Segmented } from "../ui/segmented.js";
import textStyles from "../ui/text.module.css";
import { type Colouring, useColouring, useColourScale } from "../viewport/colouring.js";
import styles from "./colour-legend.module.css";

const OPTIONS: readonly { readonly id: Colouring; readonly label: string }[] = [
  { id: "task", label: "Task" },
  { id: "op", label: "Op" },
  { id: "time", label: "Time" },
  { id: "bytes", label: "Bytes" },
];

/** What the colours of nodes mean, while they do not mean tasks. */
export function ColourLegend(): ReactElement | null {
  const by = useColouring((state) => state.by);
  const scale = useColourScale();
  const step = useGraphRun((state) => state.latest?.tracedStep);
  const isOld = useBeforeEdit();
  if (!scale) return null;
  const source =
    by === "op"
      ? undefined
      : step === undefined
        ? by === "time"
          ? "No step was traced yet. Run the graph to see its times."
          : "By shapes. A traced run tells sizes that are not known."
        : `${stepText(step)}${isOld ? ", before edit" : ""}`;
  return (
    <section className={styles.legend} aria-label="Colours of nodes">
      <Segmented
        label="Colour nodes by"
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
