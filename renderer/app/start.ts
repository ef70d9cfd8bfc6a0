/** From an empty page to a window that shows its application's state and follows it. */

import type { ApplicationClient } from "../../main/api/contract.js";
import { setClient } from "../client.js";
import { listenToKeyboard } from "../commands/keyboard.js";
import { attempt, showProblem, useApp } from "../stores/app-store.js";
import { machinesOf, receiveCluster, useCluster } from "../stores/cluster-store.js";
import { openFirstDocument } from "../stores/file-actions.js";
import { receiveFirewall } from "../stores/firewall-store.js";
import { watchKernels } from "../stores/kernel-store.js";
import { catchUpLog, receiveLog } from "../stores/logs-store.js";
import { loadOps } from "../stores/ops-store.js";
import { receivePairing } from "../stores/pairing-store.js";
import { receiveReachability } from "../stores/reachability-store.js";
import { receiveRun, reviewOffers } from "../stores/run-actions.js";
import { receiveRuntime, useRuntime } from "../stores/runtime-store.js";
import { receiveSettings } from "../stores/settings-store.js";
import { connect } from "../transport/connect.js";
import type { Refusal } from "../transport/session.js";
import { returnFocusAfterDialogs } from "./return-focus.js";
import { guardUnload } from "./unload-guard.js";
import { showTitle } from "./window-title.js";

function refuse(refusal: Refusal): void {
  useApp.setState({ connection: "refused", refusal });
}

/** Connects, and keeps the stores in step with the application from then on. Never rejects. */
export async function start(): Promise<void> {
  const connection = await connect(() => refuse("ended"));
  if (!connection.ok) {
    refuse(connection.refusal);
    return;
  }
  const { client } = connection;
  setClient(client);
  follow(client);
  watchKernels();
  listenToKeyboard();
  guardUnload();
  returnFocusAfterDialogs();
  showTitle();
  try {
    await Promise.all([openFirstDocument(), loadOps()]);
  } catch (error) {
    showProblem(error);
  }
}

function follow(client: ApplicationClient): void {
  client.on("cluster", (state) => {
    receiveCluster(state);
    reviewOffers();
    fetchNewLogs();
  });
  client.on("taskLog", ({ taskId, lines }) => receiveLog(taskId, lines));
  client.on("runtime", (state) => {
    const before = useRuntime.getState().state?.runtime?.path;
    receiveRuntime(state);
    // Another library has other ops.
    if (state.runtime !== undefined && state.runtime.path !== before) void loadOps();
  });
  client.on("run", receiveRun);
  client.on("settings", receiveSettings);
  client.on("pairing", receivePairing);
  client.on("reachability", receiveReachability);
  client.on("firewall", receiveFirewall);
  client.onConnection((connected) => {
    if (connected) {
      useApp.setState({ connection: "connected" });
      attempt(() => synchronise(client));
    } else if (useApp.getState().connection === "connected") {
      useApp.setState({ connection: "lost" });
    }
  });
}

/** After every connection: what happened meanwhile came as events to nobody. */
async function synchronise(client: ApplicationClient): Promise<void> {
  const [info, settings, cluster, runtime, run] = await Promise.all([
    client.call("app.info"),
    client.call("settings.get"),
    client.call("cluster.get"),
    client.call("runtime.get"),
    client.call("runs.latest"),
  ]);
  useApp.setState({ info });
  receiveSettings(settings);
  receiveCluster(cluster);
  receiveRuntime(runtime);
  if (run !== undefined) receiveRun(run);
  knownLogs.clear();
  fetchNewLogs();
  // What lies over the window waits for what the window itself needs.
  const [pairing, reachability, firewall] = await Promise.all([
    client.call("pairing.get"),
    client.call("reachability.get"),
    client.call("firewall.get"),
  ]);
  receivePairing(pairing);
  receiveReachability(reachability);
  receiveFirewall(firewall);
}

const knownLogs = new Set<string>();

/**
 * A task that this window did not know may have written lines before the window listened. Those of a machine that is away
 * are fetched when it is back.
 */
function fetchNewLogs(): void {
  const reachable = machinesOf(useCluster.getState()).filter(({ presence }) => presence === "online");
  for (const { id } of reachable.flatMap(({ tasks }) => tasks)) {
    if (knownLogs.has(id)) continue;
    knownLogs.add(id);
    attempt(() => catchUpLog(id));
  }
}
