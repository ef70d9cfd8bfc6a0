import type { ReactElement } from "react";
import { classNames } from "./class-names.js";
import styles from "./sparkline.module.css";

interface SparklineProps {
  /** Oldest first. */
  readonly values: readonly number[];
  /** Value at the upper edge; larger ones raise it. */
  readonly max: number;
  /** Room for this many values, so that the line does not change its scale while it fills. */
  readonly capacity: number;
  /** For screen readers. */
  readonly label: string;
  readonly className?: string | undefined;
}

const WIDTH = 60;
const HEIGHT = 16;

/** A small line of the last minute, newest at the right. */
export function Sparkline({ values, max, capacity, label, className }: SparklineProps): ReactElement {
  const top = Math.max(max, ...values, Number.MIN_VALUE);
  const step = WIDTH / Math.max(1, capacity - 1);
  const start = WIDTH - (values.length - 1) * step;
  const points = values.map((value, index) => {
    const x = (start + index * step).toFixed(1);
    const y = (HEIGHT - 1 - (value / top) * (HEIGHT - 3)).toFixed(1);
    return `${x} ${y}`;
  });
  const line = points.length > 0 ? `M${points.join("L")}` : "";
  return (
    <svg
      className={classNames(styles.sparkline, className)}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {points.length > 1 ? (
        <path
          d={`${line}L${WIDTH} ${HEIGHT}L${start.toFixed(1)} ${HEIGHT}Z`}
          fill="currentColor"
          opacity={0.16}
        />
      ) : null}
      <path d={line} fill="none" stroke="currentColor" strokeWidth={1.2} vectorEffect="non-scaling-stroke" />
      <path
        d={`M0 ${HEIGHT - 0.5}H${WIDTH}`}
        stroke="var(--line-2)"
        strokeWidth={1}
        vectorEffect="non-scaling-stroke"
        opacity={0.6}
      />
    </svg>
  );
}
