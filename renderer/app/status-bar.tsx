import type { ReactElement } from "react";
import type { RunUpdate } from "../../main/api/runs.js";
import { clusterHealth, offlineText, trafficText } from "../cluster/health.js";
import { failedText } from "../cluster/routes.js";
import { clusterCommands, linkCommands } from "../commands/cluster-commands.js";
import { settingsCommands } from "../commands/settings-commands.js";
import { viewCommands } from "../commands/view-commands.js";
import { CommandLink } from "../parts/command-button.js";
import { useApp, useUnseenSince } from "../stores/app-store.js";
import { useBeforeEdit } from "../stores/before-edit.js";
import { machinesOf, useCluster } from "../stores/cluster-store.js";
import { useDocument } from "../stores/document-store.js";
import { useDrag } from "../stores/drag-store.js";
import { useKernels } from "../stores/kernel-store.js";
import { useReachability } from "../stores/reachability-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { useRuntime } from "../stores/runtime-store.js";
import { useSamples } from "../stores/samples-store.js";
import { useUi } from "../stores/ui-store.js";
import { classNames } from "../ui/class-names.js";
import { countText, durationText, numberText, stepText, totalBytesText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { StatusDot } from "../ui/status-dot.js";
import textStyles from "../ui/text.module.css";
import styles from "./status-bar.module.css";

/** Counts and totals. Problems are shown where they belong; here they are only counted. */
export function StatusBar(): ReactElement {
  const dragStatus = useDrag((state) => state.status);
  const explanation = useUi((state) => state.explanation);
  const said = dragStatus ?? explanation;
  return (
    <footer className={styles.status} data-panel="status" tabIndex={-1}>
      {said === undefined ? (
        <>
          <ClusterStatus />
          <RunStatus />
          <LinkStatus />
        </>
      ) : (
        <span role="status">{said}</span>
      )}
      <ProblemCount />
      <KernelCount />
      <span className={styles.rest} />
      <EngineStatus />
      <SavedStatus />
      <CommandLink command={settingsCommands.otherTheme} spoken="label" icon />
    </footer>
  );
}

function ClusterStatus(): ReactElement {
  const tasks = useCluster((state) => state.tasks);
  const connected = useApp((state) => state.connection === "connected");
  const health = clusterHealth(tasks);
  if (!connected) {
    return (
      <span>
        <StatusDot kind="off" />
        Cluster not known while not connected
      </span>
    );
  }
  return (
    <span>
      <StatusDot kind={health.dot} />
      {health.text}
    </span>
  );
}

/** Routes that do not work, and the total traffic of the machines. */
function LinkStatus(): ReactElement {
  const failed = useReachability((state) => failedText(state.state?.routes ?? []));
  const offline = useCluster((state) => offlineText(machinesOf(state)));
  const open = useCluster((state) => state.state?.access === "open");
  const known = useUnseenSince() === undefined;
  return (
    <>
      {known ? <Traffic /> : null}
      {offline === undefined || !known ? null : (
        <span>
          <StatusDot kind="off" />
          {offline}
        </span>
      )}
      {failed === undefined ? null : (
        <CommandLink command={linkCommands.show} className={styles.warnings}>
          {() => (
            <>
              <Icon name="warning" size={13} />
              {failed}
            </>
          )}
        </CommandLink>
      )}
      {open ? <CommandLink command={clusterCommands.access} className={styles.warnings} icon /> : null}
    </>
  );
}

function Traffic(): ReactElement | null {
  const traffic = useSamples((state) => trafficText(state.machines));
  if (traffic === undefined) return null;
  return (
    <span
      className={styles.yielding}
      title="Total network traffic that the machines of the cluster are sending"
    >
      {traffic}
    </span>
  );
}

function RunStatus(): ReactElement {
  const run = useDocumentRun((state) => state.latest);
  const old = useBeforeEdit();
  if (run?.stepMillis === undefined)
    return <span className={textStyles.muted}>{endText(run) ?? "Not run yet"}</span>;
  const end = endText(run);
  return (
    <>
      <span
        className={old ? textStyles.muted : undefined}
        title={old ? "Measured before the last edit" : "As the client saw the newest step"}
      >
        {stepText(run.step)}: <b>{durationText(run.stepMillis)}</b>
        {run.stepRegisteredGraph ? <span className={textStyles.muted}>first, with set-up</span> : null}
        {old ? "before edit" : null}
      </span>
      {end === undefined ? null : <span className={styles.yielding}>{end}</span>}
      {run.tracedStep !== undefined && run.transfers.length > 0 ? (
        <span className={classNames(styles.yielding, old && textStyles.muted)} title="From the newest trace">
          {stepText(run.tracedStep)}: {totalBytesText(run.transfers.map(({ bytes }) => bytes))} between tasks
        </span>
      ) : null}
    </>
  );
}

/** How a run ended that did not do all its steps. */
export function endText(run: RunUpdate | undefined): string | undefined {
  if (run?.state !== "stopped" && run?.state !== "failed") return undefined;
  const word = run.state === "stopped" ? "Stopped" : "Failed";
  if (run.step === 0) return `${word} in the first step`;
  return `${word} after ${numberText(run.step)} of ${countText(run.steps, "step")}`;
}

function ProblemCount(): ReactElement | null {
  const inGraph = useDocument((state) => state.problems.size);
  const inTasks = useCluster((state) => state.tasks.filter(({ problem }) => problem !== undefined).length);
  const count = inGraph + inTasks;
  if (count === 0) return null;
  return (
    <CommandLink command={viewCommands.problems} text="label" className={styles.problems}>
      {() => (
        <>
          <Icon name="error" size={13} />
          {countText(count, "problem")}
        </>
      )}
    </CommandLink>
  );
}

function KernelCount(): ReactElement | null {
  const count = useKernels((state) => state.missing.nodes.size);
  if (count === 0) return null;
  return (
    <CommandLink command={viewCommands.problems} text="label" className={styles.warnings}>
      {() => (
        <>
          <Icon name="warning" size={13} />
          {countText(count, "node")} without a kernel
        </>
      )}
    </CommandLink>
  );
}

function EngineStatus(): ReactElement {
  const runtime = useRuntime((store) => store.state?.runtime);
  const loaded = useRuntime((store) => store.state !== undefined);
  if (!loaded) return <span />;
  return runtime ? (
    <span className={styles.yielding} title={`${runtime.path}\n${runtime.origin}`}>
      TensorFlow {runtime.version} {runtime.gpu ? "GPU" : "CPU"} engine
    </span>
  ) : (
    <span
      className={styles.yielding}
      title="Part of Tensordeck. No TensorFlow runtime was found on this machine."
    >
      Portable engine
    </span>
  );
}

function SavedStatus(): ReactElement {
  const dirty = useDocument((state) => state.dirty);
  const path = useDocument((state) => state.document.path);
  const connected = useApp((state) => state.connection === "connected");
  if (!connected) return <span>Not connected</span>;
  return <span>{dirty ? "Edited, not saved" : path === undefined ? "Not saved yet" : "Saved"}</span>;
}
