import { MasterServiceDefinition } from "../../protos/generated/tensorflow/master_service.js";
import type { Channel } from "./channel.js";
import { type ServiceCalls, serviceCalls } from "./service-calls.js";
import { ServiceClient } from "./service-client.js";

/** The calls of tensorflow.MasterService, as they are on the wire. None has a deadline unless one is given. */
export interface MasterClient extends ServiceCalls<(typeof MasterServiceDefinition)["methods"]> {
  /** "host:port". */
  readonly address: string;
}

export function masterClient(channel: Channel): MasterClient {
  const caller = new ServiceClient(MasterServiceDefinition.fullName, channel);
  return { address: channel.address, ...serviceCalls(MasterServiceDefinition.methods, caller) };
}
