/** The firewall wizard: what a window asks for becomes tests, plans and changes, and every change of state an event. */
import type { Params } from "../../api/contract.js";
import type { FirewallApply, FirewallWizard } from "../../api/firewall.js";
import type { EmitEvent } from "../../events.js";
import { problem, problemOf } from "../../problems.js";
import { canonicalAddress } from "../addresses.js";
import type { FirewallChange, FirewallTool } from "../tool.js";
import { diagnose, type Evidence, verify } from "./wizard-findings.js";
import type { WizardMachine, WizardMachines } from "./wizard-machine.js";
import { nextState, type WizardEvent } from "./wizard-state.js";
import { testPorts } from "./wizard-tests.js";

export interface FirewallWizardOptions {
  readonly machines: WizardMachines;
  readonly emit: EmitEvent;
  readonly now?: () => number;
}

/** One opened wizard. A wizard that is opened anew replaces it, and nothing of it is heard again. */
interface Session {
  state: FirewallWizard;
  /** Whatever is tested, planned or applied at the moment; at most one thing. */
  work: AbortController | undefined;
}

export class FirewallWizardService {
  readonly #machines: WizardMachines;
  readonly #emit: EmitEvent;
  readonly #now: () => number;
  #session: Session | undefined;

  constructor({ machines, emit, now = Date.now }: FirewallWizardOptions) {
    this.#machines = machines;
    this.#emit = emit;
    this.#now = now;
  }

  get(): FirewallWizard | undefined {
    return this.#session?.state;
  }

  /**
   * Opens the wizard and begins to test.
   *
   * @throws ProblemError NOT_FOUND for a machine that is not there.
   */
  open({ machineId, peerId, ports }: Params<"firewall.open">): void {
    const machine = this.#find(machineId);
    const peer = peerId === undefined ? undefined : this.#find(peerId);
    this.close();
    const { agentPort, tasks } = machine;
    const agent = agentPort === undefined ? [] : [agentPort];
    const session: Session = {
      work: undefined,
      state: {
        machine: { id: machine.id, name: machine.name },
        ...(peer && { peer: { id: peer.id, name: peer.name, address: numericAddress(peer) ?? "" } }),
        ports: [...new Set(ports ?? [...agent, ...tasks.map(({ port }) => port)])],
        scope: { kind: "subnet" },
        removeBlockRules: false,
        step: "blocked",
        busy: true,
        headline: peer ? `What keeps ${peer.name} from ${machine.name}` : `What ${machine.name} lets in`,
        explanation: "",
        proof: [],
        verification: [],
      },
    };
    this.#session = session;
    this.#emit("firewall", session.state);
    this.#work(session, (signal) => this.#diagnose(session, signal));
  }

  /** @throws ProblemError FAILED_PRECONDITION while the rules are being changed, INVALID_ARGUMENT for a wrong address. */
  configure({ scope, removeBlockRules }: Params<"firewall.configure">): void {
    const session = this.#idleSession();
    if (scope.kind === "peer" && canonicalAddress(scope.address.trim()) === undefined) {
      throw problem("INVALID_ARGUMENT", `'${scope.address}' is not the address of a machine.`, {
        remedy: "Write an address such as 192.168.1.31 or fd12::31.",
      });
    }
    this.#dispatch(session, { kind: "configured", scope, removeBlockRules });
    if (session.state.step === "change") this.#work(session, (signal) => this.#plan(session, signal));
  }

