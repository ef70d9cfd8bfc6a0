/**
 * Preloaded into a task (NODE_OPTIONS): on the thread of a GPU, ONNX Runtime's calls fail as after the loss of the adapter
 * once the file that TENSORDECK_TEST_LOST_ADAPTER names exists. No driver can be made to fail.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { workerData } from "node:worker_threads";

function check() {
  if (existsSync(process.env.TENSORDECK_TEST_LOST_ADAPTER ?? "")) {
    throw new Error(
      "Failed to download data from buffer. wgpu::MapAsyncStatus value: 4, message: [Device] is lost.",
    );
  }
}

if (workerData?.provider !== undefined) {
  const { InferenceSession } = createRequire(import.meta.url)("onnxruntime-node");
  const { create } = InferenceSession;
  InferenceSession.create = async (...given) => {
    check();
    const session = await create.apply(InferenceSession, given);
    const run = session.run.bind(session);
    session.run = async (...inputs) => {
      check();
      return await run(...inputs);
    };
    return session;
  };
}
