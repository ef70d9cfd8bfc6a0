import { beforeEach, describe, expect, it } from "vitest";
import { firewallWizardSchema } from "../../../../main/api/firewall.js";
import { gpuPc, macbook, raspberrypi, WizardWorld } from "./support/wizard-world.js";

let world: WizardWorld;

beforeEach(() => {
  world = new WizardWorld();
});

/** Opens the wizard and goes as far as the plan. */
async function toChange(peerId = "pi"): Promise<void> {
  world.wizard.open({ machineId: "gpu", ...(peerId !== "" && { peerId }) });
  await world.idle();
  world.wizard.goTo({ step: "change" });
  await world.until(({ plan, busy }) => plan !== undefined && !busy);
}

describe("what is blocked", () => {
  it("is tested from both sides, and named with proof", async () => {
    world.machines.push(macbook);
    world.letIn.add("mac");
    world.wizard.open({ machineId: "gpu", peerId: "pi" });
    expect(world.wizard.get()).toMatchObject({ step: "blocked", busy: true, ports: [2220, 2222] });
    const state = await world.idle();
    expect(state.headline).toBe("gpu-pc's firewall drops the connection");
    expect(state.explanation).toContain("gpu-pc");
    expect(state.proof).toEqual([
      { what: "raspberrypi → gpu-pc", outcome: "ok", detail: "ping answers in 0.6 ms" },
      { what: "raspberrypi → gpu-pc:2220", outcome: "failed", detail: "timed out after 3.0 s, 3 of 3 tries" },
      { what: "raspberrypi → gpu-pc:2222", outcome: "failed", detail: "timed out after 3.0 s, 3 of 3 tries" },
      { what: "gpu-pc:2220", outcome: "ok", detail: "the agent is listening" },
      { what: "gpu-pc:2222", outcome: "ok", detail: "worker/0 is listening" },
      { what: "macbook → gpu-pc:2220", outcome: "ok", detail: "connected in 3 ms" },
      { what: "macbook → gpu-pc:2222", outcome: "ok", detail: "connected in 3 ms" },
    ]);
    expect(state.facts).toMatchObject({ tool: "windows", active: true });
    // The address by which gpu-pc's network knows the peer, not the first one of its list.
    expect(state.peer?.address).toBe("10.9.8.7");
    for (const each of world.states) firewallWizardSchema.optional().parse(each);
  });

  it("is nothing when everything answers", async () => {
    world.letIn.add("pi");
    world.wizard.open({ machineId: "gpu", peerId: "pi" });
    expect((await world.idle()).headline).toBe("raspberrypi reaches gpu-pc");
  });

  it("is not the firewall where nothing listens", async () => {
    world.letIn.add("pi");
    world.listening.delete(2222);
    world.wizard.open({ machineId: "gpu", peerId: "pi" });
    const state = await world.idle();
    expect(state.headline).toContain("nothing listens on port 2222");
    expect(state.proof).toContainEqual({ what: "gpu-pc:2222", outcome: "failed", detail: "nothing listens" });
  });

  it("is not the firewall where that is off", async () => {
    world.windows.answer.profiles.forEach((profile) => {
      profile.enabled = "False";
    });
    world.wizard.open({ machineId: "gpu", peerId: "pi" });
    expect((await world.idle()).headline).not.toContain("firewall");
  });

  it("is said to be unknown where the other machine cannot be asked", async () => {
    world.online.delete("pi");
    world.wizard.open({ machineId: "gpu", peerId: "pi" });
    const state = await world.idle();
    expect(state.headline).toBe("It is not known whether raspberrypi reaches gpu-pc");
    expect(state.proof).toContainEqual({
      what: "raspberrypi → gpu-pc:2222",
      outcome: "unknown",
      detail: "raspberrypi cannot be asked now",
    });
  });

  it("is tested from any online machine, if no machine was named or the named one is offline", async () => {
    world.machines = [gpuPc, { ...raspberrypi, online: false }, macbook];
    for (const named of [{}, { peerId: "pi" }]) {
      world.wizard.open({ machineId: "gpu", ...named });
      const state = await world.idle();
      expect(state.headline).toContain("gpu-pc's firewall drops the connection");
      expect(state.explanation).toContain("macbook");
      expect(state.proof).toContainEqual(
        expect.objectContaining({ what: "macbook → gpu-pc:2220", outcome: "failed" }),
      );
    }
  });

  it("is told from the firewall alone while no other machine is there", async () => {
    world.machines = [gpuPc];
    world.wizard.open({ machineId: "gpu" });
    const state = await world.idle();
    expect(state.peer).toBeUndefined();
    expect(state.headline).toBe("Windows Defender Firewall on gpu-pc lets in only what its rules say");
    expect(state.explanation).toContain("TCP 2220, 2222, UDP 5353");
    expect(state.explanation).toContain("probably");
  });

  it("is tested nevertheless where the firewall cannot be queried", async () => {
    world.tool = undefined;
    world.wizard.open({ machineId: "gpu", peerId: "pi" });
    const state = await world.until(({ problem }) => problem !== undefined);
    expect(state.problem).toMatchObject({ code: "UNAVAILABLE", remedy: expect.stringContaining("gpu-pc") });
    expect(state.proof).toHaveLength(5);
  });
});

