import { type ReactElement, useMemo } from "react";
import { attempt } from "../stores/app-store.js";
import { addWorker } from "../stores/cluster-actions.js";
import { isUp, taskName, useCluster } from "../stores/cluster-store.js";
import { useDocument } from "../stores/document-store.js";
import { missingTasks, startLabel, startMissing } from "../stores/graph-tasks.js";
import { useRun } from "../stores/run-store.js";
import { useRuntime } from "../stores/runtime-store.js";
import { useSettings } from "../stores/settings-store.js";
import { uiActions } from "../stores/ui-store.js";
import { Button } from "../ui/button.js";
import { listText } from "../ui/format.js";

/** The next sensible thing to do, in one sentence and one action; nothing once the cluster is in use. */
export function ClusterHint(): ReactElement | null {
  const tasks = useCluster((state) => state.tasks);
  const nodes = useDocument((state) => state.document.nodes);
  const runtime = useRuntime((state) => state.state);
  const bannerClosed = useSettings((state) => state.settings.runtimeBannerDismissed);
  const isExample = useDocument((state) => state.document.path === undefined);
  const works = useRun((state) => state.latest?.state === "done");
  const missing = useMemo(() => missingTasks(nodes.values(), tasks), [nodes, tasks]);

  if (runtime !== undefined && runtime.runtime === undefined) {
    // The banner above the canvas makes the same offer until it is closed.
    if (!bannerClosed || tasks.length > 0 || !runtime.offer || runtime.progress) return null;
    return (
      <div className="addbig">
        <p>Tasks need a TensorFlow runtime, which this machine does not have yet.</p>
        <Button wide variant="strong" icon="download" onClick={() => uiActions.open({ kind: "install" })}>
          Install TensorFlow runtime…
        </Button>
      </div>
    );
  }
  const isNew = missing.names.filter((name) => !tasks.some((task) => taskName(task) === name));
  if (nodes.size > 0 && isNew.length > 0) {
    return (
      <div className="addbig">
        <p>
          {tasks.length === 0 ? "This machine is ready. " : ""}
          The graph names {listText(missing.names)}.
        </p>
        <Button
          wide
          variant="primary"
          icon="power"
          onClick={() => attempt(async () => void (await startMissing(missing)))}
        >
          {startLabel(missing)}
        </Button>
      </div>
    );
  }
  if (tasks.length === 0) {
    return (
      <div className="addbig">
        <p>This machine is ready.</p>
        <Button wide variant="strong" icon="plus" onClick={() => attempt(() => addWorker())}>
          Add worker
        </Button>
      </div>
    );
  }
  const [last] = [...nodes.keys()].slice(-1);
  // For a first look round; a user with a graph of their own knows what to do next.
  if (works && isExample && tasks.length === 2 && tasks.every(isUp) && last !== undefined) {
    return (
      <div className="addbig">
        <p>
          <b>It works.</b> Add a third worker and drag {last} onto it, or onto another task, to move it.
        </p>
        <Button wide variant="strong" icon="plus" onClick={() => attempt(() => addWorker())}>
          Add worker
        </Button>
      </div>
    );
  }
  return null;
}
