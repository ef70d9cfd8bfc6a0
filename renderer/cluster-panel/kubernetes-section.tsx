import { type ReactElement, useMemo } from "react";
import type { Machine } from "../../main/api/cluster.js";
import type { KubeTask } from "../../main/api/kubernetes.js";
import { pinCounts } from "../actions/graph-tasks.js";
import { runGraphsOn } from "../actions/kubernetes-actions.js";
import { taskName } from "../cluster/task-name.js";
import { kubernetesCommands } from "../commands/cluster-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { useDocument } from "../stores/document-store.js";
import { useKubernetes } from "../stores/kubernetes-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { bytesText } from "../ui/format.js";
import { StatusDot, type StatusDotKind } from "../ui/status-dot.js";
import textStyles from "../ui/text.module.css";
import { openRowMenu } from "./cluster-tree.js";
import styles from "./kubernetes-section.module.css";
import { TaskRow } from "./task-row.js";

const words = texts.clusterPanel.kubernetesSection;

const DOTS: Partial<Record<KubeTask["state"], StatusDotKind>> = {
  running: "ok",
  failed: "error",
  unresponsive: "warning",
};

/** The tasks in Kubernetes, while there is a connection to it. Nodes can be dropped on those that graphs run on. */
export function KubernetesSection(): ReactElement | null {
  const { connection, clusters, problem, used, measuresLoad = true } = useKubernetes();
  if (connection === undefined) return null;
  const tasks = clusters.flatMap((cluster) => cluster.tasks);
  const others = tasks.filter(({ cluster }) => cluster !== used?.cluster);
  return (
    <section className={styles.section} aria-label={words.heading(connection)}>
      <div className={styles.head}>
        <h3>{words.heading(connection)}</h3>
        <span className={textStyles.grow} />
        <CommandButton command={kubernetesCommands.open} size="small" />
      </div>
      {problem ? <ProblemView problem={problem} kind="notice" /> : null}
      <p className={textStyles.muted}>
        {words.counts({
          running: tasks.filter(({ state }) => state === "running").length,
          tasks: tasks.length,
        })}
      </p>
      {used ? <UsedCluster cluster={used.cluster} machines={used.machines} tasks={tasks} /> : null}
      <ul className={styles.tasks}>
        {others.map((task) => (
          <li key={task.pod}>
            <StatusDot kind={DOTS[task.state] ?? "off"} />
            <span className={textStyles.truncated}>
              {words.task({ cluster: task.cluster, job: task.job, index: String(task.index) })}
            </span>
            <span className={textStyles.grow} />
            <span className={textStyles.muted}>{loadText(task)}</span>
            <span className={textStyles.muted}>{texts.cluster.taskStates[task.state]}</span>
            <span className={textStyles.muted}>{task.node ?? ""}</span>
          </li>
        ))}
      </ul>
      {tasks.length > 0 && !measuresLoad ? <p className={textStyles.muted}>{words.noLoad}</p> : null}
    </section>
  );
}

interface UsedClusterProps {
  readonly cluster: string;
  /** The nodes. */
  readonly machines: readonly Machine[];
  readonly tasks: readonly KubeTask[];
}

/** The tasks that graphs run on, as those of the machines are shown. */
function UsedCluster({ cluster, machines, tasks }: UsedClusterProps): ReactElement {
  const nodes = useDocument((store) => store.document.nodes);
  const counts = useMemo(() => pinCounts(nodes), [nodes]);
  const noteOf = (machine: Machine, pod: string | undefined) => {
    const load = loadText(tasks.find((task) => task.pod === pod));
    return [machine.name, load].filter((part) => part !== undefined).join(" · ");
  };
  return (
    <>
      <div className={styles.head}>
        <b className={textStyles.truncated}>{words.used({ cluster })}</b>
        <span className={textStyles.grow} />
        <Button size="small" title={words.leaveTitle} onClick={() => attempt(() => runGraphsOn(undefined))}>
          {words.leave}
        </Button>
      </div>
      <div
        className={styles.used}
        role="tree"
        aria-label={words.tasksOf({ cluster })}
        onKeyDown={(event) => void openRowMenu(event)}
      >
        {machines.flatMap((machine) =>
          machine.tasks.map((task) => (
            <TaskRow
              key={task.id}
              task={task}
              machine={machine}
              nodes={counts.get(taskName(task)) ?? 0}
              note={noteOf(machine, task.pod)}
              focusable
              onFocus={() => undefined}
            />
          )),
        )}
      </div>
    </>
  );
}

function loadText(task: KubeTask | undefined): string | undefined {
  const usage = task?.usage;
  return usage && words.load({ cores: usage.cores.toFixed(2), memory: bytesText(usage.memoryBytes) });
}
