import { taskDeviceName } from "../../worker-runtime/cluster/device-name.js";
import { Channel } from "../../worker-runtime/rpc/channel.js";
import { masterClient } from "../../worker-runtime/rpc/master-client.js";
import { CONTROL_DEADLINE_MILLIS } from "../../worker-runtime/rpc/service-client.js";
import { workerClient } from "../../worker-runtime/rpc/worker-client.js";

/**
 * Clears the variables, queues and sessions of one server only.
 *
 * @param server Job and index under which the server was started.
 * @throws TensorFlowError UNAVAILABLE or DEADLINE_EXCEEDED when it does not answer.
 */
export async function clearServerState(
  address: string,
  server: { readonly job: string; readonly index: number },
): Promise<void> {
  const channel = new Channel(address);
  const options = { deadlineMillis: CONTROL_DEADLINE_MILLIS };
  try {
    // Without the filter a master clears every task of its cluster, and waits for each that is gone.
    const deviceFilters = [taskDeviceName(server)];
    await masterClient(channel).reset({ container: [], deviceFilters }, options);
    // Variables shared by a session with its own ClusterSpec are outside of what Reset clears.
    await workerClient(channel).cleanupAll({ container: [] }, options);
  } finally {
    channel.close();
  }
}