  /** Goes back, or on to what will change. Ends whatever is awaited; a prompt on the screen stays open. */
  goTo({ step }: Params<"firewall.goTo">): void {
    const session = this.#open();
    session.work?.abort();
    this.#dispatch(session, { kind: "went", step });
    this.#work(session, (signal) =>
      step === "change" ? this.#plan(session, signal) : this.#diagnose(session, signal),
    );
  }

  /** @throws ProblemError FAILED_PRECONDITION while the rules are being changed. */
  test(): void {
    const session = this.#idleSession();
    this.#work(session, (signal) => {
      switch (session.state.step) {
        case "blocked":
          return this.#diagnose(session, signal);
        case "change":
          return this.#plan(session, signal);
        case "apply":
        case "verify":
          return this.#verify(session, signal);
      }
    });
  }

  /** @throws ProblemError FAILED_PRECONDITION while the rules are being changed, or before there is a plan. */
  apply(): void {
    const session = this.#idleSession();
    const { plan } = session.state;
    if (!plan) {
      throw problem("FAILED_PRECONDITION", "It is not known yet what would change.", {
        remedy: "Look at what will change first.",
      });
    }
    this.#dispatch(session, { kind: "applying", since: this.#now() });
    this.#work(session, async (signal) => {
      const tool = this.#tool(session);
      const change = changeOf(session.state);
      const now = await tool.plan(change, signal);
      if (now.script !== plan.script) {
        this.#dispatch(session, { kind: "went", step: "change" });
        this.#dispatch(session, { kind: "planned", plan: now });
        throw problem("ABORTED", "The machine has changed since the script was shown.", {
          reason: "Its addresses, its firewall or its rules are others now, so another script would be run.",
          remedy: "Look at the new script, then apply it.",
        });
      }
      await this.#follow(session, tool.apply(change, signal), signal);
    });
  }

  /** Takes the rules away. @throws ProblemError FAILED_PRECONDITION while the rules are being changed. */
  undo(): void {
    const session = this.#idleSession();
    this.#dispatch(session, { kind: "undoing" });
    this.#work(session, (signal) =>
      this.#follow(session, this.#tool(session).undo(changeOf(session.state), signal), signal),
    );
  }

  /** Puts the wizard away; what was changed stays. */
  close(): void {
    const session = this.#session;
    if (!session) return;
    this.#session = undefined;
    session.work?.abort();
    this.#emit("firewall", undefined);
  }

  /** Step 1. */
  async #diagnose(session: Session, signal: AbortSignal): Promise<void> {
    const evidence = await this.#gather(session, signal);
    this.#dispatch(session, { kind: "diagnosed", findings: diagnose(evidence) });
  }

  /** Step 2. */
  async #plan(session: Session, signal: AbortSignal): Promise<void> {
    const tool = this.#tool(session);
    const change = changeOf(session.state);
    const [facts, plan] = await Promise.all([
      tool.inspect({ ports: change.ports }, signal),
      tool.plan(change, signal),
    ]);
    this.#dispatch(session, { kind: "inspected", facts });
    this.#dispatch(session, { kind: "planned", plan });
  }

  /** Step 3, and its reverse. */
  async #follow(session: Session, states: AsyncIterable<FirewallApply>, signal: AbortSignal): Promise<void> {
    let last: FirewallApply | undefined;
    for await (const state of states) {
      signal.throwIfAborted();
      last = state;
      this.#dispatch(session, { kind: "applied", apply: state });
    }
    signal.throwIfAborted();
    if (last === undefined || last.state === "waiting") {
      throw problem("UNAVAILABLE", `${session.state.machine.name} did not say how it went.`, {
        remedy: "Test again to see what holds now.",
      });
    }
    if (last.state === "applied" || last.state === "already" || last.state === "undone") {
      await this.#verify(session, signal);
    }
  }

  /** Step 4. */
  async #verify(session: Session, signal: AbortSignal): Promise<void> {
    const evidence = await this.#gather(session, signal);
    const { plan, apply } = session.state;
    this.#dispatch(session, { kind: "verified", ...verify(evidence, plan, apply?.state) });
  }

  /** The firewall's own word and the tests, at the same time. A firewall that cannot be asked stops no test. */
  async #gather(session: Session, signal: AbortSignal): Promise<Evidence> {
    const { ports, machine: shown, peer: shownPeer } = session.state;
    const machine = this.#find(shown.id);
    const peer = shownPeer && this.#find(shownPeer.id);
    const [tests, inspected] = await Promise.all([
      testPorts(this.#machines, machine, peer, ports, signal),
      this.#inspect(session, signal),
    ]);
    return { machine, peer, tests, facts: inspected };
  }

  async #inspect(session: Session, signal: AbortSignal): Promise<Evidence["facts"]> {
    try {
      const { ports, peer } = session.state;
      const question = peer?.address ? { ports, peerAddress: peer.address } : { ports };
      const facts = await this.#tool(session).inspect(question, signal);
      this.#dispatch(session, { kind: "inspected", facts });
      return facts;
    } catch (error) {
      signal.throwIfAborted();
      this.#dispatch(session, { kind: "failed", problem: problemOf(error) });
      return undefined;
    }
  }

  /** Runs one thing for a session, in place of what ran for it before. */
  #work(session: Session, task: (signal: AbortSignal) => Promise<void>): void {
    session.work?.abort();
    const work = new AbortController();
    session.work = work;
    const { signal } = work;
    this.#dispatch(session, { kind: "busy" });
    const run = async () => {
      try {
        await task(signal);
      } catch (error) {
        if (!signal.aborted) this.#dispatch(session, { kind: "failed", problem: problemOf(error) });
      } finally {
        if (session.work === work) session.work = undefined;
      }
    };
    void run();
  }

  /** Events of a wizard that was put away or replaced, and of work that was given up, reach nobody. */
  #dispatch(session: Session, event: WizardEvent): void {
    if (this.#session !== session) return;
    session.state = nextState(session.state, event);
    this.#emit("firewall", session.state);
  }

  #open(): Session {
    if (this.#session) return this.#session;
    throw problem("FAILED_PRECONDITION", "No firewall wizard is open.", {
      remedy: "Open it from a machine or from a connection that fails.",
    });
  }

  #idleSession(): Session {
    const session = this.#open();
    const { step, busy, apply } = session.state;
    if (busy && (step === "apply" || apply?.state === "waiting")) {
      throw problem("FAILED_PRECONDITION", "The rules are being changed at this moment.", {
        remedy: "Answer the prompt on the machine, or go back to stop waiting.",
      });
    }
    return session;
  }

  #tool({ state: { machine } }: Session): FirewallTool {
    const tool = this.#machines.firewallOf(machine.id);
    if (tool) return tool;
    throw problem("UNAVAILABLE", `${machine.name} cannot be asked about its firewall.`, {
      reason: "Its agent does not answer, or it is not paired, or this machine may not manage it.",
      remedy: `Open the firewall wizard on ${machine.name} itself.`,
    });
  }

  #find(machineId: string): WizardMachine {
    const machine = this.#machines.find(machineId);
    if (machine) return machine;
    throw problem("NOT_FOUND", "That machine is not there any more.", { details: machineId });
  }
}

function changeOf({ scope, ports, removeBlockRules }: FirewallWizard): FirewallChange {
  return { scope, ports, removeBlockRules };
}

function numericAddress({ addresses }: WizardMachine): string | undefined {
  return addresses.map(canonicalAddress).find((address) => address !== undefined);
}
