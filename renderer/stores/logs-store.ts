/** The output of the cluster's tasks, by task id. */
import { client } from "../transport/client.js";
import { keptLogs } from "./kept-logs.js";

export const {
  useLogs,
  receive: receiveLog,
  catchUp: catchUpLog,
} = keptLogs((taskId, afterSequence) => client().call("cluster.taskLog", { taskId, afterSequence }));
