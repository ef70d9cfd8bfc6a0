/** The parts of this machine that the agent needs to serve paired machines. */
import type { ScriptMessage } from "../../../protos/generated/tensordeck/agent.js";
import type { Throughput } from "../../api/reachability.js";
import type { MachineSample } from "../../api/samples.js";
import type { MachineDescription } from "../../machine/description.js";
import type { TunnelRequest } from "./tunnel-request.js";

/** The machine that the agent runs on. */
export interface MachineSource {
  description(): MachineDescription;
  /** Calls the listener whenever the description changes, until the returned function is called. */
  onChange(listener: () => void): () => void;
  /** Samples once a second while there are listeners. */
  onSample(listener: (sample: MachineSample) => void): () => void;
}

export interface TunnelHolder {
  /**
   * Replaces what one machine's cluster has here.
   *
   * @returns ports at which this machine could not listen, because another program does.
   */
  setTunnels(ownerDeviceId: string, request: TunnelRequest): Promise<number[]>;
}

export interface ThroughputMeasurer {
  /**
   * Measures the throughput from here to another machine's agent.
   *
   * @param addresses where that agent may be reached besides what is known of it, "host:port" each.
   * @throws ProblemError PERMISSION_DENIED when the machines are not paired, UNAVAILABLE when it does not answer.
   */
  measureThroughput(deviceId: string, addresses: readonly string[], signal: AbortSignal): Promise<Throughput>;
}

/** Runs the scripts of other machines here. */
export interface ScriptRunner {
  /**
   * Serves one job until it ends; nothing of it is left then.
   *
   * @param caller Device ID of the machine whose job it is.
   * @param signal Aborted when that machine is gone or gives up.
   */
  run(
    caller: string,
    messages: AsyncIterable<ScriptMessage>,
    send: (message: ScriptMessage) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
}
