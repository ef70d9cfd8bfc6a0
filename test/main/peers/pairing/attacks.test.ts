/** Whoever tries to pair without a user who reads the code. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Identity } from "../../../../main/peers/identity/identity.js";
import {
  bitsOfCode,
  CodeProof,
  EXPORTER_BYTES,
  EXPORTER_LABEL,
  tryContext,
} from "../../../../main/peers/pairing/code-proof.js";
import {
  COMMITMENT_BYTES,
  encodeFrame,
  FrameReader,
  MAX_MESSAGE_BYTES,
  NONCE_BYTES,
  type PairingMessage,
} from "../../../../main/peers/pairing/pairing-messages.js";
import { ADMITTED, Alpn } from "../../../../main/peers/port/agent-peer.js";
import { dialUnknownAgent } from "../../../../main/peers/port/dial-agent.js";
import { connectAsUnpaired, hello, type Talker, talkerOf } from "../../support/pairing-attacker.js";
import {
  addressOf,
  ask,
  codeShownBy,
  endMachines,
  enters,
  type Machine,
  makeMachine,
  reaches,
  wrongCode,
} from "../../support/pairing-machines.js";
import { anyIdentity, rawTls } from "../../support/raw-tls.js";
import { until } from "../../support/until.js";

let desk: Machine;
let box: Machine;

beforeEach(async () => {
  [desk, box] = await Promise.all([makeMachine("desk"), makeMachine("gpu-box")]);
});
afterEach(endMachines);

function expectNoTrust(): void {
  expect(desk.trust.all()).toEqual([]);
  expect(box.trust.all()).toEqual([]);
}

const noise = {
  nonce: (): PairingMessage => ({ type: "try", nonce: randomBytes(NONCE_BYTES) }),
  commit: (): PairingMessage => ({ type: "commit", value: randomBytes(COMMITMENT_BYTES) }),
  reveal: (): PairingMessage => ({ type: "reveal", nonce: randomBytes(NONCE_BYTES) }),
};
const claim: PairingMessage = { type: "result", ok: true, grantedRole: "manage", triesLeft: 3 };

/** Says hello and takes the welcome. */
async function enter(talker: Talker): Promise<void> {
  talker.send(hello);
  expect(await talker.next()).toMatchObject({ type: "welcome", byFingerprint: false });
}

/** One whole try as an initiator who believes that a code is right. */
async function tryCode(
  talker: Talker,
  code: string,
  ids: { initiatorId: string; displayerId: string },
): Promise<{ result: PairingMessage | undefined; sent: PairingMessage[] }> {
  const sent: PairingMessage[] = [];
  const say = (message: PairingMessage): void => {
    sent.push(message);
    talker.send(message);
  };
  const nonce = randomBytes(NONCE_BYTES);
  say({ type: "try", nonce });
  const answer = await talker.next();
  if (answer?.type !== "try") throw new Error(`answered with ${answer?.type}`);
  const exporter = talker.socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.alloc(0));
  const context = tryContext({ ...ids, exporter }, nonce, answer.nonce);
  const proof = new CodeProof("initiator", await bitsOfCode(code, context), context);
  say(proof.commit());
  while (!proof.isFinished) {
    const message = await talker.next();
    if (message?.type !== "commit" && message?.type !== "reveal") throw new Error(`got ${message?.type}`);
    for (const reply of proof.receive(message)) say(reply);
  }
  say(claim);
  return { result: await talker.next(), sent };
}

const idsOf = (initiator: Identity) => ({
  initiatorId: initiator.deviceId,
  displayerId: box.identity.deviceId,
});

