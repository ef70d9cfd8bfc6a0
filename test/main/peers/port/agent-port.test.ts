import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect as connectPlain, createServer } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deviceIdOf } from "../../../../main/machine/device-id.js";
import { type MadeCertificate, makeCertificate } from "../../../../main/peers/identity/certificate.js";
import { type AgentPeer, Alpn } from "../../../../main/peers/port/agent-peer.js";
import { AgentPort, type AgentPortOptions } from "../../../../main/peers/port/agent-port.js";
import { TrustStore } from "../../../../main/peers/trust/trust-store.js";
import { foreignSigned, selfSigned } from "../../support/odd-certificates.js";
import { anyIdentity, rawTls, receivedUntilClosed } from "../../support/raw-tls.js";
import {
  type Installation,
  LOOPBACK,
  makeInstallation,
  pairDirectly,
  trusted,
} from "../../support/trusting.js";

const DAY_MILLIS = 24 * 60 * 60 * 1000;
/** Much longer than a handshake takes on a busy machine, and short enough to wait for. */
const HANDSHAKE_MILLIS = 2000;

let desk: Installation;
let box: Installation;
let port: AgentPort;
let met: AgentPeer[];

beforeEach(async () => {
  [desk, box] = await Promise.all([makeInstallation(), makeInstallation()]);
  await pairDirectly(desk, box);
  await listen();
});
afterEach(() => Promise.all([desk.close(), box.close()]));

async function listen(options: Partial<AgentPortOptions> = {}): Promise<void> {
  port = await box.listen(options);
  met = [];
  port.handle(Alpn.tunnel, (peer) => {
    met.push(peer);
    peer.socket.pipe(peer.socket);
  });
}

function probe(as: MadeCertificate | undefined, alpn: string | undefined = Alpn.tunnel): TLSSocket {
  return rawTls(port.port, {
    ...(as ? { key: as.keyPem, cert: as.certPem } : {}),
    ...(alpn === "" ? {} : { ALPNProtocols: [alpn] }),
  });
}

