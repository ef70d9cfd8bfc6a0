import { once } from "node:events";
import {
  Client,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Identity } from "../../../../main/peers/identity/identity.js";
import { Alpn } from "../../../../main/peers/port/agent-peer.js";
import type { AgentPort } from "../../../../main/peers/port/agent-port.js";
import {
  agentChannelCredentials,
  agentChannelOptions,
} from "../../../../main/peers/port/channel-credentials.js";
import { dialAgent } from "../../../../main/peers/port/dial-agent.js";
import { type Installation, LOOPBACK, makeInstallation, pairDirectly } from "../../support/trusting.js";

const PATH = "/test.Echo/Say";
const asIs = (bytes: Buffer): Buffer => bytes;

let desk: Installation;
let box: Installation;
let third: Installation;
let port: AgentPort;
const servers: Server[] = [];
const clients: Client[] = [];

beforeEach(async () => {
  [desk, box, third] = await Promise.all([makeInstallation(), makeInstallation(), makeInstallation()]);
  await pairDirectly(desk, box);
  port = await box.listen();
  // A server for each connection, so that it is known who calls.
  port.handle(Alpn.grpc, ({ deviceId, socket }) => {
    const server = echoServer(deviceId);
    servers.push(server);
    server.createConnectionInjector(ServerCredentials.createInsecure()).injectConnection(socket);
  });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const server of servers.splice(0)) server.forceShutdown();
  await Promise.all([desk, box, third].map((each) => each.close()));
});

function echoServer(caller: string): Server {
  const server = new Server();
  const say: handleUnaryCall<Buffer, Buffer> = (call, callback) => {
    callback(null, Buffer.from(`${caller} says ${call.request}`));
  };
  server.addService(
    {
      Say: {
        path: PATH,
        requestStream: false,
        responseStream: false,
        requestSerialize: asIs,
        requestDeserialize: asIs,
        responseSerialize: asIs,
        responseDeserialize: asIs,
      },
    },
    { Say: say },
  );
  return server;
}

function connect(as: Identity, to: Identity): Client {
  const client = new Client(
    `dns:///${LOOPBACK}:${port.port}`,
    agentChannelCredentials(as, to.certPem, to.deviceId),
    agentChannelOptions,
  );
  clients.push(client);
  return client;
}

async function say(client: Client, text: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    client.makeUnaryRequest<Buffer, Buffer>(PATH, asIs, asIs, Buffer.from(text), (error, answer) =>
      error ? reject(error) : resolve(String(answer)),
    );
  });
}

const codeOf = async (call: Promise<unknown>): Promise<number | undefined> =>
  await call.then(
    () => undefined,
    (error: ServiceError) => error.code,
  );

describe("gRPC over the agent's port", () => {
  it("answers a paired machine, and knows which one calls", async () => {
    await pairDirectly(third, box);
    const [a, b] = [connect(desk.identity, box.identity), connect(third.identity, box.identity)];
    expect(await Promise.all([say(a, "1"), say(b, "2"), say(a, "3")])).toEqual([
      `${desk.identity.deviceId} says 1`,
      `${third.identity.deviceId} says 2`,
      `${desk.identity.deviceId} says 3`,
    ]);
  });

  it("lets a socket be dialled first that tells whether the machine lets this one in", async () => {
    const socket = await dialAgent({
      identity: desk.identity,
      deviceId: box.identity.deviceId,
      addresses: [`${LOOPBACK}:${port.port}`],
      alpn: Alpn.grpc,
    });
    // HTTP/2's settings, still to be read.
    const [settings] = (await once(socket, "data")) as [Buffer];
    expect(settings.byteLength).toBeGreaterThan(0);
    socket.destroy();
  });

  it("does not answer an unpaired machine", async () => {
    expect(await codeOf(say(connect(third.identity, box.identity), "x"))).toBe(status.UNAVAILABLE);
  });

  it("does not come up with another machine than the pinned one", async () => {
    expect(await codeOf(say(connect(desk.identity, third.identity), "x"))).toBe(status.UNAVAILABLE);
  });

  it("ends at once when the machine is no longer trusted, and then tells so", async () => {
    const client = connect(desk.identity, box.identity);
    await say(client, "1");
    await box.trust.remove(desk.identity.deviceId);
    expect(await codeOf(say(client, "2"))).toBe(status.UNAVAILABLE);
    await expect(
      dialAgent({
        identity: desk.identity,
        deviceId: box.identity.deviceId,
        addresses: [`${LOOPBACK}:${port.port}`],
        alpn: Alpn.grpc,
        name: "box",
      }),
    ).rejects.toMatchObject({ problem: { code: "PERMISSION_DENIED" } });
  });
});
