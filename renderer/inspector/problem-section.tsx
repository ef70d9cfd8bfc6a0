import type { ReactElement } from "react";
import type { Problem } from "../../main/api/problem.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { InitialiseButton } from "../canvas/initialise-button.js";
import { isUninitialised } from "../document/initialisers.js";
import { taskNameOfDevice, useCluster } from "../stores/cluster-store.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { useRun } from "../stores/run-store.js";
import { Icon } from "../ui/icon.js";

/** What keeps the node from running, why, and what to do. */
export function ProblemSection({ node }: { node: NodeDef }): ReactElement | null {
  const problems = useDocument((state) => state.problems.get(node.name));
  const revision = useDocument((state) => state.revision);
  const failure = useRun((state) =>
    state.latest?.state === "failed" &&
    state.latest.problem?.node === node.name &&
    state.runRevision === revision
      ? state.latest.problem
      : undefined,
  );
  const task = taskNameOfDevice(node.device);
  const unknownTask = useCluster(
    (state) =>
      state.state !== undefined && task !== undefined && state.taskForDevice(node.device) === undefined,
  );
  if (!problems && !failure && !unknownTask) return null;
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
          {isUninitialised(failure) ? <InitialiseButton className="btn sm" /> : null}
        </Card>
      ) : null}
      {unknownTask ? (
        <Card
          problem={{
            code: "NOT_FOUND",
            message: `The cluster has no task ${task ?? ""}.`,
            remedy: "Add a worker, or pin the node to another task.",
          }}
        >
          <button type="button" className="btn sm" onClick={() => documentActions.pin([node.name], "")}>
            Unpin {node.name}
          </button>
        </Card>
      ) : null}
    </div>
  );
}

function Card({ problem, children }: { problem: Problem; children?: React.ReactNode }): ReactElement {
  return (
    <div className="errc" role="alert">
      <Icon name="close" />
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
