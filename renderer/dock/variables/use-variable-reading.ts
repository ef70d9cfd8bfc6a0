import { useEffect } from "react";
import { readFigures } from "../../actions/variable-reading.js";
import { taskName } from "../../cluster/task-name.js";
import { variablesCommands } from "../../commands/variable-commands.js";
import { useApp } from "../../stores/app-store.js";
import { useCluster } from "../../stores/cluster-store.js";
import { useActiveSession } from "../../stores/document-session.js";
import { isActive, useRun } from "../../stores/run-store.js";
import { useVariables } from "../../stores/variable-store.js";

/**
 * Reads which variables have values when the tab is shown, when a run has ended and when tasks come or go, and then the
 * values of those that are in view.
 */
export function useVariableReading(inView: readonly string[]): void {
  const session = useActiveSession();
  const connected = useApp((state) => state.connection === "connected");
  const tasks = useCluster((state) =>
    JSON.stringify(state.tasks.map((task) => [taskName(task), task.state, task.id])),
  );
  const run = useRun(({ newest }) => (isActive(newest) ? undefined : (newest?.runId ?? "none")));
  const readAt = useVariables((state) => state.readAt);
  const key = JSON.stringify(inView);
  // biome-ignore lint/correctness/useExhaustiveDependencies: all of them change what variables hold
  useEffect(() => {
    // While a run goes on, the values are those of its beginning until it ends or the user asks for newer ones.
    if (connected && run !== undefined) variablesCommands.refresh.now().run();
  }, [session, connected, tasks, run]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the names
  useEffect(() => {
    if (connected) void readFigures(inView);
  }, [connected, key, readAt, session]);
}
