import { once } from "node:events";
import { connect as connectPlain, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
import { LOOPBACK } from "../../support/trusting.js";
import { until } from "../../support/until.js";

let desk: Machine;
let box: Machine;

beforeEach(async () => {
  [desk, box] = await Promise.all([makeMachine("desk"), makeMachine("gpu-box")]);
});
afterEach(endMachines);

describe("pairing by code", () => {
  it("makes each trust the other with the roles that both granted", async () => {
    await ask(desk, box, "view");
    const code = await codeShownBy(box);
    expect(code).toMatch(/^\d{6}$/);
    box.pairing.setGrantedRole("manage");
    await reaches(desk, "code");
    desk.pairing.enterCode(code);
    const [atDesk, atBox] = await Promise.all([reaches(desk, "paired"), reaches(box, "paired")]);
    expect(atDesk).toMatchObject({
      side: "enter",
      machine: { name: "gpu-box" },
      grantedRole: "view",
      role: "manage",
    });
    expect(atBox).toMatchObject({
      side: "show",
      machine: { name: "desk" },
      grantedRole: "manage",
      role: "view",
    });
    expect(atBox.code).toBeUndefined();
    expect(desk.trust.get(box.identity.deviceId)).toMatchObject({
      name: "gpu-box",
      grantedRole: "view",
      role: "manage",
      addresses: [LOOPBACK],
      agentPort: box.port.port,
      certPem: expect.stringContaining("BEGIN CERTIFICATE"),
    });
    expect(box.trust.get(desk.identity.deviceId)).toMatchObject({
      name: "desk",
      grantedRole: "manage",
      role: "view",
      agentPort: desk.port.port,
    });
    expect(box.shownCodes).toEqual([code]);
  });

  it("shows a fresh code after each wrong one, and ends after three", async () => {
    await ask(desk, box);
    const codes = new Set<string>();
    for (const left of [2, 1]) {
      const code = await codeShownBy(box);
      codes.add(code);
      await enters(desk, wrongCode(code));
      expect(await reaches(desk, "wrong")).toMatchObject({ triesLeft: left });
      expect(await reaches(box, "wrong")).toMatchObject({ triesLeft: left });
    }
    const last = await codeShownBy(box);
    codes.add(last);
    await enters(desk, wrongCode(last));
    expect((await reaches(desk, "failed")).problem?.message).toContain("too many wrong codes");
    expect((await reaches(box, "failed")).problem?.message).toContain("too many wrong codes");
    expect(codes.size).toBe(3);
    expect([desk.trust.all(), box.trust.all()]).toEqual([[], []]);

    desk.pairing.close();
    await ask(desk, box);
    const refused = await reaches(desk, "failed");
    expect(refused.problem).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      remedy: expect.stringMatching(/in \d+ s/),
    });
    expect(box.shownCodes.length).toBe(3);
  });

  it("takes the right code after a wrong one", async () => {
    await ask(desk, box);
    await enters(desk, wrongCode(await codeShownBy(box)));
    await reaches(box, "wrong");
    await reaches(desk, "wrong");
    await enters(desk, await codeShownBy(box));
    await Promise.all([reaches(desk, "paired"), reaches(box, "paired")]);
  });

  it("tells each side at once when the other ends it", async () => {
    await ask(desk, box);
    await reaches(desk, "code");
    box.pairing.close();
    expect(await reaches(desk, "failed")).toMatchObject({
      problem: { message: "gpu-box refused the pairing." },
    });
    desk.pairing.close();
    expect(desk.pairing.state()).toBeUndefined();

    await ask(box, desk);
    await reaches(desk, "code");
    box.pairing.close();
    expect(await reaches(desk, "failed")).toMatchObject({
      problem: { message: "gpu-box cancelled the pairing." },
    });
    expect(box.pairing.state()).toBeUndefined();
  });

  it("says that the connection was lost when the other machine goes", async () => {
    await ask(desk, box);
    await reaches(desk, "code");
    await box.port.close();
    expect(await reaches(desk, "failed")).toMatchObject({
      problem: { code: "UNAVAILABLE", message: "The connection to gpu-box was lost during the pairing." },
    });
  });

  it("expires on both sides, and then makes the machine wait", async () => {
    const hasty = await makeMachine("hasty", { openMillis: 100 });
    await ask(desk, hasty);
    for (const machine of [desk, hasty]) {
      expect((await reaches(machine, "failed")).problem?.message).toMatch(/expired/);
    }
    await ask(desk, hasty);
    await until("the pause", () => desk.pairing.state()?.problem?.code === "RESOURCE_EXHAUSTED");
  });

  it("answers others that it is busy, and begins no second one itself", async () => {
    const third = await makeMachine("third");
    await ask(desk, box);
    await reaches(box, "code");
    await ask(third, box);
    expect(await reaches(third, "failed")).toMatchObject({
      problem: { message: "the other one is currently pairing with another machine." },
    });
    await expect(ask(desk, third)).rejects.toMatchObject({ problem: { code: "FAILED_PRECONDITION" } });
    await expect(ask(box, third)).rejects.toMatchObject({ problem: { code: "FAILED_PRECONDITION" } });
    expect(box.pairing.state()?.machine.id).toBe(desk.identity.deviceId);
  });

  it("goes on with one of two requests that cross", async () => {
    await Promise.all([ask(desk, box), ask(box, desk)]);
    const [low, high] = desk.identity.deviceId < box.identity.deviceId ? [desk, box] : [box, desk];
    await reaches(high, "code");
    expect(high.pairing.state()?.side).toBe("enter");
    expect(low.pairing.state()?.side).toBe("show");
    high.pairing.enterCode(await codeShownBy(low));
    await Promise.all([reaches(desk, "paired"), reaches(box, "paired")]);
  });

  it("says why a machine cannot be reached, and can be called off meanwhile", async () => {
    const server = createServer().listen(0, LOOPBACK);
    const sockets: Socket[] = [];
    server.on("connection", (socket) => sockets.push(socket));
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const started = desk.pairing.start({
      machineId: "",
      addresses: [`${LOOPBACK}:${port}`],
      name: "silent",
      grantedRole: "view",
      idIsVouchedFor: false,
    });
    expect(desk.pairing.state()?.step).toBe("connecting");
    desk.pairing.close();
    await started;
    expect(desk.pairing.state()).toBeUndefined();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));

    await desk.pairing.start({
      machineId: "",
      addresses: [`${LOOPBACK}:${port}`],
      name: "gone",
      grantedRole: "view",
      idIsVouchedFor: false,
    });
    expect(desk.pairing.state()).toMatchObject({ step: "failed", problem: { code: "UNAVAILABLE" } });
  });

  it("does not pair with another machine than the announced one", async () => {
    const other = await makeMachine("other");
    await desk.pairing.start({
      machineId: other.identity.deviceId,
      addresses: [addressOf(box)],
      name: "other",
      grantedRole: "view",
      idIsVouchedFor: false,
    });
    expect(desk.pairing.state()).toMatchObject({ step: "failed", problem: { code: "UNAUTHENTICATED" } });
    expect(box.shownCodes).toEqual([]);
  });

  it("can be done again, e.g. after one side forgot the other", async () => {
    for (const role of ["view", "run"] as const) {
      await ask(desk, box, role);
      await reaches(desk, "code");
      desk.pairing.enterCode(await codeShownBy(box));
      await Promise.all([reaches(desk, "paired"), reaches(box, "paired")]);
      desk.pairing.close();
      box.pairing.close();
      expect(box.trust.get(desk.identity.deviceId)?.role).toBe(role);
    }
    expect(box.trust.all().length).toBe(1);
  });
});