describe("the agent's port", () => {
  it("hands a paired machine to the handler of its protocol", async () => {
    const socket = probe(desk.identity);
    const [first] = (await once(socket, "data")) as [Buffer];
    expect([...first]).toEqual([1]);
    socket.write("hello");
    expect(String((await once(socket, "data"))[0])).toBe("hello");
    expect(met[0]).toMatchObject({
      deviceId: desk.identity.deviceId,
      address: LOOPBACK,
      trusted: { name: "a", grantedRole: "run" },
    });
    expect(met[0]?.certPem).toBe(new X509Certificate(desk.identity.certPem).toString());
    socket.destroy();
  });

  it("sends no byte to unpaired machines", async () => {
    expect(await receivedUntilClosed(probe(await anyIdentity()))).toHaveLength(0);
    expect(await receivedUntilClosed(probe(undefined))).toHaveLength(0);
    expect(met).toEqual([]);
  });

  it("answers unpaired machines where a protocol admits them", async () => {
    port.handle(
      Alpn.pairing,
      ({ socket, trusted: machine }) => socket.end(machine ? "known" : "unknown"),
      () => true,
    );
    expect(String(await receivedUntilClosed(probe(await anyIdentity(), Alpn.pairing)))).toBe("\u0001unknown");
    expect(String(await receivedUntilClosed(probe(desk.identity, Alpn.pairing)))).toBe("\u0001known");
  });

  it("does not answer on protocols without a handler, or none", async () => {
    for (const alpn of ["http/1.1", Alpn.window, ""]) {
      expect(await receivedUntilClosed(probe(desk.identity, alpn))).toHaveLength(0);
    }
  });

  it("refuses certificates that are out of their time, though the device is trusted", async () => {
    for (const made of [
      await makeCertificate(Date.now() - 10 * DAY_MILLIS, 5 * DAY_MILLIS),
      await makeCertificate(Date.now() + 10 * DAY_MILLIS, 5 * DAY_MILLIS),
    ]) {
      const deviceId = deviceIdOf(new X509Certificate(made.certPem).raw);
      await box.trust.put({ ...trusted(desk.identity, "late"), deviceId, certPem: made.certPem });
      expect(await receivedUntilClosed(probe(made))).toHaveLength(0);
    }
    expect(met).toEqual([]);
  });

  it("refuses other keys than EC P-256", async () => {
    for (const kind of ["P-384", "RSA", "Ed25519"] as const) {
      const made = await selfSigned(kind);
      const deviceId = deviceIdOf(new X509Certificate(made.certPem).raw);
      await box.trust.put({ ...trusted(desk.identity, kind), deviceId, certPem: made.certPem });
      expect(await receivedUntilClosed(probe(made))).toHaveLength(0);
    }
    expect(met).toEqual([]);
  });

  it("refuses a certificate that the key does not belong to, and one it did not sign", async () => {
    const made = await foreignSigned();
    const deviceId = deviceIdOf(new X509Certificate(made.certPem).raw);
    await box.trust.put({ ...trusted(desk.identity, "foreign"), deviceId, certPem: made.certPem });
    expect(await receivedUntilClosed(probe(made))).toHaveLength(0);
    expect(() => probe({ ...made, certPem: desk.identity.certPem })).toThrow();
    expect(met).toEqual([]);
  });

  it("speaks no older TLS", async () => {
    const socket = rawTls(port.port, {
      key: desk.identity.keyPem,
      cert: desk.identity.certPem,
      ALPNProtocols: [Alpn.tunnel],
      maxVersion: "TLSv1.2",
    });
    expect(await receivedUntilClosed(socket)).toHaveLength(0);
    expect(met).toEqual([]);
  });

  it("does not answer itself", async () => {
    await box.trust.put(trusted(box.identity, "me"));
    expect(await receivedUntilClosed(probe(box.identity))).toHaveLength(0);
  });

  it("ends the connections of a machine at once when its trust is taken, and refuses it from then on", async () => {
    const other = await makeInstallation();
    await pairDirectly(other, box);
    const [mine, theirs] = [probe(desk.identity), probe(other.identity)];
    await Promise.all([once(mine, "data"), once(theirs, "data")]);
    const closed = receivedUntilClosed(mine);
    void box.trust.remove(desk.identity.deviceId);
    await closed;
    expect(await receivedUntilClosed(probe(desk.identity))).toHaveLength(0);
    theirs.write("still here");
    expect(String((await once(theirs, "data"))[0])).toBe("still here");
    theirs.destroy();
    await other.close();
  });

  it("asks again who is admitted when a machine's role changes", async () => {
    port.handle(
      Alpn.window,
      () => undefined,
      (peer) => peer.trusted?.grantedRole === "manage",
    );
    expect(await receivedUntilClosed(probe(desk.identity, Alpn.window))).toHaveLength(0);
    const machine = trusted(desk.identity, "a", "manage");
    await box.trust.put(machine);
    const socket = probe(desk.identity, Alpn.window);
    await once(socket, "data");
    const closed = receivedUntilClosed(socket);
    await box.trust.put({ ...machine, grantedRole: "view" });
    await closed;
  });

  it("waits for no handshake for long", async () => {
    await listen({ handshakeTimeoutMillis: HANDSHAKE_MILLIS });
    const silent = connectPlain(port.port, LOOPBACK);
    const drip = connectPlain(port.port, LOOPBACK);
    await Promise.all([once(silent, "connect"), once(drip, "connect")]);
    // The head of a TLS record, and then nothing.
    drip.write(Uint8Array.of(0x16, 3, 1, 2, 0, 1));
    silent.resume();
    drip.resume();
    await Promise.all([once(silent, "close"), once(drip, "close")]);
    await once(probe(desk.identity), "data");
  });

  it("lets no address hold all handshakes, and answers again when they are over", async () => {
    await listen({ handshakeTimeoutMillis: HANDSHAKE_MILLIS });
    const sockets = Array.from({ length: 60 }, () => connectPlain(port.port, LOOPBACK));
    await Promise.all(sockets.map((socket) => once(socket.on("error", () => undefined).resume(), "close")));
    await once(probe(desk.identity), "data");
  });

  it("admits paired machines after a restart, while unpaired ones at many addresses hold all connections they can", async () => {
    const from = (localAddress: string) =>
      rawTls(port.port, {
        key: desk.identity.keyPem,
        cert: desk.identity.certPem,
        ALPNProtocols: [Alpn.tunnel],
        ...{ localAddress },
      });
    await once(from("127.0.0.9"), "data");
    await expect.poll(() => box.trust.get(desk.identity.deviceId)?.callers).toEqual(["127.0.0.9"]);
    await port.close();
    await box.trust.put({ ...trusted(desk.identity, "a"), callers: ["127.0.0.9"] });
    const trust = await TrustStore.load(box.dataDir);
    await listen({ trust });

    const unpaired = Array.from({ length: 600 }, (_, index) =>
      connectPlain({ port: port.port, host: LOOPBACK, localAddress: `127.0.1.${1 + (index % 40)}` })
        .on("error", () => undefined)
        .resume(),
    );
    await Promise.all(
      unpaired.map((socket) => Promise.race([once(socket, "connect"), once(socket, "close")])),
    );
    // Where it was before, many at once; and where it has never been, as a new address among the unpaired ones.
    const tunnels = Array.from({ length: 60 }, () => from("127.0.0.9"));
    await Promise.all([...tunnels, from("127.0.0.77")].map((socket) => once(socket, "data")));
    for (const socket of [...unpaired, ...tunnels]) socket.destroy();
    await trust.close();
  });

  it("lets no paired machine open connections without end, and has room again when they are over", async () => {
    port.handle(Alpn.window, ({ socket }) => socket.resume());
    const open: TLSSocket[] = [];
    for (let i = 0; i < 64; i++) {
      const socket = probe(desk.identity, Alpn.window);
      await once(socket, "data");
      open.push(socket);
    }
    expect(await receivedUntilClosed(probe(desk.identity, Alpn.window))).toHaveLength(0);
    // Tunnels, which limit themselves, are not counted with them.
    const tunnel = probe(desk.identity);
    await once(tunnel, "data");
    for (const socket of [...open, tunnel]) socket.destroy();
    const isAdmitted = async () => {
      const socket = probe(desk.identity, Alpn.window);
      const admitted = await Promise.race([
        once(socket, "data").then(() => true),
        once(socket, "close").then(() => false),
      ]);
      socket.destroy();
      return admitted;
    };
    await expect.poll(isAdmitted).toBe(true);
  });

  it("takes another port where the usual one is in use", async () => {
    const taken = createServer().listen(0, LOOPBACK);
    await once(taken, "listening");
    const wanted = (taken.address() as { port: number }).port;
    const second = await desk.listen({ port: wanted });
    expect(second.port).not.toBe(wanted);
    expect(second.port).toBeGreaterThan(0);
    taken.close();
  });

  it("says when it cannot listen", async () => {
    const { identity, trust } = desk;
    await expect(AgentPort.listen({ identity, trust, port: 0, host: "203.0.113.1" })).rejects.toMatchObject({
      problem: { code: "UNAVAILABLE" },
    });
  });

  it("closes with everything that is open", async () => {
    const plain = connectPlain(port.port, LOOPBACK);
    const socket = probe(desk.identity);
    await Promise.all([once(plain, "connect"), once(socket, "data")]);
    const ended = Promise.all([once(plain.resume(), "close"), once(socket, "close")]);
    await port.close();
    await ended;
    expect(met[0]?.socket.destroyed).toBe(true);
  });
});
