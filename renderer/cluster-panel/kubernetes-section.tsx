import type { ReactElement } from "react";
import type { KubeTask } from "../../main/api/kubernetes.js";
import { kubernetesCommands } from "../commands/cluster-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { ProblemView } from "../parts/problem-view.js";
import { useKubernetes } from "../stores/kubernetes-store.js";
import { texts } from "../texts/texts.js";
import { StatusDot, type StatusDotKind } from "../ui/status-dot.js";
import textStyles from "../ui/text.module.css";
import styles from "./kubernetes-section.module.css";

const words = texts.clusterPanel.kubernetesSection;

const DOTS: Partial<Record<KubeTask["state"], StatusDotKind>> = {
  running: "ok",
  failed: "error",
  unresponsive: "warning",
};

/** The tasks in Kubernetes, while there is a connection to it. */
export function KubernetesSection(): ReactElement | null {
  const { connection, clusters, problem } = useKubernetes();
  if (connection === undefined) return null;
  const tasks = clusters.flatMap((cluster) => cluster.tasks);
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
      <ul className={styles.tasks}>
        {tasks.map(({ pod, cluster, job, index, state, node = "" }) => (
          <li key={pod}>
            <StatusDot kind={DOTS[state] ?? "off"} />
            <span className={textStyles.truncated}>{words.task({ cluster, job, index: String(index) })}</span>
            <span className={textStyles.grow} />
            <span className={textStyles.muted}>{texts.cluster.taskStates[state]}</span>
            <span className={textStyles.muted}>{node}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
