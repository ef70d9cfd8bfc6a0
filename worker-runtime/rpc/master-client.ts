import type * as master from "../../protos/generated/tensorflow/master.js";
import { MasterServiceDefinition } from "../../protos/generated/tensorflow/master_service.js";
import type { Channel } from "./channel.js";
import { type CallOptions, ServiceClient } from "./service-client.js";

const { methods } = MasterServiceDefinition;

/** The calls of a master, as they are on the wire. None has a deadline unless one is given. */
export class MasterClient {
  readonly #client: ServiceClient;

  constructor(channel: Channel) {
    this.#client = new ServiceClient(MasterServiceDefinition.fullName, channel);
  }

  get address(): string {
    return this.#client.address;
  }

  createSession(
    request: master.CreateSessionRequest,
    options?: CallOptions,
  ): Promise<master.CreateSessionResponse> {
    return this.#client.call(methods.createSession, request, options);
  }

  extendSession(
    request: master.ExtendSessionRequest,
    options?: CallOptions,
  ): Promise<master.ExtendSessionResponse> {
    return this.#client.call(methods.extendSession, request, options);
  }

  partialRunSetup(
    request: master.PartialRunSetupRequest,
    options?: CallOptions,
  ): Promise<master.PartialRunSetupResponse> {
    return this.#client.call(methods.partialRunSetup, request, options);
  }

  runStep(request: master.RunStepRequest, options?: CallOptions): Promise<master.RunStepResponse> {
    return this.#client.call(methods.runStep, request, options);
  }

  closeSession(
    request: master.CloseSessionRequest,
    options?: CallOptions,
  ): Promise<master.CloseSessionResponse> {
    return this.#client.call(methods.closeSession, request, options);
  }

  listDevices(
    request: master.ListDevicesRequest,
    options?: CallOptions,
  ): Promise<master.ListDevicesResponse> {
    return this.#client.call(methods.listDevices, request, options);
  }

  reset(request: master.ResetRequest, options?: CallOptions): Promise<master.ResetResponse> {
    return this.#client.call(methods.reset, request, options);
  }

  makeCallable(
    request: master.MakeCallableRequest,
    options?: CallOptions,
  ): Promise<master.MakeCallableResponse> {
    return this.#client.call(methods.makeCallable, request, options);
  }

  runCallable(
    request: master.RunCallableRequest,
    options?: CallOptions,
  ): Promise<master.RunCallableResponse> {
    return this.#client.call(methods.runCallable, request, options);
  }

  releaseCallable(
    request: master.ReleaseCallableRequest,
    options?: CallOptions,
  ): Promise<master.ReleaseCallableResponse> {
    return this.#client.call(methods.releaseCallable, request, options);
  }
}
