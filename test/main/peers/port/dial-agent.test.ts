import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeCertificate } from "../../../../main/peers/identity/certificate.js";
import { Alpn } from "../../../../main/peers/port/agent-peer.js";
import type { AgentPort } from "../../../../main/peers/port/agent-port.js";
import { type DialOptions, dialAgent, dialUnknownAgent } from "../../../../main/peers/port/dial-agent.js";
import { freePort } from "../../../support/processes.js";
import { warningsDuring } from "../../../support/warnings.js";
import { type Installation, LOOPBACK, makeInstallation, pairDirectly } from "../../support/trusting.js";

const DAY_MILLIS = 24 * 60 * 60 * 1000;

let desk: Installation;
let box: Installation;
let port: AgentPort;
const servers: { server: Server; sockets: Set<Socket> }[] = [];

beforeEach(async () => {
  [desk, box] = await Promise.all([makeInstallation(), makeInstallation()]);
  await pairDirectly(desk, box);
  port = await box.listen();
  port.handle(Alpn.tunnel, ({ socket }) => socket.end("from box"));
  port.handle(
    Alpn.pairing,
    ({ socket }) => socket.end("hi"),
    () => true,
  );
});
afterEach(async () => {
  await Promise.all([desk.close(), box.close()]);
  for (const { server, sockets } of servers.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

const here = (number = port.port): string => `${LOOPBACK}:${number}`;

/** @returns Its address. */
async function serve(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => undefined)));
  server.listen(0, LOOPBACK);
  await once(server, "listening");
  servers.push({ server, sockets });
  return here((server.address() as { port: number }).port);
}

const closedPort = async (): Promise<string> => here(await freePort());

const dial = (addresses: string[], more: Partial<DialOptions> = {}) =>
  dialAgent({
    identity: desk.identity,
    deviceId: box.identity.deviceId,
    addresses,
    alpn: Alpn.tunnel,
    name: "gpu-box",
    ...more,
  });

const problemOfDial = async (addresses: string[], more: Partial<DialOptions> = {}) =>
  await dial(addresses, more).then(
    () => undefined,
    (error) => error.problem,
  );

