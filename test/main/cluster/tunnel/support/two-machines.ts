/** Two paired machines for each test, and further ones as it needs them. */
import { afterEach, beforeEach } from "vitest";
import { pair, startMachine, type TunnelMachine } from "./machines.js";

export interface TwoMachines {
  readonly here: TunnelMachine;
  readonly there: TunnelMachine;
  /** Another machine, which is not paired. It ends with the test. */
  machine(options?: Parameters<typeof startMachine>[0]): Promise<TunnelMachine>;
}

/** Starts the machines before each test of the file that calls this, and ends them after it. */
export function twoMachines(): TwoMachines {
  const machines: TunnelMachine[] = [];
  const machine = async (options?: Parameters<typeof startMachine>[0]): Promise<TunnelMachine> => {
    const started = await startMachine(options);
    machines.push(started);
    return started;
  };
  let pairOfThem: readonly [TunnelMachine, TunnelMachine] | undefined;
  const at = (index: 0 | 1): TunnelMachine => {
    if (!pairOfThem) throw new Error("The machines are there during tests only.");
    return pairOfThem[index];
  };
  beforeEach(async () => {
    pairOfThem = await Promise.all([machine(), machine()]);
    await pair(...pairOfThem);
  });
  afterEach(async () => {
    pairOfThem = undefined;
    await Promise.all(machines.splice(0).map((started) => started.close()));
  });
  return {
    machine,
    get here() {
      return at(0);
    },
    get there() {
      return at(1);
    },
  };
}