describe("pairing by fingerprint", () => {
  it("needs no code where each side was given the other's device ID", async () => {
    await box.trust.preauthorise(desk.identity.deviceId, "manage");
    await ask(desk, box, "view", true);
    await Promise.all([reaches(desk, "paired"), reaches(box, "paired")]);
    expect(box.shownCodes).toEqual([]);
    expect(box.trust.get(desk.identity.deviceId)).toMatchObject({ grantedRole: "manage", role: "view" });
    expect(desk.trust.get(box.identity.deviceId)).toMatchObject({ grantedRole: "view", role: "manage" });
    expect(await box.trust.preauthorisation(desk.identity.deviceId)).toBeUndefined();
  });

  it("takes a code where only one side was", async () => {
    await ask(desk, box, "view", true);
    expect(await reaches(desk, "code")).toBeDefined();
    expect(box.shownCodes.length).toBe(1);
    desk.pairing.close();
    await reaches(box, "failed");

    await box.trust.preauthorise(desk.identity.deviceId, "run");
    await ask(desk, box, "view", false);
    await reaches(desk, "code");
    expect(box.pairing.state()?.grantedRole).toBe("run");
  });
});

describe("an unpaired machine that only connects", () => {
  it("does not keep others from pairing", async () => {
    const plain = connectPlain(box.port.port, LOOPBACK);
    await once(plain, "connect");
    await ask(desk, box);
    await enters(desk, await codeShownBy(box));
    await reaches(desk, "paired");
    plain.destroy();
  });
});
