import type { ReactElement } from "react";
import type { Problem } from "../../main/api/problem.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { wayOut } from "../actions/kernel-actions.js";
import { taskNameOfDevice } from "../cluster/task-name.js";
import { nodesCommands } from "../commands/node-commands.js";
import { runCommands } from "../commands/run-commands.js";
import { isUninitialised } from "../document/initialisers.js";
import { CommandButton } from "../parts/command-button.js";
import { attempt } from "../stores/app-store.js";
import { useCluster } from "../stores/cluster-store.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { missingAt, useKernels } from "../stores/kernel-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { useRuntime } from "../stores/runtime-store.js";
import { Icon } from "../ui/icon.js";

/** What keeps the node from running, why, and what to do. */
export function ProblemSection({ node }: { node: NodeDef }): ReactElement | null {
  const problems = useDocument((state) => state.problems.get(node.name));
  const revision = useDocument((state) => state.revision);
  const failure = useDocumentRun((state) =>
    state.latest?.state === "failed" &&
    state.latest.problem?.node === node.name &&
    state.runRevision === revision
      ? state.latest.problem
      : undefined,
  );
  const withoutKernel = useKernels((state) => state.missing.nodes.has(node.name));
  const task = taskNameOfDevice(node.device);
  const unknownTask = useCluster(
    (state) =>
      state.state !== undefined && task !== undefined && state.taskForDevice(node.device) === undefined,
  );
  if (!problems && !failure && !unknownTask && !withoutKernel) return null;
  return (
    <div className="sec problems">
      {problems?.map((problem) => (
        <Card key={problem.message} problem={problem}>
          {problem.short === "dtypes differ" && problem.input !== undefined ? (
            <button
              type="button"
              className="btn sm"
              onClick={() => documentActions.insertCast(node.name, problem.input ?? 0)}
            >
              Insert a Cast
            </button>
          ) : null}
        </Card>
      ))}
      {failure ? (
        <Card problem={failure}>
          {isUninitialised(failure) ? <CommandButton command={runCommands.initialise} size="small" /> : null}
        </Card>
      ) : null}
      {withoutKernel ? <KernelCard name={node.name} /> : null}
      {unknownTask ? (
        <Card
          problem={{
            code: "NOT_FOUND",
            message: `The cluster has no task ${task ?? ""}.`,
            remedy: "Add a worker, or pin the node to another task.",
          }}
        >
          <CommandButton command={nodesCommands.unpin} target={[node.name]} text="named" size="small" />
        </Card>
      ) : null}
    </div>
  );
}

/** That the node's task has no kernel for it, with the way out for this node alone. */
function KernelCard({ name }: { name: string }): ReactElement | null {
  const problem = useKernels((state) => state.missing.nodes.get(name));
  const onTask = useKernels(() => missingAt(name));
  // The suggested fix depends on the current cluster and machine.
  useCluster((state) => state.tasks.length);
  useRuntime((state) => state.state?.offer);
  if (!problem || !onTask) return null;
  const action = wayOut({ ...onTask, movable: onTask.movable.filter((one) => one === name) });
  return (
    <Card problem={problem} kind="notice">
      {action ? (
        <button type="button" className="btn sm" onClick={() => attempt(() => action.run())}>
          {action.label}
        </button>
      ) : null}
    </Card>
  );
}

interface CardProps {
  readonly problem: Problem;
  /** notice: what does not keep the node from being run. */
  readonly kind?: "problem" | "notice";
  readonly children?: React.ReactNode;
}

function Card({ problem, kind = "problem", children }: CardProps): ReactElement {
  const isNotice = kind === "notice";
  return (
    <div className={isNotice ? "errc notice" : "errc"} role={isNotice ? "status" : "alert"}>
      <Icon name={isNotice ? "warning" : "close"} />
      <div>
        <b>{problem.message}</b>
        {problem.reason ? <p>{problem.reason}</p> : null}
        {problem.remedy ? <p>{problem.remedy}</p> : null}
        {problem.details ? (
          <details>
            <summary>Details</summary>
            <pre className="mono">{problem.details}</pre>
          </details>
        ) : null}
        {children}
      </div>
    </div>
  );
}