describe("a man in the middle", () => {
  it("gains nothing by relaying, though the user types the right code", async () => {
    const mallory = await makeMachine("mallory");
    // Answers desk as if it were the box, and passes everything on over a connection of its own.
    mallory.port.handle(
      Alpn.pairing,
      (peer) => {
        void dialUnknownAgent({
          identity: mallory.identity,
          addresses: [addressOf(box)],
          alpn: Alpn.pairing,
        }).then(({ socket }) => {
          peer.socket.pipe(socket);
          socket.pipe(peer.socket);
        });
      },
      () => true,
    );
    await desk.pairing.start({
      machineId: "",
      addresses: [addressOf(mallory)],
      name: "gpu-box",
      grantedRole: "manage",
      idIsVouchedFor: false,
    });
    await reaches(desk, "code");
    expect(desk.pairing.state()?.machine.name).toBe("gpu-box");
    for (const triesLeft of [2, 1]) {
      desk.pairing.enterCode(await codeShownBy(box));
      await until("both to refuse", () =>
        [desk, box].every(({ pairing }) => {
          const state = pairing.state();
          return state?.step === "wrong" && state.triesLeft === triesLeft;
        }),
      );
    }
    desk.pairing.enterCode(await codeShownBy(box));
    await Promise.all([reaches(desk, "failed"), reaches(box, "failed")]);
    expectNoTrust();
  });

  it("is found out when it says that all is well", async () => {
    const mallory = await makeMachine("mallory");
    mallory.port.handle(
      Alpn.pairing,
      ({ socket }) => void pretend(talkerOf(socket)),
      () => true,
    );
    async function pretend(talker: Talker): Promise<void> {
      await talker.next();
      talker.send({
        type: "welcome",
        name: "gpu-box",
        agentPort: 0,
        byFingerprint: false,
        expiresInMillis: 60_000,
        triesLeft: 3,
      });
      await talker.next();
      talker.send(noise.nonce());
      for (let round = 0; round < 20; round++) {
        await talker.next();
        talker.send(noise.commit());
        await talker.next();
        talker.send(noise.reveal());
      }
      await talker.next();
      talker.send(claim);
    }
    await ask(desk, mallory);
    await reaches(desk, "code");
    desk.pairing.enterCode("123456");
    expect((await reaches(desk, "failed")).problem).toMatchObject({
      code: "UNAUTHENTICATED",
      message: "gpu-box did not prove that it knows the code.",
    });
    expectNoTrust();
  });

  it("cannot skip the code by claiming to know who calls", async () => {
    const mallory = await makeMachine("mallory");
    mallory.port.handle(
      Alpn.pairing,
      ({ socket }) => {
        const talker = talkerOf(socket);
        void talker.next().then(() =>
          talker.send(
            {
              type: "welcome",
              name: "x",
              agentPort: 0,
              byFingerprint: true,
              expiresInMillis: 60_000,
              triesLeft: 3,
            },
            claim,
          ),
        );
      },
      () => true,
    );
    await ask(desk, mallory);
    expect((await reaches(desk, "failed")).problem?.code).toBe("UNAUTHENTICATED");
    expectNoTrust();

    const talker = await connectAsUnpaired(box.port.port, await anyIdentity());
    talker.send({ ...hello, knowsYou: true });
    expect(await talker.next()).toMatchObject({ byFingerprint: false });
    talker.send(claim);
    expect(await talker.next()).toBeUndefined();
    expectNoTrust();
  });
});

describe("an attacker who recorded a pairing", () => {
  it("cannot repeat it in another session, with the same key and the same code", async () => {
    const identity = await anyIdentity();
    const first = await connectAsUnpaired(box.port.port, identity);
    await enter(first);
    const { result, sent } = await tryCode(first, await codeShownBy(box), idsOf(identity));
    expect(result).toMatchObject({ type: "result", ok: true });
    expect(box.trust.get(identity.deviceId)).toBeDefined();
    await box.trust.remove(identity.deviceId);
    box.pairing.close();

    const second = await connectAsUnpaired(box.port.port, identity);
    await enter(second);
    let answer: PairingMessage | undefined;
    for (const message of sent) {
      second.send(message);
      answer = await second.next();
    }
    expect(answer).toMatchObject({ type: "result", ok: false });
    expectNoTrust();
  });
});

describe("an attacker who guesses", () => {
  it("has three tries, each at another code, and then waits", async () => {
    const identity = await anyIdentity();
    const talker = await connectAsUnpaired(box.port.port, identity);
    await enter(talker);
    for (const triesLeft of [2, 1, 0]) {
      const code = await codeShownBy(box);
      const { result } = await tryCode(talker, wrongCode(code), idsOf(identity));
      expect(result).toMatchObject({ type: "result", ok: false, triesLeft });
    }
    expect(await talker.next()).toBeUndefined();
    expect(new Set(box.shownCodes).size).toBe(3);
    // Neither with the same key nor with another from the same address.
    for (const again of [identity, await anyIdentity()]) {
      const refused = await connectAsUnpaired(box.port.port, again);
      refused.send(hello);
      expect(await refused.next()).toMatchObject({ type: "bye", reason: "pause" });
    }
    expect(box.shownCodes).toHaveLength(3);
    expectNoTrust();
  });

  it("gains no try by hanging up when it sees that its guess is wrong", async () => {
    const identity = await anyIdentity();
    let pauses = 0;
    for (let attempt = 0; attempt < 6; attempt++) {
      const talker = await connectAsUnpaired(box.port.port, identity);
      talker.send(hello);
      const welcome = await talker.next();
      if (welcome?.type === "bye") {
        pauses++;
        talker.socket.destroy();
        continue;
      }
      talker.send(noise.nonce());
      expect(await talker.next()).toMatchObject({ type: "try" });
      talker.send(noise.commit());
      expect(await talker.next()).toMatchObject({ type: "commit" });
      talker.socket.destroy();
      await reaches(box, "failed");
    }
    expect(pauses).toBe(3);
    expect(new Set(box.shownCodes).size).toBe(3);
  });

  it("cannot use a code twice", async () => {
    const identity = await anyIdentity();
    const talker = await connectAsUnpaired(box.port.port, identity);
    await enter(talker);
    const code = await codeShownBy(box);
    await tryCode(talker, wrongCode(code), idsOf(identity));
    // The right one, but of the try before.
    const { result } = await tryCode(talker, code, idsOf(identity));
    expect(result).toMatchObject({ ok: false });
    expectNoTrust();
  });
});

