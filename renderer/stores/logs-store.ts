/** The output of the cluster's tasks, by task id. */
import { client } from "../transport/client.js";
import { useCluster } from "./cluster-store.js";
import { keptLogs } from "./kept-logs.js";

export const {
  useLogs,
  receive: receiveLog,
  catchUp: catchUpLog,
} = keptLogs((taskId, afterSequence) => {
  const pod = useCluster.getState().tasks.find(({ id }) => id === taskId)?.pod;
  return pod === undefined
    ? client().call("cluster.taskLog", { taskId, afterSequence })
    : client().call("kubernetes.taskLog", { pod, afterSequence });
});
