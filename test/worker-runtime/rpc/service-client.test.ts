import { Metadata, status } from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "vitest";
import { GrpcPayloadContainer } from "../../../protos/generated/tensorflow/distributed_runtime_payloads.js";
import {
  ListDevicesResponse,
  type RunStepRequest,
  RunStepResponse,
} from "../../../protos/generated/tensorflow/master.js";
import { PayloadKey } from "../../../worker-runtime/protocol/status.js";
import { Tensor, tensorFromProto, tensorToProto } from "../../../worker-runtime/protocol/tensor.js";
import { Channel } from "../../../worker-runtime/rpc/channel.js";
import { type MasterClient, masterClient } from "../../../worker-runtime/rpc/master-client.js";
import { errorOfCall } from "../../../worker-runtime/rpc/rpc-error.js";
import { addressOfTarget } from "../../../worker-runtime/rpc/target-address.js";
import { runStepRequest } from "../../../worker-runtime/session/run-step.js";
import { freePort } from "../../support/processes.js";
import { type Handlers, startFakeServer } from "./fake-server.js";

const cleanUp: (() => void)[] = [];

afterEach(() => {
  for (const end of cleanUp.splice(0).reverse()) {
    end();
  }
});

function clientOf(address: string): MasterClient {
  const channel = new Channel(address);
  cleanUp.push(() => channel.close());
  return masterClient(channel);
}

async function serve(handlers: Handlers) {
  const server = await startFakeServer(handlers);
  cleanUp.push(server.stop);
  return { server, client: clientOf(server.address) };
}

const listDevices = { sessionHandle: "s" };

describe("a call", () => {
  test("carries messages of all sizes, large ones in chunks", async () => {
    const { client } = await serve({
      RunStep: ({ feed }: RunStepRequest) => ({ ...RunStepResponse.create(), tensor: feed }),
    });
    for (const size of [0, 1, 1000, 70_000, 300_000, 3_000_000]) {
      const sent = Tensor.of(Float32Array.from({ length: size }, (_, i) => i));
      const other = Tensor.of(["Grüße", "x".repeat(size)]);
      const request = runStepRequest(
        "handle",
        {
          feeds: new Map([
            ["p:0", sent],
            ["q:0", other],
          ]),
          fetches: ["r:0"],
          targets: ["t"],
        },
        undefined,
      );
      const { tensor } = await client.runStep(request);
      const [first, second] = tensor.map((one) =>
        tensorFromProto(one.tensor ?? tensorToProto(Tensor.of([]))),
      );
      expect(first?.data).toEqual(sent.data);
      expect(second?.toArray()).toEqual(other.toArray());
    }
  });

  test("sends the request's headers", async () => {
    const { client } = await serve({ ListDevices: () => ListDevicesResponse.create() });
    await expect(client.listDevices(listDevices, { metadata: { "tf-rpc": "1" } })).resolves.toMatchObject({
      localDevice: [],
    });
  });

  test("fails with the server's code, message and payloads", async () => {
    const metadata = new Metadata();
    const container = { payloads: new Map([[PayloadKey.WORKER_POSSIBLY_RESTARTED, new Uint8Array([1, 2])]]) };
    metadata.set("grpc-status-details-bin", Buffer.from(GrpcPayloadContainer.encode(container).finish()));
    const { client } = await serve({
      ListDevices: () => {
        throw { code: status.ABORTED, details: "Session s is not found.", metadata };
      },
    });
    const error = await client.listDevices(listDevices).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: "TensorFlowError",
      codeName: "ABORTED",
      message: "Session s is not found.",
    });
    expect(
      (error as { payloads: Map<string, Uint8Array> }).payloads.get(PayloadKey.WORKER_POSSIBLY_RESTARTED),
    ).toEqual(Buffer.from([1, 2]));
  });

  test("whose details cannot be read says that payloads were lost", async () => {
    const metadata = new Metadata();
    metadata.set("grpc-status-details-bin", Buffer.from([0xff, 0xff]));
    const { client } = await serve({
      ListDevices: () => {
        throw { code: status.INTERNAL, details: "broken", metadata };
      },
    });
    const error = await client.listDevices(listDevices).catch((reason: unknown) => reason);
    expect([...(error as { payloads: Map<string, Uint8Array> }).payloads.keys()]).toEqual([
      PayloadKey.GRPC_PAYLOADS_LOST,
    ]);
  });

  test("to a server without the method says that another program may listen", async () => {
    const { client, server } = await serve({});
    await expect(client.listDevices(listDevices)).rejects.toMatchObject({
      codeName: "UNIMPLEMENTED",
      message: `${server.address} does not offer ListDevices: another program or an older version may listen there.`,
    });
  });

  test("ends at its deadline and names the address", async () => {
    const { client, server } = await serve({ ListDevices: () => new Promise(() => undefined) });
    await expect(client.listDevices(listDevices, { deadlineMillis: 2000 })).rejects.toMatchObject({
      codeName: "DEADLINE_EXCEEDED",
      message: `${server.address} did not answer ListDevices within its deadline of 2 s.`,
    });
  });

  test("is cancelled on the server, too", async () => {
    const controller = new AbortController();
    let seen: (() => void) | undefined;
    const onServer = new Promise<void>((resolve) => {
      seen = resolve;
    });
    const { client } = await serve({
      ListDevices: (_: never, signal: AbortSignal) => {
        signal.addEventListener("abort", () => seen?.());
        controller.abort();
        return new Promise(() => undefined);
      },
    });
    await expect(client.listDevices(listDevices, { signal: controller.signal })).rejects.toMatchObject({
      codeName: "CANCELLED",
    });
    await onServer;
  });

  test("in progress ends when the server goes away", async () => {
    let begun: (() => void) | undefined;
    const reached = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { client, server } = await serve({
      ListDevices: () => {
        begun?.();
        return new Promise(() => undefined);
      },
    });
    const call = client.listDevices(listDevices);
    await reached;
    server.stop();
    await expect(call).rejects.toMatchObject({ codeName: "UNAVAILABLE" });
  });
});