describe("a peer that violates the protocol", () => {
  const garbage: readonly [string, Uint8Array][] = [
    ["an announcement of a large message", Uint8Array.of(0xff, 0xff)],
    [
      "a message just too large",
      Buffer.concat([Uint8Array.of(0x04, 0x01), Buffer.alloc(MAX_MESSAGE_BYTES + 1)]),
    ],
    ["noise", Buffer.concat([Uint8Array.of(0, 64), randomBytes(64)])],
    ["an empty message", Uint8Array.of(0, 0)],
    ["nested arrays", Buffer.concat([Uint8Array.of(0x03, 0), Buffer.alloc(0x300, 0x91)])],
    ["a message with something added", encodeFrame({ ...hello, extra: 1 } as PairingMessage)],
    ["a name of another kind", encodeFrame({ ...hello, name: 7 } as unknown as PairingMessage)],
    ["a name that is too long", encodeFrame({ ...hello, name: "x".repeat(64) })],
    ["a short nonce", encodeFrame({ type: "try", nonce: randomBytes(15) })],
  ];

  it.each(garbage)("is cut off: %s", async (_what, bytes) => {
    const first = await connectAsUnpaired(box.port.port, await anyIdentity());
    first.socket.write(bytes);
    expect(await first.next()).toBeUndefined();
    expect(box.pairing.state()).toBeUndefined();

    const second = await connectAsUnpaired(box.port.port, await anyIdentity());
    await enter(second);
    second.socket.write(bytes);
    expect(await second.next()).toBeUndefined();
    expect(await reaches(box, "failed")).toMatchObject({
      problem: { code: "UNAUTHENTICATED", message: "mallory did not follow the pairing protocol." },
    });
  });

  const outOfTurn: readonly [string, PairingMessage[]][] = [
    ["a second hello", [hello]],
    [
      "a welcome",
      [{ type: "welcome", name: "", agentPort: 0, byFingerprint: true, expiresInMillis: 1, triesLeft: 1 }],
    ],
    ["a result without a try", [claim]],
    ["a commitment without a try", [noise.commit()]],
    ["two tries at once", [noise.nonce(), noise.nonce()]],
    ["a reveal before the commitment", [noise.nonce(), noise.reveal()]],
    ["two commitments", [noise.nonce(), noise.commit(), noise.commit()]],
    ["a result in the middle", [noise.nonce(), noise.commit(), claim]],
  ];

  it.each(outOfTurn)("is cut off out of turn: %s", async (_what, messages) => {
    const talker = await connectAsUnpaired(box.port.port, await anyIdentity());
    await enter(talker);
    talker.send(...messages);
    await reaches(box, "failed");
    while (await talker.next());
    expectNoTrust();
  });

  it("is cut off when its first message is no hello", async () => {
    const talker = await connectAsUnpaired(box.port.port, await anyIdentity());
    talker.send(claim);
    expect(await talker.next()).toBeUndefined();
    expect(box.pairing.state()).toBeUndefined();
  });

  it("is told when it speaks another version", async () => {
    const talker = await connectAsUnpaired(box.port.port, await anyIdentity());
    talker.send({ ...hello, version: 2 });
    expect(await talker.next()).toEqual({ type: "bye", reason: "version" });
  });

  it("cannot write to a terminal by its name", async () => {
    const talker = await connectAsUnpaired(box.port.port, await anyIdentity());
    talker.send({ ...hello, name: "\u001b[2Jgpu\n\u202ebox " });
    await talker.next();
    expect(box.pairing.state()?.machine.name).toBe("[2Jgpubox");
    talker.socket.destroy();
  });

  it("does not keep others out by saying nothing", async () => {
    const silent = await Promise.all(
      Array.from({ length: 4 }, async () => await connectAsUnpaired(box.port.port, await anyIdentity())),
    );
    await expect(connectAsUnpaired(box.port.port, await anyIdentity())).rejects.toMatchObject({
      problem: { code: "RESOURCE_EXHAUSTED" },
    });
    // Another machine is let in all the same.
    const { keyPem: key, certPem: cert } = await anyIdentity();
    const elsewhere = connect({ host: "127.0.0.1", port: box.port.port, localAddress: "127.0.0.2" });
    const other = rawTls(box.port.port, { key, cert, ALPNProtocols: [Alpn.pairing], socket: elsewhere });
    const [first] = await once(other, "data");
    expect([...first]).toEqual([ADMITTED]);
    other.destroy();
    // They are sent away after some seconds; one that gave half a message too.
    silent[0]?.socket.write(encodeFrame(hello).subarray(0, 10));
    await Promise.all(silent.map(async (talker) => expect(await talker.next()).toBeUndefined()));
    await ask(desk, box);
    await enters(desk, await codeShownBy(box));
    await reaches(desk, "paired");
  });
});

