import { type ReactElement, useId } from "react";
import { curveCommands } from "../../commands/curve-commands.js";
import { CommandButton } from "../../parts/command-button.js";
import { curveActions, useCurves } from "../../stores/curve-store.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { downloadFile } from "../../ui/download.js";
import textStyles from "../../ui/text.module.css";
import { curvesCsv } from "./curve-lines.js";
import styles from "./curves-view.module.css";
import type { CurvesData } from "./use-curves-data.js";

const words = texts.dock.curveTools;

const MOST_SMOOTHING = 0.99;

/** How the curves are drawn. */
export function CurveTools({ data }: { readonly data: CurvesData }): ReactElement {
  const smoothing = useCurves((state) => state.smoothing);
  const id = useId();
  return (
    <div className={styles.tools}>
      <label htmlFor={id} className={textStyles.muted}>
        {words.smooth({ smoothing: smoothing.toFixed(2) })}
      </label>
      <input
        id={id}
        type="range"
        className={styles.smoothing}
        min={0}
        max={MOST_SMOOTHING}
        step={0.01}
        value={smoothing}
        onChange={({ target: { value } }) => curveActions.setSmoothing(Number(value))}
      />
      <CommandButton command={curveCommands.logarithmic} size="small" variant="ghost" />
      <CommandButton command={curveCommands.table} size="small" variant="ghost" icon />
      <span className={textStyles.grow} />
      <Button
        size="small"
        variant="ghost"
        icon="download"
        onClick={() => downloadFile(new Blob([curvesCsv(data)], { type: "text/csv" }), "curves.csv")}
      >
        CSV
      </Button>
    </div>
  );
}
