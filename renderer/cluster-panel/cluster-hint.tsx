import { type ReactElement, useMemo } from "react";
import { missingTasks } from "../actions/graph-tasks.js";
import { taskName } from "../cluster/task-name.js";
import { type WantedCluster, wantedCluster } from "../cluster/wanted-cluster.js";
import { clusterCommands } from "../commands/cluster-commands.js";
import { machineCommands } from "../commands/machine-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { isUp, useCluster } from "../stores/cluster-store.js";
import { useDocument } from "../stores/document-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { listText } from "../ui/format.js";
import { bold } from "../ui/rich-parts.js";
import styles from "./cluster-hint.module.css";

const words = texts.clusterPanel.clusterHint;

/** The next sensible thing to do, in one sentence and one action; nothing once the cluster is in use. */
export function ClusterHint(): ReactElement | null {
  const tasks = useCluster((state) => state.tasks);
  const nodes = useDocument((state) => state.document.nodes);
  const isExample = useDocument((state) => state.document.path === undefined);
  const works = useDocumentRun((state) => state.latest?.state === "done");
  const run = useDocumentRun((state) => state.latest?.nodes);
  const ran = useMemo(() => new Set(run?.map(({ node }) => node)), [run]);
  const missing = useMemo(() => missingTasks(nodes, tasks), [nodes, tasks]);
  const state = useCluster((store) => store.state);
  const kept = useDocument((store) => store.document.cluster);
  const isElsewhere = useCluster((store) => store.nodes !== undefined);
  // Tasks in Kubernetes are neither added nor started here.
  const wanted = kept.length > 0 && state && !isElsewhere ? wantedCluster(state, kept) : undefined;

  if (wanted && wanted.names.length > 0) return <WantedHint wanted={wanted} />;
  const isNew = missing.names.filter((name) => !tasks.some((task) => taskName(task) === name));
  if (nodes.size > 0 && isNew.length > 0) {
    return (
      <div className={styles.hint}>
        <p>
          {(tasks.length === 0 ? words.readyAndGraphNames : words.graphNames)({
            tasks: listText(missing.names),
          })}
        </p>
        <CommandButton command={clusterCommands.startMissing} icon wide variant="primary" />
      </div>
    );
  }
  if (isElsewhere) return null;
  if (tasks.length === 0) {
    return (
      <div className={styles.hint}>
        <p>{words.ready}</p>
        <CommandButton command={machineCommands.addWorker} icon wide variant="strong" />
      </div>
    );
  }
  const last = [...nodes.values()].findLast(({ name, op }) => op !== "NoOp" && ran.has(name))?.name;
  // For a first look round; a user with a graph of their own knows what to do next.
  if (works && isExample && tasks.length === 2 && tasks.every(isUp) && last !== undefined) {
    return (
      <div className={styles.hint}>
        <p>{words.works({ b: bold, node: last })}</p>
        <CommandButton command={machineCommands.addWorker} icon wide variant="strong" />
      </div>
    );
  }
  return null;
}

/** Named one by one up to here; beyond, they are counted. */
const MOST_NAMED = 4;

/** The document was saved with a cluster, and some of its tasks are not here. */
function WantedHint({ wanted: { names, rows } }: { readonly wanted: WantedCluster }): ReactElement {
  const many = names.length > MOST_NAMED ? words.tasks({ count: names.length }) : listText(names);
  return (
    <div className={styles.hint}>
      <p>{(rows ? words.wanted : words.wantedNeedsChoice)({ tasks: many })}</p>
      {rows ? (
        <CommandButton command={clusterCommands.startWanted} icon wide variant="primary" />
      ) : (
        <CommandButton command={clusterCommands.table} wide variant="strong" />
      )}
    </div>
  );
}