describe("errors that no server sent", () => {
  test.each<[number, string, string, RegExp]>([
    [
      status.UNAVAILABLE,
      "Name resolution failed for target dns:host:1",
      "UNAVAILABLE",
      /name 'host' cannot be resolved/,
    ],
    [
      status.UNAVAILABLE,
      "No connection established. Last error: connect EHOSTUNREACH 1",
      "UNAVAILABLE",
      /no way through the network/,
    ],
    [
      status.UNAVAILABLE,
      "No connection established. Last error: connect ETIMEDOUT 1",
      "UNAVAILABLE",
      /firewall/,
    ],
    [
      status.UNAVAILABLE,
      "No connection established. Last error: odd",
      "UNAVAILABLE",
      /no connection to host:1 \(No connection/,
    ],
    [
      status.INTERNAL,
      "Received RST_STREAM with code 2 (Internal server error)",
      "UNAVAILABLE",
      /lost during RunStep/,
    ],
    [status.CANCELLED, "Call cancelled", "UNAVAILABLE", /lost during RunStep/],
    [status.INTERNAL, "", "INTERNAL", /RunStep at host:1 failed without a message/],
  ])("%i '%s'", (code, details, codeName, message) => {
    const failure = Object.assign(new Error(details), { code, details, metadata: new Metadata() });
    const error = errorOfCall(failure, "RunStep", "host:1");
    expect(error).toMatchObject({ codeName, message: expect.stringMatching(message) });
  });
});

describe("where there is no server", () => {
  test("nothing listens: UNAVAILABLE at once, again and again", async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const client = clientOf(address);
    for (let i = 0; i < 3; i += 1) {
      await expect(client.listDevices(listDevices)).rejects.toMatchObject({
        codeName: "UNAVAILABLE",
        message: expect.stringContaining(`Cannot reach ${address}: nothing listens`),
      });
    }
  });

  test("a closed channel refuses", async () => {
    const { server } = await serve({});
    const channel = new Channel(server.address);
    channel.close();
    channel.close();
    await expect(masterClient(channel).listDevices(listDevices)).rejects.toMatchObject({
      codeName: "UNAVAILABLE",
    });
  });

  test.each(["grpc://host", "http://host:1", "host:1/x", ""])("the target '%s' is refused", (target) => {
    expect(() => new Channel(target)).toThrow(expect.objectContaining({ codeName: "INVALID_ARGUMENT" }));
  });

  test("targets and addresses", () => {
    expect(addressOfTarget("grpc://host:1")).toBe("host:1");
    expect(addressOfTarget("[::1]:1")).toBe("[::1]:1");
  });
});
