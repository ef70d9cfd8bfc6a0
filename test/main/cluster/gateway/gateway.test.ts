/** The gateway between a gRPC client and a gRPC server: everything is passed on, both ways. test/interop has TensorFlow's. */
import {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceError,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { afterEach, describe, expect, it } from "vitest";
import { Gateway, type GatewayCluster } from "../../../../main/cluster/gateway/gateway.js";
import {
  CreateSessionRequest,
  CreateSessionResponse,
  RunStepRequest,
} from "../../../../protos/generated/tensorflow/master.js";
import { ClusterSpec } from "../../../../worker-runtime/cluster/cluster-spec.js";
import { until } from "../../support/until.js";

type Handler = (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) => void;

const ends: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const asIs = (bytes: Buffer): Buffer => bytes;
const large = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };

/** A server that answers methods of a master as told; its address. */
async function startMaster(handlers: Readonly<Record<string, Handler>>): Promise<string> {
  const server = new Server(large);
  const names = Object.keys(handlers);
  const definition = Object.fromEntries(
    names.map((name) => [
      name,
      {
        path: name.includes("/") ? name : `/tensorflow.MasterService/${name}`,
        requestStream: false,
        responseStream: false,
        requestSerialize: asIs,
        requestDeserialize: asIs,
        responseSerialize: asIs,
        responseDeserialize: asIs,
      },
    ]),
  );
  server.addService(definition, handlers);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  ends.push(() => server.forceShutdown());
  return `127.0.0.1:${port}`;
}

async function openGateway(
  cluster: () => GatewayCluster | undefined,
): Promise<{ gateway: Gateway; client: Client }> {
  const gateway = await Gateway.listen({ port: 0, cluster });
  const client = new Client(gateway.target.replace("grpc://", ""), credentials.createInsecure(), large);
  ends.push(() => gateway.close());
  ends.push(() => client.close());
  return { gateway, client };
}

function clusterAt(...workers: string[]): GatewayCluster {
  return { clusterDef: ClusterSpec.from({ worker: workers }).asClusterDef(), isPropagated: true };
}

interface Answer {
  readonly error: ServiceError | undefined;
  readonly response: Buffer;
  readonly metadata: Metadata;
}

function call(
  client: Client,
  method: string,
  request: Uint8Array = new Uint8Array(0),
  options: { metadata?: Metadata; deadlineMillis?: number; signal?: AbortSignal } = {},
): Promise<Answer> {
  return new Promise((resolve) => {
    let received = new Metadata();
    const path = method.includes("/") ? method : `/tensorflow.MasterService/${method}`;
    const deadline =
      options.deadlineMillis === undefined ? {} : { deadline: Date.now() + options.deadlineMillis };
    const made = client.makeUnaryRequest(
      path,
      asIs,
      asIs,
      Buffer.from(request),
      options.metadata ?? new Metadata(),
      deadline,
      (error, response) =>
        resolve({ error: error ?? undefined, response: response ?? Buffer.alloc(0), metadata: received }),
    );
    made.on("metadata", (metadata: Metadata) => {
      received = metadata;
    });
    options.signal?.addEventListener("abort", () => made.cancel());
  });
}

const echo: Handler = (received, callback) => callback(null, received.request);