describe("unpaired machines whose attempts fail", () => {
  let now: number;
  let gpuBox: Machine;

  beforeEach(async () => {
    now = 0;
    gpuBox = await makeMachine("gpu-box", { now: () => now });
  });

  /** Says hello as an unpaired machine from an address of its own; with the answer. */
  async function unpairedAt(
    localAddress: string,
  ): Promise<{ talker: Talker; answer: PairingMessage | undefined }> {
    const { keyPem: key, certPem: cert } = await anyIdentity();
    const plain = connect({ host: "127.0.0.1", port: gpuBox.port.port, localAddress });
    const socket = rawTls(gpuBox.port.port, { key, cert, ALPNProtocols: [Alpn.pairing], socket: plain });
    await once(socket, "data");
    const talker = talkerOf(socket);
    talker.send(hello);
    return { talker, answer: await talker.next() };
  }

  /** Gives up a try, which counts as a wrong one. */
  async function failAt(localAddress: string): Promise<void> {
    const { talker, answer } = await unpairedAt(localAddress);
    expect(answer).toMatchObject({ type: "welcome" });
    talker.socket.destroy();
    await reaches(gpuBox, "failed");
  }

  it("delay themselves, and other machines for no longer than a minute", async () => {
    for (let failure = 0; failure < 12; failure++) await failAt(`127.0.1.${1 + (failure % 4)}`);
    expect((await unpairedAt("127.0.1.1")).answer).toMatchObject({ type: "bye", reason: "pause" });
    // One who did nothing wrong is let in, and the next one a minute later.
    const { talker, answer } = await unpairedAt("127.0.2.1");
    expect(answer).toMatchObject({ type: "welcome" });
    talker.socket.destroy();
    await reaches(gpuBox, "failed");
    await ask(desk, gpuBox);
    expect((await reaches(desk, "failed")).problem).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      reason: "Other machines failed to pair with it too often; this one did nothing wrong.",
      remedy: expect.stringContaining("Try again in one minute, or begin the pairing on"),
    });
    now += 60_000;
    await ask(desk, gpuBox);
    await enters(desk, await codeShownBy(gpuBox));
    await reaches(desk, "paired");
  });

  it("do not keep the only slot from others for longer than it takes to type a code", async () => {
    const { talker } = await unpairedAt("127.0.1.1");
    await ask(desk, gpuBox);
    expect((await reaches(desk, "failed")).problem?.code).toBe("UNAVAILABLE");
    now += 30_000;
    await ask(desk, gpuBox);
    expect(await talker.next()).toMatchObject({ type: "bye", reason: "busy" });
    expect(gpuBox.pairing.state()?.machine.id).toBe(desk.identity.deviceId);
    await enters(desk, await codeShownBy(gpuBox));
    await reaches(desk, "paired");
  });

  it("lose the slot at once where they failed before", async () => {
    for (let failure = 0; failure < 3; failure++) await failAt("127.0.1.1");
    now += 30_000;
    const { talker, answer } = await unpairedAt("127.0.1.1");
    expect(answer).toMatchObject({ type: "welcome" });
    await ask(desk, gpuBox);
    expect(await talker.next()).toMatchObject({ type: "bye", reason: "busy" });
    await reaches(desk, "code");
  });
});

describe("messages", () => {
  it("are read whatever way they are cut", () => {
    const bytes = Buffer.concat([encodeFrame(hello), encodeFrame({ type: "bye", reason: "busy" })]);
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const reader = new FrameReader();
      const read: PairingMessage[] = [];
      for (let at = 0; at < bytes.length; at += size)
        read.push(...reader.push(bytes.subarray(at, at + size)));
      expect(read).toEqual([hello, { type: "bye", reason: "busy" }]);
    }
  });
});
