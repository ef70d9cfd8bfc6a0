/** Messages that this task has no memory for fail alone: other calls on the same connections go on. */
import { getHeapStatistics } from "node:v8";
import { afterEach, expect, test } from "vitest";
import * as wire from "../../../../../protos/generated/tensorflow/worker.js";
import {
  collectGarbage,
  memoryBudget,
} from "../../../../../worker-runtime/engines/portable/kernels/support/memory-budget.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor, tensorToProto } from "../../../../../worker-runtime/protocol/tensor.js";
import { Endings, type Wire } from "./transport-fixture.js";

const endings = new Endings();
const limit = memoryBudget.residentLimit;
afterEach(() => {
  memoryBudget.limitResident(limit);
  endings.endAll();
});

const LARGE_BYTES = 48 * 1024 * 1024;
const BULK = 1;
const large = Tensor.of(new Float32Array(LARGE_BYTES / 4));
const noMemory = {
  code: StatusCode.RESOURCE_EXHAUSTED,
  message: expect.stringMatching(/^There is no memory for a message of \d+ bytes; .*--max_resident_mb/),
};
const request = (rendezvousKey = ""): wire.RecvTensorRequest =>
  wire.RecvTensorRequest.fromPartial({ stepId: 1n, rendezvousKey });

/** From now on there is room for no more than half of a large message. */
function fillMemory(): void {
  collectGarbage();
  memoryBudget.limitResident(getHeapStatistics().external_memory + LARGE_BYTES / 2);
}

/** A task that answers every RecvTensor with a large tensor. */
async function serveLarge() {
  const { address, endpoint } = await endings.serve({
    handlers: {
      recvTensor: async () => {
        const response = wire.RecvTensorResponse.create();
        response.tensor = tensorToProto(large);
        return response;
      },
    },
  });
  const tcp = await endings.wire(address);
  return { client: endings.connect(tcp.address), tcp, endpoint };
}

async function expectUnharmed(
  { client, tcp, endpoint }: Awaited<ReturnType<typeof serveLarge>>,
  made: number,
): Promise<void> {
  await client.getStatus({});
  await expect.poll(() => endpoint.calls).toBe(0);
  memoryBudget.limitResident(limit);
  expect((await client.recvTensor(request())).tensor?.tensorContent.byteLength).toBe(LARGE_BYTES);
  expect(tcp.made()).toBe(made);
}

test("a request on a stream", async () => {
  const served = await serveLarge();
  await served.client.getStatus({});
  const key = "x".repeat(LARGE_BYTES);
  fillMemory();
  await expect(served.client.recvTensor(request(key))).rejects.toMatchObject(noMemory);
  await expectUnharmed(served, 1 + BULK);
});

test("an answer on a stream", async () => {
  const served = await serveLarge();
  await served.client.getStatus({});
  // The bulk connection cannot be made.
  served.tcp.stopTaking();
  fillMemory();
  await expect(served.client.recvTensor(request())).rejects.toMatchObject(noMemory);
  await expectUnharmed(served, 1);
});

test("an answer on a bulk connection", async () => {
  const served = await serveLarge();
  await receiveInBulk(served.client, served.tcp);
  fillMemory();
  await expect(served.client.recvTensor(request())).rejects.toMatchObject(noMemory);
  await expectUnharmed(served, 1 + BULK);
});

/** Receives until the bulk connection has brought something: it may take a moment until the server knows it. */
async function receiveInBulk(
  client: { recvTensor(request: wire.RecvTensorRequest): Promise<unknown> },
  tcp: Wire,
): Promise<void> {
  await expect
    .poll(async () => {
      await client.recvTensor(request());
      return tcp.bytesOf(BULK);
    })
    .toBeGreaterThan(LARGE_BYTES);
}
