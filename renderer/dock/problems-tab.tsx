import { type ReactElement, useMemo, useRef } from "react";
import type { Task } from "../../main/api/cluster.js";
import type { Problem } from "../../main/api/problem.js";
import { taskName } from "../cluster/task-name.js";
import { taskCommands } from "../commands/task-commands.js";
import { type NodeProblem, problemsInOrder } from "../document/problems.js";
import type { MissingOnTask } from "../kernels/missing-kernels.js";
import { CommandButton } from "../parts/command-button.js";
import { ProblemFixes, ProblemJump } from "../parts/problem-fixes.js";
import { ProblemView } from "../parts/problem-view.js";
import type { PinProblem } from "../placement/pin-problems.js";
import { useCluster } from "../stores/cluster-store.js";
import { useDocument } from "../stores/document-store.js";
import { useShownFunction } from "../stores/function-bodies.js";
import { useKernels } from "../stores/kernel-store.js";
import { usePinProblems } from "../stores/pin-problem-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { EmptyText } from "../ui/empty-text.js";
import textStyles from "../ui/text.module.css";
import { useVirtualRows } from "../ui/use-virtual-rows.js";
import { showInGraph } from "../viewport/travel.js";
import { MissingKernelsRow } from "./missing-kernels-row.js";
import { PinProblemRow } from "./pin-problem-row.js";
import styles from "./problems-tab.module.css";
import { ScrollRegion } from "./scroll-region.js";

const words = texts.dock.problemsTab;

/** The height of a problem in one line; others are measured. */
const ROW_HEIGHT = 61;

interface Row {
  readonly key: string;
  readonly where: string;
  readonly problem: Problem;
  readonly node?: string;
  /** The problem of the graph, which may have a fix. */
  readonly found?: NodeProblem;
  readonly task?: Task;
}

/** All current problems, each with a link to its node or setting. */
export default function ProblemsTab(): ReactElement {
  const problems = useDocument((state) => state.problems);
  const nodes = useDocument((state) => state.document.nodes);
  const inGraph = useMemo(() => problemsInOrder(problems, nodes), [problems, nodes]);
  const tasks = useCluster((state) => state.tasks);
  const missing = useKernels((state) => state.missing.tasks);
  const run = useDocumentRun((state) => state.latest);
  const rows: Row[] = [];
  for (const [node, list] of inGraph)
    for (const [index, problem] of list.entries())
      rows.push({ key: `${node} ${index}`, where: node, problem, node, found: problem });
  for (const task of tasks)
    if (task.problem) rows.push({ key: task.id, where: taskName(task), problem: task.problem, task });
  if (run?.problem) rows.push({ key: run.runId, where: words.newestRun, problem: run.problem });
  const pins = usePinProblems((state) => state.problems);
  if (rows.length + missing.length + pins.length === 0) return <EmptyText>{words.none}</EmptyText>;
  return <ProblemList rows={rows} missing={missing} pins={pins} />;
}

interface ProblemListProps {
  readonly rows: readonly Row[];
  readonly missing: readonly MissingOnTask[];
  readonly pins: readonly PinProblem[];
}

/** Only visible rows are rendered: every node of a graph may have a problem. */
function ProblemList({ rows, missing, pins }: ProblemListProps): ReactElement {
  const frame = useRef<HTMLElement>(null);
  const count = rows.length + missing.length + pins.length;
  const { items, before, after, measure } = useVirtualRows(frame, count, ROW_HEIGHT);
  return (
    <ScrollRegion ref={frame} label={words.problems}>
      <ul className={styles.list} style={{ paddingTop: before, paddingBottom: after }}>
        {items.map(({ index }) => {
          const row = rows[index];
          const lacking = missing[index - rows.length];
          const position = { "data-index": index, "aria-posinset": index + 1, "aria-setsize": count };
          if (row) {
            return (
              <li className={styles.row} key={row.key} ref={measure} {...position}>
                <ProblemRow row={row} />
              </li>
            );
          }
          const pin = pins[index - rows.length - missing.length];
          if (pin) {
            return (
              <li className={styles.row} key={`pins ${pin.problem.message}`} ref={measure} {...position}>
                <PinProblemRow found={pin} />
              </li>
            );
          }
          return lacking ? (
            <li className={styles.row} key={`kernels ${lacking.task.name}`} ref={measure} {...position}>
              <MissingKernelsRow missing={lacking} />
            </li>
          ) : null;
        })}
      </ul>
    </ScrollRegion>
  );
}

function ProblemRow({ row: { where, problem, node, found, task } }: { readonly row: Row }): ReactElement {
  // A fix is made in the graph that is shown.
  const isWithin = useShownFunction() !== undefined;
  return (
    <>
      <span className={classNames(textStyles.muted, textStyles.truncated)}>{where}</span>
      <ProblemView problem={problem}>
        {found && !isWithin ? <ProblemFixes problem={found} /> : null}
        {found?.within && isWithin ? <ProblemJump within={found.within} /> : null}
        {node === undefined ? null : (
          <Button size="small" onClick={() => showInGraph([node])}>
            {words.showNode({ node })}
          </Button>
        )}
        {task === undefined ? null : (
          <CommandButton command={taskCommands.showLog} target={task} size="small" />
        )}
      </ProblemView>
    </>
  );
}