describe("what will change", () => {
  it("is planned for the subnet, then for a single peer", async () => {
    await toChange();
    expect(world.wizard.get()?.plan?.script).toContain("'LocalSubnet'");
    world.wizard.configure({ scope: { kind: "peer", address: "192.168.1.31" }, removeBlockRules: false });
    expect(world.wizard.get()?.plan).toBeUndefined();
    const state = await world.until(({ plan }) => plan !== undefined);
    expect(state.plan?.script).toContain("-RemoteAddress '192.168.1.31'");
    expect(state.plan?.rules.map(({ from }) => from)).toEqual(
      Array.from({ length: 4 }, () => "192.168.1.31"),
    );
    expect(state.plan?.notes[0]).toEqual({
      kind: "ok",
      text: expect.stringContaining("Public profile stays closed"),
    });
  });

  it("is not planned for what is no address", async () => {
    await toChange();
    const scope = { kind: "peer", address: "1.2.3.4; calc" } as const;
    expect(() => world.wizard.configure({ scope, removeBlockRules: false })).toThrow("is not the address");
  });

  it("names Block rules, and removes them with consent only", async () => {
    world.windows.answer.blocking.push({ id: "{block}", name: "node.exe", program: "C:\\node.exe" });
    await toChange();
    expect(world.wizard.get()?.plan).toMatchObject({ removals: [] });
    expect(
      world.wizard
        .get()
        ?.plan?.notes.map(({ text }) => text)
        .join(),
    ).toContain("wins over these rules");
    world.wizard.configure({ scope: { kind: "subnet" }, removeBlockRules: true });
    const state = await world.until(({ plan }) => plan !== undefined);
    expect(state.plan).toMatchObject({
      removals: ["node.exe"],
      script: expect.stringContaining("$rule | Disable-NetFirewallRule"),
    });
    world.wizard.apply();
    expect(await world.until(({ step, busy }) => step === "verify" && !busy)).toMatchObject({
      headline: "raspberrypi reaches gpu-pc",
      facts: { blockRules: [] },
    });
  });

  it("warns of a network that the rules do not apply to", async () => {
    world.windows.answer.adapters = [{ name: "Wi-Fi", profile: "Public", addresses: ["192.168.1.20"] }];
    await toChange();
    const warnings = world.wizard.get()?.plan?.notes.filter(({ kind }) => kind === "warning");
    expect(warnings?.map(({ text }) => text).join()).toContain("Wi-Fi is in the Public profile");
  });
});