describe("dialling an agent", () => {
  it("gives a connection of which only the admission was read", async () => {
    const socket = await dial([here()]);
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    await once(socket, "end");
    expect(String(Buffer.concat(chunks))).toBe("from box");
    socket.destroy();
  });

  it("goes past addresses that refuse, are silent or belong to another machine", async () => {
    const other = await makeInstallation();
    await pairDirectly(desk, other);
    const otherPort = await other.listen();
    otherPort.handle(Alpn.tunnel, ({ socket }) => socket.end("from other"));
    const silent = await serve(createServer());
    const socket = await dial([await closedPort(), silent, here(otherPort.port), here()]);
    expect(String((await once(socket, "data"))[0])).toBe("from box");
    socket.destroy();
    await other.close();
  });

  it("takes many addresses, and leaves none behind", async () => {
    const many = await Promise.all(Array.from({ length: 15 }, closedPort));
    const controller = new AbortController();
    const warnings = await warningsDuring(async () => {
      (await dial([...many, here()], { signal: controller.signal })).destroy();
      expect(await problemOfDial(many, { signal: controller.signal })).toMatchObject({ code: "UNAVAILABLE" });
    });
    expect(warnings).toEqual([]);
  });

  it("takes one connection only", async () => {
    let connections = 0;
    port.handle(Alpn.tunnel, ({ socket }) => {
      connections++;
      socket.once("close", () => connections--);
    });
    const socket = await dial([here(), here(), here()]);
    await expect.poll(() => connections).toBe(1);
    socket.destroy();
  });

  it("says which other machine answers", async () => {
    const other = await makeInstallation();
    const otherPort = await other.listen();
    otherPort.handle(
      Alpn.tunnel,
      () => undefined,
      () => true,
    );
    expect(await problemOfDial([here(otherPort.port)])).toMatchObject({
      code: "UNAUTHENTICATED",
      message: expect.stringContaining("Another machine answers"),
      details: expect.stringContaining(other.identity.deviceId),
    });
    await other.close();
  });

  it("says that the machine has forgotten this one", async () => {
    await box.trust.remove(desk.identity.deviceId);
    const silent = await serve(createServer());
    for (const alpn of [Alpn.tunnel, Alpn.grpc]) {
      port.handle(Alpn.grpc, () => undefined);
      expect(
        await problemOfDial([await closedPort(), here(), silent], { alpn, timeoutMillis: 3000 }),
      ).toMatchObject({
        code: "PERMISSION_DENIED",
        message: "gpu-box does not let this machine in.",
        reason: expect.stringContaining("gpu-box has forgotten this machine"),
      });
    }
  });

  it("says when the certificate has expired, though it is the pinned one", async () => {
    const { certPem, keyPem } = await makeCertificate(Date.now() - 10 * DAY_MILLIS, 5 * DAY_MILLIS);
    const address = await serve(
      createTlsServer({ cert: certPem, key: keyPem, ALPNProtocols: [Alpn.tunnel] }),
    );
    expect(await problemOfDial([address])).toMatchObject({
      code: "UNAUTHENTICATED",
      message: expect.stringMatching(/^The certificate of gpu-box expired on \d{4}-\d{2}-\d{2}\.$/),
    });
  });

  it("says what else went wrong", async () => {
    const { certPem, keyPem } = await makeCertificate();
    const noAlpn = await serve(createTlsServer({ cert: certPem, key: keyPem }));
    const plain = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    expect(await problemOfDial([noAlpn])).toMatchObject({
      message: `What answers at ${noAlpn} is not Tensordeck.`,
    });
    expect(await problemOfDial([await serve(plain)])).toMatchObject({ code: "UNAVAILABLE" });
    expect(await problemOfDial([await closedPort()])).toMatchObject({
      code: "UNAVAILABLE",
      reason: "The machine answers, but no Tensordeck listens at that port.",
    });
    expect(await problemOfDial([await serve(createServer())], { timeoutMillis: 50 })).toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringMatching(/^gpu-box did not answer at 127\.0\.0\.1:\d+\.$/),
    });
    expect(await problemOfDial([])).toMatchObject({ code: "UNAVAILABLE" });
    expect(await problemOfDial(["no port"])).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await problemOfDial([here()], { identity: box.identity })).toBeDefined();
  });

  it("says the same of a machine that is off, whichever of its addresses fails how", async () => {
    const silent = await serve(createServer());
    // The documentation's network, which nothing routes, fails at once or not before the time is over.
    const addresses = [silent, "[2001:db8::1]:2220"];
    const of = await Promise.all(
      [addresses, addresses.toReversed()].map((each) => problemOfDial(each, { timeoutMillis: 600 })),
    );
    for (const problem of of) {
      expect(problem).toEqual({
        code: "UNAVAILABLE",
        message: "gpu-box did not answer at any of its addresses.",
        reason: "It is off, asleep or in another network, or a firewall drops the packets sent to it.",
        remedy: expect.stringContaining("Links"),
        details: expect.stringMatching(/^127\.0\.0\.1:\d+: .+\n\[2001:db8::1\]:2220: .+$/),
      });
    }
  });

  it("can be called off", async () => {
    const calledOff = new AbortController();
    const dialled = problemOfDial([await serve(createServer())], { signal: calledOff.signal });
    calledOff.abort();
    expect(await dialled).toMatchObject({ code: "CANCELLED" });
    expect(await problemOfDial([here()], { signal: calledOff.signal })).toMatchObject({ code: "CANCELLED" });
  });
});

describe("dialling any machine that answers", () => {
  it("tells who it is", async () => {
    const agent = await dialUnknownAgent({
      identity: desk.identity,
      addresses: [await closedPort(), here()],
      alpn: Alpn.pairing,
    });
    expect(agent).toMatchObject({ deviceId: box.identity.deviceId, address: here() });
    agent.socket.destroy();
  });

  it("takes a refusal for a pause", async () => {
    port.handle(
      Alpn.pairing,
      () => undefined,
      () => false,
    );
    await expect(
      dialUnknownAgent({ identity: desk.identity, addresses: [here()], alpn: Alpn.pairing, name: "gpu-box" }),
    ).rejects.toMatchObject({ problem: { code: "RESOURCE_EXHAUSTED" } });
  });
});
