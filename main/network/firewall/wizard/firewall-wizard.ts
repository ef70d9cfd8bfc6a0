/**
 * The firewall wizard: turns a window's requests into tests, plans and changes, and emits an event for every change of
 * state.
 */
import { canonicalAddress } from "../../../../worker-runtime/cluster/host.js";
import { inBackground } from "../../../../worker-runtime/faults.js";
import type { Params } from "../../../api/contract.js";
import type { FirewallApply, FirewallFacts, FirewallWizard } from "../../../api/firewall.js";
import type { Problem } from "../../../api/problem.js";
import type { EmitEvent } from "../../../shared/events.js";
import { noSuchMachine, problem, problemOf } from "../../../shared/problems.js";
import type { FirewallChange, FirewallTool } from "../tool.js";
import { diagnose, verify, verifyUndone } from "./wizard-findings.js";
import { addressSeenBy, firstAddress, type WizardMachine, type WizardMachines } from "./wizard-machine.js";
import type { Evidence } from "./wizard-proof.js";
import { nextState, type WizardEvent } from "./wizard-state.js";
import { testPorts } from "./wizard-tests.js";

export interface FirewallWizardOptions {
  readonly machines: WizardMachines;
  readonly emit: EmitEvent;
  /** Called when a change, or its undo, has been tested. */
  readonly onApplied?: () => void;
  readonly now?: () => number;
}

/** One opened wizard. Opening the wizard again replaces it, and the old one emits nothing more. */
interface Session {
  state: FirewallWizard;
  /** The test, planning or change in progress; at most one. */
  work: AbortController | undefined;
  /** The purpose of the newest change, which determines what to verify. */
  goal: "apply" | "undo";
}

/** One piece of work for a session, until it is aborted. */
interface Work {
  readonly session: Session;
  readonly signal: AbortSignal;
}

export class FirewallWizardService {
  readonly #machines: WizardMachines;
  readonly #emit: EmitEvent;
  readonly #onApplied: () => void;
  readonly #now: () => number;
  #session: Session | undefined;

  constructor({ machines, emit, onApplied = () => {}, now = Date.now }: FirewallWizardOptions) {
    this.#machines = machines;
    this.#emit = emit;
    this.#onApplied = onApplied;
    this.#now = now;
  }

  get(): FirewallWizard | undefined {
    return this.#session?.state;
  }

  /**
   * Opens the wizard and begins to test.
   *
   * @throws ProblemError NOT_FOUND for an unknown machine.
   */
  open({ machineId, peerId, ports }: Params<"firewall.open">): void {
    const machine = this.#find(machineId);
    const peer = peerId === undefined ? undefined : this.#find(peerId);
    this.close();
    const { agentPort, tasks } = machine;
    const agent = agentPort === undefined ? [] : [agentPort];
    const session: Session = {
      work: undefined,
      goal: "apply",
      state: {
        machine: { id: machine.id, name: machine.name },
        ...(peer && { peer: { id: peer.id, name: peer.name, address: firstAddress(peer) } }),
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
    this.#work(session, (work) => this.#diagnose(work));
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
    if (session.state.step === "change") this.#work(session, (work) => this.#plan(work));
  }

  /** Goes back, or on to the plan. Cancels pending work; a prompt on the screen stays open. */
  goTo({ step }: Params<"firewall.goTo">): void {
    const session = this.#open();
    session.work?.abort();
    this.#dispatch(session, { kind: "went", step });
    this.#work(session, (work) => (step === "change" ? this.#plan(work) : this.#diagnose(work)));
  }

  /** @throws ProblemError FAILED_PRECONDITION while the rules are being changed. */
  test(): void {
    const session = this.#idleSession();
    this.#work(session, (work) => {
      switch (session.state.step) {
        case "blocked":
          return this.#diagnose(work);
        case "change":
          return this.#plan(work);
        case "apply":
        case "verify":
          return this.#verify(work);
      }
    });
  }

