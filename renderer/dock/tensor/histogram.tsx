import type { ReactElement, ReactNode } from "react";
import type { TensorStatistics } from "../../../main/api/tensors.js";
import { texts } from "../../texts/texts.js";
import { classNames } from "../../ui/class-names.js";
import { figureText, numberText } from "../../ui/format.js";
import textStyles from "../../ui/text.module.css";
import styles from "./histogram.module.css";

const words = texts.dock.histogram;

interface HistogramProps {
  readonly statistics: TensorStatistics;
  /** Fills its place instead of a column beside others. */
  readonly large?: boolean;
  readonly old: boolean;
}

/** How the elements are distributed: blue below zero, orange above. */
export function Histogram({ statistics, large = false, old }: HistogramProps): ReactElement {
  const { finite, bins } = statistics;
  if (finite === undefined) return <p className={textStyles.muted}>{words.empty}</p>;
  const { min, max } = finite;
  const highest = Math.max(...bins, 1);
  const width = (max - min) / bins.length;
  return (
    <figure className={classNames(styles.figure, large && styles.large)}>
      <svg
        className={styles.bars}
        viewBox={`0 0 ${bins.length} 100`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words.label({ bins: bins.length, min: figureText(min), max: figureText(max), highest })}
      >
        {bins.map((count, bin) => {
          const height = (100 * count) / highest;
          const [from, to] = [min + bin * width, min + (bin + 1) * width];
          const sign = to <= 0 && from < 0 ? styles.negative : from >= 0 ? styles.positive : styles.around;
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a bin is its number
              key={bin}
              className={sign}
              x={bin + 0.06}
              y={100 - height}
              width={0.88}
              height={height}
            >
              <title>{words.bin({ from: figureText(from), to: figureText(to), count })}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className={styles.caption}>
        <span>{figureText(min)}</span>
        <span className={textStyles.muted}>
          {words.values({ count: statistics.count })}, {words.bins({ bins: bins.length })}
        </span>
        <span>{figureText(max)}</span>
      </figcaption>
      <Figures statistics={statistics} old={old} />
    </figure>
  );
}

function Figures({ statistics, old }: Pick<HistogramProps, "statistics" | "old">): ReactElement {
  const { count, nan, positiveInfinity, negativeInfinity, zeros, finite } = statistics;
  const infinite = positiveInfinity + negativeInfinity;
  const figure = (value: number | undefined) => (value === undefined ? "–" : figureText(value));
  const figures: readonly (readonly [name: string, value: ReactNode, bad?: boolean])[] = [
    [words.figures.min, figure(finite?.min)],
    [words.figures.max, figure(finite?.max)],
    [words.figures.mean, figure(finite?.mean)],
    [words.figures.std, figure(finite?.std)],
    [words.figures.zeros, percentText(zeros, count)],
    ["NaN, Inf", `${numberText(nan)}, ${numberText(infinite)}`, nan + infinite > 0],
  ];
  return (
    <dl className={classNames(styles.figures, old && styles.old)}>
      {figures.map(([name, value, bad]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className={bad ? styles.bad : undefined}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** "0.1%"; never 0% for some, nor 100% for not all. */
function percentText(part: number, whole: number): string {
  if (part === 0 || whole === 0) return "0%";
  const percent = (100 * part) / whole;
  if (percent < 0.1) return "<0.1%";
  if (part < whole && percent > 99.9) return ">99.9%";
  return `${Number(percent.toFixed(1))}%`;
}
