import { expect, it } from "vitest";
import type { ApplicationClient } from "../../../main/api/contract.js";
import type { PairingState } from "../../../main/api/machines.js";
import { follow } from "../../../renderer/app/follow-application.js";
import { usePairing } from "../../../renderer/stores/pairing-store.js";
import { clusterOf } from "../support/cluster-states.js";

const connecting: PairingState = {
  id: "p",
  side: "enter",
  step: "connecting",
  machine: { id: "m", name: "raspberrypi", address: "10.0.0.2:2220" },
  ownId: "o",
  grantedRole: "run",
  triesLeft: 3,
  expiresAt: 0,
};

/** An application that answers nothing but which pairing goes on, and that tells what a test says. */
class PairingApplication {
  readonly #listeners = new Map<string, (data: unknown) => void>();

  readonly client: ApplicationClient = {
    call: (async (method: string) => {
      if (method === "pairing.get") return connecting;
      if (method === "cluster.get") return clusterOf([]);
      // Of the others, one is of no interest, and the slow ones never come.
      return method === "firewall.get" || method === "reachability.get" ? new Promise(() => {}) : undefined;
    }) as ApplicationClient["call"],
    on: (event, listener) => {
      this.#listeners.set(event, listener as (data: unknown) => void);
      return () => {};
    },
    onConnection: (listener) => {
      listener(true);
      return () => {};
    },
  };

  tell(event: string, data: unknown): void {
    this.#listeners.get(event)?.(data);
  }
}

it("does not wait for slow answers with quick ones, and never puts back what an event has changed", async () => {
  const application = new PairingApplication();
  follow(application.client);
  await expect.poll(() => usePairing.getState().state?.step).toBe("connecting");
  application.tell("pairing", { ...connecting, step: "code" });
  expect(usePairing.getState().state?.step).toBe("code");
});
