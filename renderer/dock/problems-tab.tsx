import type { ReactElement } from "react";
import type { Problem } from "../../main/api/problem.js";
import { taskName } from "../cluster/task-name.js";
import { ProblemView } from "../parts/problem-view.js";
import { useCluster } from "../stores/cluster-store.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { useKernels } from "../stores/kernel-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { uiActions } from "../stores/ui-store.js";
import { Button } from "../ui/button.js";
import { revealNode } from "../viewport/view.js";
import { MissingKernelsRow } from "./missing-kernels-row.js";

interface Row {
  readonly key: string;
  readonly where: string;
  readonly problem: Problem;
  readonly node?: string;
  readonly taskId?: string;
}

/** Everything that is wrong now, each with the way to where it is. */
export default function ProblemsTab(): ReactElement {
  const problems = useDocument((state) => state.problems);
  const tasks = useCluster((state) => state.tasks);
  const missing = useKernels((state) => state.missing.tasks);
  const run = useDocumentRun((state) => state.latest);
  const rows: Row[] = [];
  for (const [node, list] of problems)
    for (const [index, problem] of list.entries())
      rows.push({ key: `${node} ${index}`, where: node, problem, node });
  for (const task of tasks)
    if (task.problem)
      rows.push({ key: task.id, where: taskName(task), problem: task.problem, taskId: task.id });
  if (run?.problem) rows.push({ key: run.runId, where: "newest run", problem: run.problem });
  if (rows.length + missing.length === 0)
    return <p className="empty">No problems in the graph, the tasks or the newest run.</p>;
  return (
    <ul className="problem-list dock-scroll">
      {rows.map(({ key, where, problem, node, taskId }) => (
        <li key={key}>
          <span className="fg2 ell">{where}</span>
          <ProblemView problem={problem}>
            {node === undefined ? null : (
              <Button
                size="small"
                onClick={() => {
                  documentActions.select([node]);
                  revealNode(node);
                }}
              >
                Show {node}
              </Button>
            )}
            {taskId === undefined ? null : (
              <Button size="small" onClick={() => uiActions.showLog(taskId)}>
                Show log
              </Button>
            )}
          </ProblemView>
        </li>
      ))}
      {missing.map((one) => (
        <MissingKernelsRow key={one.task.name} missing={one} />
      ))}
    </ul>
  );
}
