import type { ReactElement } from "react";
import type { VariableFigures } from "../../../main/api/variables.js";
import { useVariables } from "../../stores/variable-store.js";
import { texts } from "../../texts/texts.js";
import { figureText } from "../../ui/format.js";
import textStyles from "../../ui/text.module.css";
import styles from "./variable-value.module.css";

const words = texts.dock.variableValue;

const WIDTH = 44;
const HEIGHT = 14;

/** A variable's value in short: its few elements, or how they are distributed. */
export function VariableValue({ name }: { readonly name: string }): ReactElement {
  const state = useVariables(({ states }) => states.get(name));
  const found = useVariables(({ figures }) => figures.get(name));
  if (state === undefined) return <span className={textStyles.muted}>–</span>;
  if (!state.initialized) return <span className={textStyles.muted}>{words.noValueYet}</span>;
  if (found === undefined) return <span className={textStyles.muted}>…</span>;
  if (found.figures) return <Figures figures={found.figures} />;
  const elements = found.elements ?? [];
  const shown = found.shape.length === 0 ? (elements[0] ?? "") : `[${elements.join(", ")}]`;
  return <span className={textStyles.truncated}>{shown}</span>;
}

function Figures({ figures }: { readonly figures: NonNullable<VariableFigures["figures"]> }): ReactElement {
  const { mean, std, min, max, bins, notFinite } = figures;
  return (
    <span className={styles.figures}>
      <Bars
        bins={bins}
        label={words.histogram({ bins: bins.length, min: figureText(min), max: figureText(max) })}
      />
      <span title={words.mean}>μ {figureText(mean, 3)}</span>
      <span title={words.standardDeviation}>σ {figureText(std, 3)}</span>
      {notFinite > 0 ? (
        <span className={textStyles.error}>{words.notFinite({ count: notFinite })}</span>
      ) : null}
    </span>
  );
}

function Bars({ bins, label }: { readonly bins: readonly number[]; readonly label: string }): ReactElement {
  const top = Math.max(...bins, 1);
  const step = WIDTH / bins.length;
  const path = bins
    .map((count, index) => {
      const height = count === 0 ? 0.5 : Math.max(1, (count / top) * HEIGHT);
      return `M${(index * step).toFixed(2)} ${HEIGHT}v${(-height).toFixed(2)}h${(step - 0.8).toFixed(2)}V${HEIGHT}z`;
    })
    .join("");
  return (
    <svg
      className={styles.bars}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
    >
      <path d={path} fill="currentColor" />
    </svg>
  );
}