  /** @throws ProblemError FAILED_PRECONDITION while the rules are being changed, or before there is a plan. */
  apply(): void {
    const session = this.#idleSession();
    const { plan } = session.state;
    if (!plan) {
      throw problem("FAILED_PRECONDITION", "The changes have not been determined yet.", {
        remedy: "Review the changes first.",
      });
    }
    session.goal = "apply";
    this.#dispatch(session, { kind: "applying", since: this.#now() });
    this.#work(session, async (work) => {
      const tool = this.#tool(session);
      const change = changeOf(session.state);
      const now = await tool.plan(change, work.signal);
      work.signal.throwIfAborted();
      if (now.script !== plan.script) {
        this.#tell(work, { kind: "went", step: "change" });
        this.#tell(work, { kind: "planned", plan: now });
        throw problem("ABORTED", "The machine has changed since the script was shown.", {
          reason: "Its addresses, its firewall or its rules are different now, so another script would run.",
          remedy: "Look at the new script, then apply it.",
        });
      }
      await this.#follow(work, tool.apply(change, work.signal));
    });
  }

  /** Removes the rules. @throws ProblemError FAILED_PRECONDITION while the rules are being changed. */
  undo(): void {
    const session = this.#idleSession();
    session.goal = "undo";
    this.#dispatch(session, { kind: "undoing", since: this.#now() });
    this.#work(session, (work) =>
      this.#follow(work, this.#tool(session).undo(changeOf(session.state), work.signal)),
    );
  }

  /** Closes the wizard; changes that were made stay. */
  close(): void {
    const session = this.#session;
    if (!session) return;
    this.#session = undefined;
    session.work?.abort();
    this.#emit("firewall", undefined);
  }

  /** Step 1. */
  async #diagnose(work: Work): Promise<void> {
    const { evidence, failure } = await this.#gather(work);
    this.#tell(work, { kind: "diagnosed", findings: diagnose(evidence) });
    if (failure) this.#tell(work, { kind: "failed", problem: failure });
  }

  /** Step 2. */
  async #plan(work: Work): Promise<void> {
    const { session, signal } = work;
    const tool = this.#tool(session);
    const change = changeOf(session.state);
    const [facts, plan] = await Promise.all([
      tool.inspect({ ports: change.ports }, signal),
      tool.plan(change, signal),
    ]);
    this.#tell(work, { kind: "inspected", facts });
    this.#tell(work, { kind: "planned", plan });
  }

  /** Step 3, and its reverse. */
  async #follow(work: Work, states: AsyncIterable<FirewallApply>): Promise<void> {
    const { session, signal } = work;
    let last: FirewallApply | undefined;
    for await (const state of states) {
      signal.throwIfAborted();
      last = state;
      // By the clock of this machine, which the window also uses; the other machine's may be wrong.
      const since = state.state === "waiting" ? session.state.apply?.since : undefined;
      this.#tell(work, { kind: "applied", apply: { ...state, since: since ?? this.#now() } });
    }
    signal.throwIfAborted();
    if (last === undefined || last.state === "waiting") {
      throw problem("UNAVAILABLE", `${session.state.machine.name} did not report the outcome.`, {
        remedy: "Test again to see the current state.",
      });
    }
    if (last.state === "applied" || last.state === "already" || last.state === "undone") {
      await this.#verify(work);
    }
  }

  /** Step 4. */
  async #verify(work: Work): Promise<void> {
    const { evidence, failure } = await this.#gather(work);
    const { goal, state } = work.session;
    const verification = goal === "undo" ? verifyUndone(evidence) : verify(evidence, state.plan);
    this.#tell(work, { kind: "verified", ...verification });
    // The displayed command was run by hand.
    if (state.apply?.state === "by-hand" && verification.passed) {
      const reached = goal === "undo" ? "undone" : "applied";
      this.#tell(work, { kind: "by-hand-done", apply: { state: reached, since: this.#now() } });
    }
    if (failure) this.#tell(work, { kind: "failed", problem: failure });
  }

  /**
   * Inspects the firewall and runs the tests at the same time. A firewall that cannot be inspected does not stop the
   * tests.
   */
  async #gather(work: Work): Promise<{ evidence: Evidence; failure: Problem | undefined }> {
    const { ports, machine: shown, peer: shownPeer } = work.session.state;
    const machine = this.#find(shown.id);
    const peer = this.#tester(machine, shownPeer && this.#find(shownPeer.id));
    const [tests, { facts, failure }] = await Promise.all([
      testPorts(this.#machines, machine, peer, ports, work.signal),
      this.#inspect(work, peer),
    ]);
    return { evidence: { machine, peer, tests, facts }, failure };
  }

  /** The testing machine: the one that cannot connect if it is available, otherwise any that is online. */
  #tester(machine: WizardMachine, peer: WizardMachine | undefined): WizardMachine | undefined {
    if (peer?.online) return peer;
    const isUp = ({ id, online }: WizardMachine) =>
      online && id !== machine.id && this.#machines.proberOf(id) !== undefined;
    return this.#machines.all().find(isUp) ?? peer;
  }

  async #inspect(
    work: Work,
    peer: WizardMachine | undefined,
  ): Promise<{ facts?: FirewallFacts; failure?: Problem }> {
    const { session, signal } = work;
    try {
      const { ports, peer: shown } = session.state;
      const question = shown?.address ? { ports, peerAddress: shown.address } : { ports };
      const facts = await this.#tool(session).inspect(question, signal);
      const peerAddress = peer && addressSeenBy(facts, peer);
      this.#tell(work, { kind: "inspected", facts, ...(peerAddress !== undefined && { peerAddress }) });
      return { facts };
    } catch (error) {
      signal.throwIfAborted();
      return { failure: problemOf(error) };
    }
  }

  /** Runs one piece of work for a session, replacing what ran before. */
  #work(session: Session, task: (work: Work) => Promise<void>): void {
    session.work?.abort();
    const controller = new AbortController();
    session.work = controller;
    const work: Work = { session, signal: controller.signal };
    this.#tell(work, { kind: "busy" });
    const run = async () => {
      try {
        await task(work);
      } catch (error) {
        this.#tell(work, { kind: "failed", problem: problemOf(error) });
      } finally {
        if (session.work === controller) session.work = undefined;
      }
    };
    inBackground(run());
  }

  /** Results of work that was given up are ignored. */
  #tell({ session, signal }: Work, event: WizardEvent): void {
    if (!signal.aborted) this.#dispatch(session, event);
  }

  /** Events of a closed or replaced wizard are dropped. */
  #dispatch(session: Session, event: WizardEvent): void {
    if (this.#session !== session) return;
    const { busy } = session.state;
    session.state = nextState(session.state, event);
    this.#emit("firewall", session.state);
    if (busy && !session.state.busy && session.state.apply) this.#onApplied();
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
      throw problem("FAILED_PRECONDITION", "The rules are being changed right now.", {
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
    throw noSuchMachine(machineId);
  }
}

function changeOf({ scope, ports, removeBlockRules }: FirewallWizard): FirewallChange {
  return { scope, ports, removeBlockRules };
}
