/** Diagnoses of logs of TensorFlow: each once where it is right and once where it would be wrong. */
import { type DiagnosisCase, log, one } from "../support/diagnosis-cases.js";
import { logOf } from "../support/situations.js";

export const logsCases = {
  "session-still-waiting": {
    wrong: log(
      "I tensorflow/core/distributed_runtime/master.cc:267] CreateSession still waiting for response from worker: /job:ps/replica:0/task:0",
    ),
    message: /^A session of worker\/0 waits for ps\/0\.$/,
    severity: "error",
    taskId: "worker/0",
    right: log("CreateSession still waiting for response from worker: /job:ps/replica:0/task:0", 120_000),
  },
  "proxy-answers-task": {
    wrong: log("E0101 chttp2_transport.cc] Trying to connect an http1.x server"),
    message: /^worker\/0 talks to a proxy instead of its peers\.$/,
    severity: "error",
    taskId: "worker/0",
    right: log("Started server with target: grpc://localhost:2222"),
  },
  "started-before-peers": {
    wrong: log("tensorflow.python.framework.errors_impl.UnavailableError: Unavailable: OS Error"),
    message: /^worker\/0 gave up because its peers were not up yet\.$/,
    severity: "warning",
    taskId: "worker/0",
    right: log("Unavailable: OS Error", 3_600_000),
  },
  "handle-not-found": {
    wrong: log("Aborted: Graph handle is not found: 0000000000000001"),
    message: /^worker\/0 was asked for a session that it does not know\.$/,
    severity: "warning",
    taskId: "worker/0",
    right: log("Session created"),
  },
  "barrier-timed-out": {
    wrong: log("DEADLINE_EXCEEDED: Barrier timed out. Id: WaitForAllTasks. Number of tasks at barrier: 1/2"),
    message: /^worker\/0 waited for workers that did not register\.$/,
    severity: "error",
    taskId: "worker/0",
    right: log("/job:worker/replica:0/task:0 has connected to coordination service."),
  },
  "op-not-registered": {
    wrong: log("Not found: Op type not registered '_FusedMatMul' in binary running on gpu-pc."),
    message: /^worker\/0 does not know the op _FusedMatMul\.$/,
    severity: "error",
    taskId: "worker/0",
    right: log("Registering op MatMul"),
  },
  "message-too-large": {
    wrong: log("Received message larger than max (2147483648 vs. 2147483647)"),
    message: /^A message of worker\/0 is larger than gRPC or protobuf allow\.$/,
    severity: "error",
    taskId: "worker/0",
    right: log("Received message"),
  },
  "second-server-in-process": {
    wrong: log("Clean shutdown is not currently implemented"),
    message: /^The process of worker\/0 tried to stop its server, which TensorFlow does not support\.$/,
    severity: "info",
    taskId: "worker/0",
    right: log("shutdown"),
  },
  "localhost-in-log": {
    wrong: log("Started server with target: grpc://localhost:2222", 1000, { membership: "fixed" }),
    message: /^worker\/0 calls itself grpc:\/\/localhost:2222, and still listens on every address\.$/,
    severity: "info",
    taskId: "worker/0",
    right: log("Started server with target: grpc://localhost:2222"),
  },
  "unavailable-loop": {
    wrong: one({}, { logs: logOf("worker/0", Array(25).fill("UNAVAILABLE: Connection reset by peer")) }),
    message: /^worker\/0 keeps retrying: 25 failures in the last minute\.$/,
    severity: "warning",
    taskId: "worker/0",
    right: one({}, { logs: logOf("worker/0", Array(5).fill("UNAVAILABLE: Connection reset by peer")) }),
  },
} as const satisfies Readonly<Record<string, DiagnosisCase>>;
