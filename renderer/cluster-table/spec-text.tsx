import type { ReactElement } from "react";
import { clusterJson } from "../../worker-runtime/cluster/cluster-exchange.js";
import { clusterOfRows, type RowProblem } from "../../worker-runtime/cluster/cluster-table.js";
import { type DraftRow, tableRows } from "../cluster/table-draft.js";
import { texts } from "../texts/texts.js";
import { CopyButton } from "../ui/copy-button.js";
import textStyles from "../ui/text.module.css";
import styles from "./text-view.module.css";

const words = texts.clusterTable.specText;

interface SpecTextProps {
  readonly rows: readonly DraftRow[];
  readonly problems: readonly RowProblem[];
}

/** The rows that can be used as a ClusterSpec, and a sentence that names the ones that were left out. */
export function usableCluster({ rows, problems }: SpecTextProps) {
  const bad = new Set(problems.map(({ row }) => row));
  const left = rows.filter((row, position) => bad.has(position) || row.address === "");
  const names = left.map(({ job, index }) => `${job}/${index}`);
  return {
    cluster: clusterOfRows(tableRows(rows.filter((row) => !left.includes(row)))),
    leftOut: names.length === 0 ? undefined : words.leftOut({ names: names.join(", ") }),
  };
}

/** The table as the ClusterSpec that TensorFlow gets. */
export function SpecText(props: SpecTextProps): ReactElement {
  const { cluster, leftOut } = usableCluster(props);
  const text = clusterJson(cluster);
  return (
    <div className={styles.view}>
      <CopyButton text={text} />
      <pre className={textStyles.monospace}>{text}</pre>
      {leftOut ? <p className={textStyles.muted}>{leftOut}</p> : null}
    </div>
  );
}
