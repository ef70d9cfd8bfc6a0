/** The problems of a node, as cards: in the inspector, and under the node. */
import { createContext, type ReactElement, type ReactNode, useContext } from "react";
import type { Problem } from "../../main/api/problem.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { taskNameOfDevice } from "../cluster/task-name.js";
import { wayOutCommands } from "../commands/kernel-commands.js";
import { nodesCommands } from "../commands/node-commands.js";
import { runCommands } from "../commands/run-commands.js";
import { isUninitialised } from "../document/initialisers.js";
import type { NodeProblem } from "../document/problems.js";
import { useCluster } from "../stores/cluster-store.js";
import { useGraph } from "../stores/document-store.js";
import { missingAt, useGraphKernels } from "../stores/kernel-store.js";
import { useGraphRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { Icon } from "../ui/icon.js";
import textStyles from "../ui/text.module.css";
import { CommandButton } from "./command-button.js";
import styles from "./node-problems.module.css";
import { ProblemFixes } from "./problem-fixes.js";

const words = texts.parts.nodeProblems;

/** The problems of a node: before a run, in the newest one, or where it is pinned to. */
export interface NodeTrouble {
  readonly problems: readonly NodeProblem[];
  /** Why the newest run failed at it. */
  readonly failure: Problem | undefined;
  readonly withoutKernel: boolean;
  /** The cluster lacks the task that it is pinned to. */
  readonly unknownTask: boolean;
}

const Announced = createContext(true);

const NO_PROBLEMS: readonly NodeProblem[] = [];

/** Undefined for a node with which nothing is wrong. */
export function useNodeTrouble(node: NodeDef): NodeTrouble | undefined {
  const problems = useGraph((state) => state.problems.get(node.name)) ?? NO_PROBLEMS;
  const revision = useGraph((state) => state.revision);
  const failure = useGraphRun((state) =>
    state.latest?.state === "failed" &&
    state.latest.problem?.node === node.name &&
    state.runRevision === revision
      ? state.latest.problem
      : undefined,
  );
  const withoutKernel = useGraphKernels((state) => state.missing.nodes.has(node.name));
  const unknownTask = useCluster(
    (state) =>
      state.state !== undefined &&
      taskNameOfDevice(node.device) !== undefined &&
      state.taskForDevice(node.device) === undefined,
  );
  const isFine = problems.length === 0 && !failure && !unknownTask && !withoutKernel;
  return isFine ? undefined : { problems, failure, withoutKernel, unknownTask };
}

interface NodeProblemsProps {
  readonly node: NodeDef;
  readonly trouble: NodeTrouble;
  /** False where the same is announced elsewhere in the window. */
  readonly announced?: boolean;
}

/** The problem that keeps a node from running, why, and what to do, with buttons that do it. */
export function NodeProblems({ node, trouble, announced = true }: NodeProblemsProps): ReactElement {
  const { problems, failure, withoutKernel, unknownTask } = trouble;
  return (
    <Announced value={announced}>
      <div className={styles.problems}>
        {problems.map((problem) => (
          <Card key={problem.message} problem={problem}>
            <ProblemFixes problem={problem} />
          </Card>
        ))}
        {failure ? (
          <Card problem={failure}>
            {isUninitialised(failure) ? (
              <CommandButton command={runCommands.initialise} size="small" />
            ) : null}
          </Card>
        ) : null}
        {withoutKernel ? <KernelCard name={node.name} /> : null}
        {unknownTask ? (
          <Card
            problem={{
              code: "NOT_FOUND",
              message: words.noTask({
                task: taskNameOfDevice(node.device) ?? "",
              }),
              remedy: words.noTaskRemedy,
            }}
          >
            <CommandButton command={nodesCommands.unpin} target={[node.name]} text="named" size="small" />
          </Card>
        ) : null}
      </div>
    </Announced>
  );
}

/** That the node's task has no kernel for it, with the way out for this node alone. */
function KernelCard({ name }: { name: string }): ReactElement | null {
  const problem = useGraphKernels((state) => state.missing.nodes.get(name));
  const onTask = useGraphKernels(() => missingAt(name));
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
  readonly children?: ReactNode;
}

function Card({ problem, kind = "problem", children }: CardProps): ReactElement {
  const isNotice = kind === "notice";
  const announced = useContext(Announced);
  return (
    <div
      className={classNames(styles.card, isNotice && styles.notice)}
      role={announced ? (isNotice ? "status" : "alert") : undefined}
    >
      <Icon name={isNotice ? "warning" : "close"} />
      <div>
        <b>{problem.message}</b>
        {problem.reason ? <p>{problem.reason}</p> : null}
        {problem.remedy ? <p>{problem.remedy}</p> : null}
        {problem.details ? (
          <details>
            <summary>{texts.common.details}</summary>
            <pre className={textStyles.monospace}>{problem.details}</pre>
          </details>
        ) : null}
        {children}
      </div>
    </div>
  );
}
