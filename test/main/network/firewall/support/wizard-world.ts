/** Two or three machines of which one has Windows, with ports that answer as its rules say. */
import type { FirewallWizard } from "../../../../../main/api/firewall.js";
import type { LayerResult } from "../../../../../main/api/reachability.js";
import { portsIn } from "../../../../../main/network/firewall/ports.js";
import { SystemFirewall } from "../../../../../main/network/firewall/system-firewall.js";
import type { FirewallTool } from "../../../../../main/network/firewall/tool.js";
import { windowsFirewall } from "../../../../../main/network/firewall/windows/windows-firewall.js";
import { FirewallWizardService } from "../../../../../main/network/firewall/wizard/firewall-wizard.js";
import type {
  WizardMachine,
  WizardMachines,
  WizardProber,
} from "../../../../../main/network/firewall/wizard/wizard-machine.js";
import { WindowsStandIn } from "./windows-stand-in.js";

export const gpuPc: WizardMachine = {
  online: true,
  id: "gpu",
  name: "gpu-pc",
  addresses: ["192.168.1.20"],
  agentPort: 2220,
  tasks: [{ port: 2222, name: "worker/0" }],
};
export const raspberrypi: WizardMachine = {
  online: true,
  id: "pi",
  name: "raspberrypi",
  addresses: ["raspberrypi.local", "10.9.8.7", "192.168.1.31"],
  agentPort: 2220,
  tasks: [],
};
export const macbook: WizardMachine = {
  online: true,
  id: "mac",
  name: "macbook",
  addresses: ["192.168.1.40"],
  agentPort: 2220,
  tasks: [],
};

export class WizardWorld implements WizardMachines {
  readonly windows = new WindowsStandIn();
  /** Ports at which something listens on gpu-pc. */
  readonly listening = new Set([2220, 2222]);
  /** Machines that can be asked. */
  readonly online = new Set(["gpu", "pi", "mac"]);
  machines: WizardMachine[] = [gpuPc, raspberrypi];
  /** Machines that get through whatever the rules say. */
  readonly letIn = new Set<string>();
  readonly states: (FirewallWizard | undefined)[] = [];
  readonly wizard: FirewallWizardService;
  tool: FirewallTool | undefined;
  readonly #waiters = new Set<() => void>();

  constructor() {
    this.tool = new SystemFirewall(
      windowsFirewall({
        run: this.windows.run,
        powershell: "C:\\Windows\\powershell.exe",
        programs: ["C:\\node.exe"],
        agentPort: () => gpuPc.agentPort,
        tag: "0123456789abcdef",
      }),
    );
    this.wizard = new FirewallWizardService({
      machines: this,
      emit: (event, state) => {
        if (event !== "firewall") return;
        this.states.push(state as FirewallWizard | undefined);
        for (const check of [...this.#waiters]) check();
      },
    });
  }

  find(id: string): WizardMachine | undefined {
    return this.machines.find((machine) => machine.id === id);
  }

  all(): readonly WizardMachine[] {
    return this.machines;
  }

  firewallOf(id: string): FirewallTool | undefined {
    return id === "gpu" && this.online.has(id) ? this.tool : undefined;
  }

  proberOf(id: string): WizardProber | undefined {
    if (!this.online.has(id)) return undefined;
    return async ({ address, signal }) => {
      signal.throwIfAborted();
      return this.#layers(id, address);
    };
  }

  /** Resolves with the first state, from now on or at present, that fits. */
  until(fits: (state: FirewallWizard) => boolean): Promise<FirewallWizard> {
    return new Promise((resolve) => {
      const check = () => {
        const state = this.wizard.get();
        if (!state || !fits(state)) return;
        this.#waiters.delete(check);
        resolve(state);
      };
      this.#waiters.add(check);
      check();
    });
  }

  /** When nothing goes on any more. */
  idle(): Promise<FirewallWizard> {
    return this.until(({ busy }) => !busy);
  }

  #layers(from: string, address: string): LayerResult[] {
    const port = Number(address.split(":").at(-1));
    const local = address.startsWith("127.0.0.1:");
    const rules = this.windows.own.flatMap(({ ports, from: sources }) =>
      ports.flatMap(portsIn).flatMap((open) => sources.map((source) => ({ open, source }))),
    );
    const own = this.find(from)?.addresses ?? [];
    const open =
      local ||
      this.letIn.has(from) ||
      (this.windows.answer.blocking.length === 0 &&
        rules.some(
          (rule) => rule.open === port && (rule.source === "LocalSubnet" || own.includes(rule.source)),
        ));
    const ping: LayerResult = { layer: "ping", outcome: "ok", millis: 0.6, detail: "answers in 0.6 ms" };
    const start: LayerResult[] = [{ layer: "name", outcome: "ok" }, ping];
    if (!open) {
      const detail = "timed out after 3.0 s, 3 of 3 tries";
      return [...start, { layer: "tcp", outcome: "failed", cause: "timed-out", millis: 3000, detail }];
    }
    return this.listening.has(port)
      ? [...start, { layer: "tcp", outcome: "ok", millis: 2.7 }]
      : [...start, { layer: "tcp", outcome: "failed", cause: "refused", detail: "connection refused" }];
  }
}
