/** Bytes that are no message, or a message that nobody means: each call ends, and the server lives on. */
import { status } from "@grpc/grpc-js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import { CreateSessionRequest, RunStepRequest } from "../../../../protos/generated/tensorflow/master.js";
import { RegisterGraphRequest, RunGraphRequest } from "../../../../protos/generated/tensorflow/worker.js";
import { graphOf, placeholder } from "../../peers/nodes.js";
import { type StartedWorker, startWorker } from "../../worker-peers.js";
import { methods, RawClient } from "./raw-calls.js";
import { expectStillServes } from "./still-serves.js";

/** How many messages each method gets; TENSORDECK_FUZZ is for long runs. */
const RUNS = Number(process.env.TENSORDECK_FUZZ ?? 15);
/** So many are on their way at once: more would wait for each other until their deadlines. */
const AT_ONCE = 200;
const SEED = Number(process.env.TENSORDECK_SEED ?? 5);

const graph = graphOf(placeholder("x", "float32"));

/** Messages that are well formed, for their bytes to be changed. */
const wellFormed: readonly Uint8Array[] = [
  GraphDef.encode(graph).finish(),
  CreateSessionRequest.encode(CreateSessionRequest.fromPartial({ graphDef: graph })).finish(),
  RunStepRequest.encode(RunStepRequest.fromPartial({ sessionHandle: "none", fetch: ["x:0"] })).finish(),
  RegisterGraphRequest.encode(
    RegisterGraphRequest.fromPartial({ sessionHandle: "none", graphDef: graph }),
  ).finish(),
  RunGraphRequest.encode(RunGraphRequest.fromPartial({ graphHandle: "none", stepId: 5n })).finish(),
];

const randomBytes = fc.uint8Array({ maxLength: 200 });
/** A message with a few bytes changed and its end cut off, perhaps. */
const damaged = fc
  .tuple(
    fc.constantFrom(...wellFormed),
    fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 5 }),
    fc.nat(400),
  )
  .map(([message, changes, length]) => {
    const bytes = Uint8Array.from(message);
    for (const [index, value] of changes) {
      if (index < bytes.length) bytes[index] = value;
    }
    return bytes.subarray(0, Math.max(1, length));
  });

describe("messages that nobody means", () => {
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startWorker(["--engine", "portable"]);
  });
  afterAll(() => worker?.stop());

  test.each(methods)("%s", async (method) => {
    const client = new RawClient(worker.target);
    try {
      const messages = fc.sample(fc.oneof(randomBytes, damaged), { numRuns: RUNS, seed: SEED });
      for (let start = 0; start < messages.length; start += AT_ONCE) {
        const some = messages.slice(start, start + AT_ONCE);
        const answers = await Promise.all(some.map((message) => client.call(method, message)));
        const unanswered = answers.filter(
          (answer) => answer.kind === "error" && answer.code === status.DEADLINE_EXCEEDED,
        );
        expect(unanswered).toEqual([]);
      }
      // The process must not have died of it, which the next call would not show while a supervisor restarts it.
      expect(worker.child.exitCode).toBeNull();
    } finally {
      client.close();
    }
  });

  test("the server serves on", async () => {
    await expectStillServes(worker.target);
  });
});
