import { type ReactElement, useState } from "react";
import type { Result } from "../../main/api/contract.js";
import type { KubernetesState, KubeTask } from "../../main/api/kubernetes.js";
import {
  deleteKubernetesCluster,
  endForward,
  forwardPod,
  runGraphsOn,
  scaleJob,
} from "../actions/kubernetes-actions.js";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { useKubernetes } from "../stores/kubernetes-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { Button } from "../ui/button.js";
import { CopyButton } from "../ui/copy-button.js";
import { bytesText } from "../ui/format.js";
import { IconButton } from "../ui/icon-button.js";
import { StatusDot, type StatusDotKind } from "../ui/status-dot.js";
import textStyles from "../ui/text.module.css";
import styles from "./cluster-view.module.css";

const words = texts.kubernetes.clusterView;

type Cluster = KubernetesState["clusters"][number];

/** A cluster with its jobs, which can be scaled, and its tasks. */
export function ClusterView({ cluster }: { readonly cluster: Cluster }): ReactElement {
  const { name, jobs, tasks } = cluster;
  const isUsed = useKubernetes(({ used }) => used?.cluster === name);
  return (
    <section className={styles.cluster} aria-label={name}>
      <div className={styles.head}>
        <h3>{name}</h3>
        <Button
          size="small"
          aria-pressed={isUsed}
          title={words.useTitle({ cluster: name })}
          onClick={() => attempt(() => runGraphsOn(isUsed ? undefined : name))}
        >
          {isUsed ? words.used : words.use}
        </Button>
        <span className={textStyles.grow} />
        {jobs.map(({ job, replicas }) => (
          <span key={job} className={styles.job}>
            <IconButton
              icon="minus"
              small
              label={words.fewer({ job })}
              disabled={replicas <= 1}
              onClick={() => attempt(() => scaleJob(name, job, replicas - 1))}
            />
            {words.job({ job, replicas })}
            <IconButton
              icon="plus"
              small
              label={words.more({ job })}
              onClick={() => attempt(() => scaleJob(name, job, replicas + 1))}
            />
          </span>
        ))}
        <IconButton
          icon="trash"
          label={words.delete({ cluster: name })}
          onClick={() => attempt(() => deleteKubernetesCluster(name))}
        />
      </div>
      <ul className={styles.tasks} aria-label={words.tasks({ cluster: name })}>
        {tasks.map((task) => (
          <TaskItem key={task.pod} task={task} />
        ))}
      </ul>
    </section>
  );
}

const DOTS: Partial<Record<KubeTask["state"], StatusDotKind>> = {
  running: "ok",
  failed: "error",
  unresponsive: "warning",
};

type Log = Result<"kubernetes.log">;

/** Newest lines that are shown. */
const LOG_LINES = 200;

function TaskItem({ task }: { readonly task: KubeTask }): ReactElement {
  const [log, setLog] = useState<Log>();
  const { pod, job, index, state, node, restarts, usage, target } = task;
  const name = `${job}/${index}`;
  const readLog = async () => setLog(await client().call("kubernetes.log", { pod, lines: LOG_LINES }));
  const problem = task.problem ?? task.forwardProblem;
  return (
    <li>
      <div className={styles.task}>
        <StatusDot kind={DOTS[state] ?? "off"} />
        <b>{name}</b>
        <span>{texts.cluster.taskStates[state]}</span>
        <span className={textStyles.muted}>{node ?? words.noNode}</span>
        {usage ? (
          <span className={textStyles.muted}>
            {words.load({ cores: usage.cores.toFixed(2), memory: bytesText(usage.memoryBytes) })}
          </span>
        ) : null}
        {restarts > 0 ? (
          <span className={textStyles.warning}>{words.restarts({ count: restarts })}</span>
        ) : null}
        <span className={textStyles.grow} />
        {target ? (
          <>
            <code>{target}</code>
            <CopyButton text={target} />
            <IconButton
              icon="close"
              small
              label={words.endForward({ task: name })}
              onClick={() => attempt(() => endForward(pod))}
            />
          </>
        ) : (
          <Button size="small" disabled={state !== "running"} onClick={() => attempt(() => forwardPod(pod))}>
            {words.forward}
          </Button>
        )}
        <Button
          size="small"
          aria-expanded={log !== undefined}
          onClick={() => (log === undefined ? attempt(readLog) : setLog(undefined))}
        >
          {log === undefined ? words.log : words.hideLog}
        </Button>
      </div>
      {problem ? <ProblemView problem={problem} kind="notice" /> : null}
      {log ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
        <section className={styles.log} aria-label={words.logOf({ task: name })} tabIndex={0}>
          <pre>{log.length === 0 ? words.emptyLog : log.map(({ text }) => text).join("\n")}</pre>
        </section>
      ) : null}
    </li>
  );
}
