import { beforeEach, describe, expect, it } from "vitest";
import type { ApplicationClient } from "../../../main/api/contract.js";
import type { PairingState } from "../../../main/api/machines.js";
import { isModalOpen, onModalChange } from "../../../renderer/stores/modal.js";
import {
  closePairing,
  grantRole,
  receivePairing,
  startPairing,
  usePairing,
} from "../../../renderer/stores/pairing-store.js";
import { uiActions } from "../../../renderer/stores/ui-store.js";
import { setClient } from "../../../renderer/transport/client.js";

const calls: [method: string, params: unknown][] = [];

setClient({
  call: async (method: string, params: unknown) => {
    calls.push([method, params]);
  },
  on: () => () => undefined,
  onConnection: () => () => undefined,
} as unknown as ApplicationClient);

const pairing = (id: string, more: Partial<PairingState> = {}): PairingState => ({
  id,
  side: "show",
  machine: { id: "peer", name: "gpu-pc", address: "192.168.1.20" },
  ownId: "own",
  step: "code",
  code: "418207",
  expiresAt: 0,
  triesLeft: 3,
  grantedRole: "run",
  ...more,
});

beforeEach(() => {
  calls.length = 0;
  receivePairing(undefined);
  uiActions.close();
});

describe("a pairing", () => {
  it("that comes by itself lies over the window and holds its keys", () => {
    const changes: boolean[] = [];
    onModalChange((open) => changes.push(open));
    expect(isModalOpen()).toBe(false);
    receivePairing(pairing("a"));
    expect(isModalOpen()).toBe(true);
    uiActions.open({ kind: "about" });
    receivePairing(undefined);
    expect(isModalOpen()).toBe(true);
    uiActions.close();
    expect(changes).toEqual([true, false]);
  });

  it("that was put away stays away, whatever is still said of it; the next one does not", async () => {
    receivePairing(pairing("b"));
    await closePairing();
    expect(calls).toEqual([["pairing.close", undefined]]);
    receivePairing(pairing("b", { step: "failed" }));
    expect(usePairing.getState().state).toBeUndefined();
    receivePairing(pairing("c"));
    expect(usePairing.getState().state?.id).toBe("c");
  });

  it("grants run unless told", async () => {
    await startPairing("peer");
    expect(calls).toEqual([["pairing.start", { machineId: "peer", grantedRole: "run" }]]);
  });

  it("takes another role, which belongs to the machine once it is paired", async () => {
    receivePairing(pairing("d"));
    await grantRole("view");
    expect(usePairing.getState().state?.grantedRole).toBe("view");
    receivePairing(pairing("d", { step: "paired" }));
    await grantRole("manage");
    expect(calls).toEqual([
      ["pairing.setGrantedRole", { role: "view" }],
      ["machines.setRole", { machineId: "peer", role: "manage" }],
    ]);
  });
});