describe("applying", () => {
  it("asks once, verifies without rights and from the other machine, and can be undone", async () => {
    await toChange();
    const shown = world.wizard.get()?.plan?.script;
    world.wizard.apply();
    expect(world.wizard.get()).toMatchObject({ step: "apply", busy: true, apply: { state: "waiting" } });
    const state = await world.until(({ step, busy }) => step === "verify" && !busy);
    expect(state).toMatchObject({ apply: { state: "applied" }, headline: "raspberrypi reaches gpu-pc" });
    expect(state.verification).toEqual([
      { what: "raspberrypi → gpu-pc", outcome: "ok", detail: "ping answers in 0.6 ms" },
      { what: "raspberrypi → gpu-pc:2220", outcome: "ok", detail: "connected in 3 ms" },
      { what: "raspberrypi → gpu-pc:2222", outcome: "ok", detail: "connected in 3 ms" },
      ...["agent: TCP 2220", "tasks: TCP 2222", "discovery: UDP 5353", "ping: ICMP echo"].map((rule) => ({
        what: "Rule on gpu-pc",
        outcome: "ok",
        detail: `Tensordeck ${rule} from LocalSubnet, Private`,
      })),
      { what: "Public profile", outcome: "ok", detail: expect.stringContaining("still closed") },
    ]);
    expect(world.windows.prompts).toBe(1);
    expect(world.windows.elevated).toEqual([shown]);

    world.wizard.undo();
    const undone = await world.until(({ apply, busy }) => apply?.state === "undone" && !busy);
    expect(undone.headline).toBe("The rules were removed from gpu-pc");
    expect(undone.facts?.ownRules).toEqual([]);
    expect(undone.verification).toContainEqual(
      expect.objectContaining({ what: "raspberrypi → gpu-pc:2222", outcome: "failed" }),
    );
  });

  it("requests no rights when everything is in place already", async () => {
    await toChange();
    world.wizard.apply();
    await world.until(({ step, busy }) => step === "verify" && !busy);
    world.wizard.goTo({ step: "change" });
    await world.idle();
    world.wizard.apply();
    const state = await world.until(({ step, busy }) => step === "verify" && !busy);
    expect(state.apply?.state).toBe("already");
    expect(world.windows.prompts).toBe(1);
  });

  it.each([
    { ending: "decline", apply: { state: "declined" } },
    { ending: "no-prompt", apply: { state: "failed", problem: { code: "PERMISSION_DENIED" } } },
    {
      ending: "fail",
      apply: {
        state: "failed",
        problem: {
          code: "PERMISSION_DENIED",
          reason: "It failed while making the new rules. The rules are as they were before.",
        },
      },
    },
    {
      ending: "crash",
      apply: { state: "failed", problem: { details: expect.stringContaining("-1073741510") } },
    },
  ] as const)(
    "tells a prompt that ends with '$ending' from the others, and can be tried again",
    async ({ ending, apply }) => {
      await toChange();
      world.windows.ending = ending;
      world.wizard.apply();
      const state = await world.until(({ busy }) => !busy);
      expect(state).toMatchObject({ step: "apply", apply });
      expect(world.windows.own).toEqual([]);
      world.windows.ending = "accept";
      world.wizard.apply();
      expect((await world.until(({ step, busy }) => step === "verify" && !busy)).apply?.state).toBe(
        "applied",
      );
    },
  );

  it("stops waiting when the user goes back, and hears nothing of the prompt any more", async () => {
    await toChange();
    world.windows.ending = "wait";
    world.wizard.apply();
    await expect.poll(() => world.windows.prompts).toBe(1);
    for (const act of [() => world.wizard.apply(), () => world.wizard.test(), () => world.wizard.undo()]) {
      expect(act).toThrow("being changed");
    }
    world.wizard.goTo({ step: "change" });
    const state = await world.idle();
    expect(state).toMatchObject({ step: "change" });
    expect(state.apply).toBeUndefined();
  });

  it("stops waiting when the wizard is put away", async () => {
    await toChange();
    world.windows.ending = "wait";
    world.wizard.apply();
    await expect.poll(() => world.windows.prompts).toBe(1);
    world.wizard.close();
    expect(world.wizard.get()).toBeUndefined();
    expect(world.states.at(-1)).toBeUndefined();
    expect(() => world.wizard.apply()).toThrow("No firewall wizard is open");
  });

  it("runs directly with an administrator's rights, and shows a command on a headless machine", async () => {
    world.windows.answer.elevated = true;
    await toChange();
    world.wizard.apply();
    await world.until(({ step, busy }) => step === "verify" && !busy);
    expect(world.windows.prompts).toBe(0);

    world = new WizardWorld();
    world.windows.answer.interactive = false;
    await toChange();
    world.wizard.apply();
    const waiting = await world.until(({ apply }) => apply?.state === "by-hand");
    expect(waiting).toMatchObject({ step: "apply", busy: false });
    expect(waiting.apply?.command).toContain("-EncodedCommand");
    // Tested too early: the step stays, and says so.
    world.wizard.test();
    const early = await world.until(({ apply, busy }) => apply?.problem !== undefined && !busy);
    expect(early).toMatchObject({ step: "apply", apply: { state: "by-hand" } });
    expect(early.apply?.problem?.message).toContain("still does not reach");
    world.windows.paste(waiting.apply?.command ?? "");
    world.wizard.test();
    const done = await world.until(({ apply, busy }) => apply?.state === "applied" && !busy);
    expect(done).toMatchObject({ step: "verify", headline: "raspberrypi reaches gpu-pc" });
    expect(world.windows.prompts).toBe(0);

    world.wizard.undo();
    const undo = await world.until(({ apply }) => apply?.state === "by-hand");
    world.wizard.test();
    const left = await world.until(({ apply, busy }) => apply?.problem !== undefined && !busy);
    expect(left.apply?.problem?.message).toBe("The rules are still there on gpu-pc");
    world.windows.paste(undo.apply?.command ?? "");
    world.wizard.test();
    const undone = await world.until(({ apply, busy }) => apply?.state === "undone" && !busy);
    expect(undone).toMatchObject({ step: "verify", headline: "The rules were removed from gpu-pc" });
  });

  it("runs nothing else than what was shown", async () => {
    await toChange();
    world.windows.answer.blocking.push({ id: "{new}", name: "node.exe", program: "C:\\node.exe" });
    world.wizard.configure({ scope: { kind: "subnet" }, removeBlockRules: true });
    await world.until(({ plan }) => plan !== undefined);
    world.windows.answer.blocking.push({ id: "{newer}", name: "node.exe", program: "C:\\node.exe" });
    world.wizard.apply();
    const state = await world.until(({ problem }) => problem !== undefined);
    expect(state).toMatchObject({ step: "change", problem: { code: "ABORTED" } });
    expect(state.plan?.removals).toHaveLength(2);
    expect(world.windows.prompts).toBe(0);
  });

  it("says so when it did not help", async () => {
    world.windows.answer.blocking.push({ id: "{block}", name: "node.exe", program: "C:\\node.exe" });
    await toChange();
    world.wizard.apply();
    const state = await world.until(({ step, busy }) => step === "verify" && !busy);
    expect(state.headline).toBe("raspberrypi still does not reach gpu-pc");
    expect(state.verification.filter(({ outcome }) => outcome === "failed")).toHaveLength(2);
  });

  it("works before any other machine is there", async () => {
    world.machines = [gpuPc];
    await toChange("");
    world.wizard.apply();
    const state = await world.until(({ step, busy }) => step === "verify" && !busy);
    expect(state.headline).toBe("The rules are in place on gpu-pc");
  });

  it("keeps the rules when taking them away is declined", async () => {
    await toChange();
    world.wizard.apply();
    await world.until(({ step, busy }) => step === "verify" && !busy);
    world.windows.ending = "decline";
    world.wizard.undo();
    const state = await world.until(({ apply, busy }) => apply?.state === "declined" && !busy);
    expect(state.problem?.message).toBe("The rules were not removed.");
    expect(world.windows.own).not.toEqual([]);
  });
});

describe("a wizard", () => {
  it("that is opened again replaces the old one, which emits nothing more", async () => {
    world.machines.push(macbook);
    world.wizard.open({ machineId: "gpu", peerId: "pi" });
    world.wizard.open({ machineId: "gpu", peerId: "mac" });
    await world.idle();
    const after = world.states.slice(world.states.lastIndexOf(undefined) + 1);
    expect(after.length).toBeGreaterThan(1);
    expect(after.every((state) => state?.peer?.id === "mac")).toBe(true);
  });

  it("is not opened for a machine that is not there", () => {
    expect(() => world.wizard.open({ machineId: "nobody" })).toThrow("no longer there");
    expect(() => world.wizard.open({ machineId: "gpu", peerId: "nobody" })).toThrow("no longer there");
    expect(world.wizard.get()).toBeUndefined();
  });

  it("asks for what it needs to be applied", async () => {
    world.wizard.open({ machineId: raspberrypi.id });
    await world.idle();
    expect(() => world.wizard.apply()).toThrow("changes have not been determined");
  });
});
