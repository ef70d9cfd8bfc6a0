import type { ReactElement } from "react";
import type { Problem } from "../../main/api/problem.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { taskNameOfDevice } from "../cluster/task-name.js";
import { wayOutCommands } from "../commands/kernel-commands.js";
import { nodesCommands } from "../commands/node-commands.js";
import { runCommands } from "../commands/run-commands.js";
import { isUninitialised } from "../document/initialisers.js";
import { CommandButton } from "../parts/command-button.js";
import { ProblemFixes } from "../parts/problem-fixes.js";
import { Section } from "../parts/section.js";
import { useCluster } from "../stores/cluster-store.js";
import { useDocument } from "../stores/document-store.js";
import { missingAt, useKernels } from "../stores/kernel-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { classNames } from "../ui/class-names.js";
import { Icon } from "../ui/icon.js";
import textStyles from "../ui/text.module.css";
import styles from "./problem-section.module.css";

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
    <Section className={styles.problems}>
      {problems?.map((problem) => (
        <Card key={problem.message} problem={problem}>
          <ProblemFixes problem={problem} />
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
    </Section>
  );
}

/** That the node's task has no kernel for it, with the way out for this node alone. */
function KernelCard({ name }: { name: string }): ReactElement | null {
  const problem = useKernels((state) => state.missing.nodes.get(name));
  const onTask = useKernels(() => missingAt(name));
  if (!problem || !onTask) return null;
  const onNode = { ...onTask, movable: onTask.movable.filter((one) => one === name) };
  return (
    <Card problem={problem} kind="notice">
      <CommandButton command={wayOutCommands.best} target={onNode} size="small" />
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
    <div className={classNames(styles.card, isNotice && styles.notice)} role={isNotice ? "status" : "alert"}>
      <Icon name={isNotice ? "warning" : "close"} />
      <div>
        <b>{problem.message}</b>
        {problem.reason ? <p>{problem.reason}</p> : null}
        {problem.remedy ? <p>{problem.remedy}</p> : null}
        {problem.details ? (
          <details>
            <summary>Details</summary>
            <pre className={textStyles.monospace}>{problem.details}</pre>
          </details>
        ) : null}
        {children}
      </div>
    </div>
  );
}
