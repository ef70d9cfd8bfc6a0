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
import { sentBetweenTasks } from "../stores/device-copies.js";
import { useDocument } from "../stores/document-store.js";
import { useDrag } from "../stores/drag-store.js";
import { useKernels } from "../stores/kernel-store.js";
import { useReachability } from "../stores/reachability-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { useRuntime } from "../stores/runtime-store.js";
import { useSamples } from "../stores/samples-store.js";
import { useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { durationText, stepText, totalBytesText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { bold } from "../ui/rich-parts.js";
import { StatusDot } from "../ui/status-dot.js";
import textStyles from "../ui/text.module.css";
import styles from "./status-bar.module.css";

const words = texts.app.statusBar;

/** Counts and totals. Problems are shown where they belong; here they are only counted. */
export function StatusBar(): ReactElement {
  const dragStatus = useDrag((state) => state.status);
  const explanation = useUi((state) => state.explanation);
  const said = dragStatus ?? explanation;
  return (
    <footer className={styles.status} data-panel-name="status" tabIndex={-1}>
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
        {words.clusterNotKnown}
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
    <span className={styles.yielding} title={words.traffic}>
      {traffic}
    </span>
  );
}

function RunStatus(): ReactElement {
  const run = useDocumentRun((state) => state.latest);
  const old = useBeforeEdit();
  if (run?.stepMillis === undefined)
    return <span className={textStyles.muted}>{endText(run) ?? words.notRunYet}</span>;
  const end = endText(run);
  const sent = sentBetweenTasks(run.transfers);
  return (
    <>
      <span
        className={old ? textStyles.muted : undefined}
        title={old ? words.measuredBefore : words.measured}
      >
        {words.stepTime({ step: stepText(run.step), time: durationText(run.stepMillis), b: bold })}
        {run.stepRegisteredGraph ? <span className={textStyles.muted}>{words.firstStep}</span> : null}
        {old ? words.beforeEdit : null}
      </span>
      {end === undefined ? null : <span className={styles.yielding}>{end}</span>}
      {run.tracedStep !== undefined && sent.length > 0 ? (
        <span className={classNames(styles.yielding, old && textStyles.muted)} title={words.traced}>
          {words.sent({
            step: stepText(run.tracedStep),
            bytes: totalBytesText(sent.map(({ bytes }) => bytes)),
          })}
        </span>
      ) : null}
    </>
  );
}

/** How a run ended that did not do all its steps. */
export function endText(run: RunUpdate | undefined): string | undefined {
  if (run?.state !== "stopped" && run?.state !== "failed") return undefined;
  const stopped = run.state === "stopped";
  if (run.step === 0) return stopped ? words.stoppedInFirst : words.failedInFirst;
  return (stopped ? words.stoppedAfter : words.failedAfter)({ step: run.step, steps: run.steps });
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
          {words.problems({ count })}
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
          {words.withoutKernel({ count })}
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
      {(runtime.gpu ? words.gpuEngine : words.cpuEngine)({ version: runtime.version })}
    </span>
  ) : (
    <span className={styles.yielding} title={words.portableOrigin}>
      {words.portableEngine}
    </span>
  );
}

function SavedStatus(): ReactElement {
  const dirty = useDocument((state) => state.dirty);
  const path = useDocument((state) => state.document.path);
  const connected = useApp((state) => state.connection === "connected");
  if (!connected) return <span>{words.notConnected}</span>;
  return <span>{dirty ? words.edited : path === undefined ? words.notSavedYet : words.saved}</span>;
}
