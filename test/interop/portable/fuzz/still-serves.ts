import { expect } from "vitest";
import { Channel } from "../../../../worker-runtime/rpc/channel.js";
import { workerClient } from "../../../../worker-runtime/rpc/worker-client.js";
import { Session } from "../../../../worker-runtime/session/session.js";
import { graphOf, placeholder, typed } from "../../peers/nodes.js";

/** Holds for a server after anything: it says how it is, and computes. */
export async function expectStillServes(target: string): Promise<void> {
  const channel = new Channel(target);
  try {
    const answer = await workerClient(channel).getStatus({}, { deadlineMillis: 10_000 });
    expect(answer.deviceAttributes.length).toBeGreaterThan(0);
  } finally {
    channel.close();
  }
  const graph = graphOf(
    placeholder("a", "float32"),
    placeholder("b", "float32"),
    typed("sum", "AddV2", ["a", "b"], "float32"),
  );
  const session = new Session(target, { graph });
  try {
    const { values } = await session.run(["sum"], {
      feeds: { a: 3, b: 8 },
      options: { timeoutMillis: 10_000 },
    });
    expect(values[0]?.item()).toBe(11);
  } finally {
    await session.close();
  }
}