describe("the gateway", () => {
  it("passes requests, responses and metadata on as they are, however large", async () => {
    const address = await startMaster({
      RunStep: (received, callback) => {
        const metadata = new Metadata();
        metadata.set("seen", received.metadata.get("sent").join());
        metadata.set("seen-bin", received.metadata.get("sent-bin")[0] ?? "");
        received.sendMetadata(metadata);
        callback(null, received.request);
      },
    });
    const { client } = await openGateway(() => clusterAt(address));
    const metadata = new Metadata();
    metadata.set("sent", "a value");
    metadata.set("sent-bin", Buffer.from([0, 255, 1]));
    for (const bytes of [0, 1, 511, 512, 513, 70_000, 40 << 20]) {
      const request = Buffer.alloc(bytes, "tensor");
      const { response, metadata: seen, error } = await call(client, "RunStep", request, { metadata });
      expect(error).toBeUndefined();
      expect(response.equals(request)).toBe(true);
      expect(seen.get("seen")).toEqual(["a value"]);
      expect(seen.get("seen-bin")).toEqual([Buffer.from([0, 255, 1])]);
    }
  });

  it("passes errors on with their text and details", async () => {
    const details = Buffer.from([8, 5, 0, 255]);
    const address = await startMaster({
      RunStep: (_received, callback) => {
        const metadata = new Metadata();
        metadata.set("grpc-status-details-bin", details);
        callback({ code: status.ABORTED, details: "Knoten „x“ fehlt, 100 %\nzweite Zeile", metadata });
      },
    });
    const { client } = await openGateway(() => clusterAt(address));
    const { error } = await call(client, "RunStep");
    expect(error?.code).toBe(status.ABORTED);
    expect(error?.details).toBe("Knoten „x“ fehlt, 100 %\nzweite Zeile");
    expect(error?.metadata.get("grpc-status-details-bin")).toEqual([details]);
  });

  it("passes deadlines and cancellation on", async () => {
    const begun: string[] = [];
    const cancelled: string[] = [];
    const address = await startMaster({
      RunStep: (received, _callback) => {
        const why = received.getDeadline() === Number.POSITIVE_INFINITY ? "cancelled" : "deadline";
        begun.push(why);
        received.on("cancelled", () => cancelled.push(why));
      },
    });
    const { client } = await openGateway(() => clusterAt(address));
    const late = await call(client, "RunStep", undefined, { deadlineMillis: 2000 });
    expect(late.error?.code).toBe(status.DEADLINE_EXCEEDED);
    await until("the master hears of the deadline", () => cancelled.length === 1);
    const controller = new AbortController();
    const waiting = call(client, "RunStep", undefined, { signal: controller.signal });
    await until("the second call reaches the master", () => begun.length === 2);
    controller.abort();
    expect((await waiting).error?.code).toBe(status.CANCELLED);
    await until("the master hears of the cancellation", () => cancelled.length === 2);
    expect(cancelled).toEqual(["deadline", "cancelled"]);
  });

  it("gives a new session the cluster, and finds its master again when others have become it", async () => {
    const asked: string[] = [];
    const master = (name: string): Promise<string> =>
      startMaster({
        CreateSession: (received, callback) => {
          const { config, target } = CreateSessionRequest.decode(received.request);
          asked.push(`${name} ${config?.clusterDef?.job[0]?.tasks.size} ${target}`);
          const response = CreateSessionResponse.fromPartial({ sessionHandle: `session of ${name}` });
          callback(null, Buffer.from(CreateSessionResponse.encode(response).finish()));
        },
        RunStep: (_received, callback) => callback(null, Buffer.from(name)),
        ListDevices: (_received, callback) => callback(null, Buffer.from(name)),
      });
    const [one, two] = await Promise.all([master("one"), master("two")]);
    let cluster = clusterAt(one);
    const { client } = await openGateway(() => cluster);
    const run = async (handle: string): Promise<string> => {
      const request = RunStepRequest.encode(RunStepRequest.fromPartial({ sessionHandle: handle })).finish();
      return (await call(client, "RunStep", request)).response.toString();
    };
    await call(client, "CreateSession");
    cluster = clusterAt(two, one);
    await call(client, "CreateSession");
    expect(asked).toEqual([`one 1 ${one}`, `two 2 ${two}`]);
    expect(await run("session of one")).toBe("one");
    expect(await run("session of two")).toBe("two");
    expect(await run("session of another day")).toBe("two");
    expect((await call(client, "ListDevices")).response.toString()).toBe("two");
  });

  it("answers GetStatus by the master, and no other call of a worker", async () => {
    const address = await startMaster({ "/tensorflow.WorkerService/GetStatus": echo });
    const { client } = await openGateway(() => clusterAt(address));
    expect(
      (await call(client, "/tensorflow.WorkerService/GetStatus", Buffer.from("x"))).response.toString(),
    ).toBe("x");
    const { error } = await call(client, "/tensorflow.WorkerService/RunGraph");
    expect(error?.code).toBe(status.UNIMPLEMENTED);
  });

  it("says what to do when no task runs, when one does not answer, and when one is lost in a call", async () => {
    let cluster: GatewayCluster | undefined;
    const { client } = await openGateway(() => cluster);
    const without = await call(client, "CreateSession");
    expect(without.error?.code).toBe(status.UNAVAILABLE);
    expect(without.error?.details).toMatch(
      /^No task of this cluster is running.*Start a worker in Tensordeck/,
    );

    const gone = await startMaster({ RunStep: echo });
    await ends.pop()?.();
    cluster = clusterAt(gone);
    const refused = await call(client, "CreateSession");
    expect(refused.error?.code).toBe(status.UNAVAILABLE);
    expect(refused.error?.details).toMatch(/^The task at 127\.0\.0\.1:\d+ does not answer \(.*ECONNREFUSED/);

    cluster = clusterAt(await startMaster({ RunStep: () => void ends.pop()?.() }));
    const lost = await call(client, "RunStep");
    expect(lost.error?.code).toBe(status.UNAVAILABLE);
    expect(lost.error?.details).toMatch(/does not answer/);
  });

  it("takes another port when its own is taken, and gives it back when it closes", async () => {
    const { gateway } = await openGateway(() => undefined);
    const other = await Gateway.listen({ port: gateway.port, cluster: () => undefined });
    expect(other.port).not.toBe(gateway.port);
    await other.close();
    const again = await Gateway.listen({ port: other.port, cluster: () => undefined });
    expect(again.port).toBe(other.port);
    await again.close();
  });
});
