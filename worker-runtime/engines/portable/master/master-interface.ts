import type * as master from "../../../../protos/generated/tensorflow/master.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import type { ClientConnection } from "../clients/client-connection.js";

export interface MasterCallOptions {
  /** Aborted when the client cancels its call or is gone. */
  readonly signal: CancellationSignal;
  /** The connection of the call; a client without one is never considered gone. */
  readonly connection?: ClientConnection | undefined;
}

type Call<Request, Response> = (request: Request, options: MasterCallOptions) => Promise<Response>;

/** The calls of tensorflow.MasterService. Each throws TensorFlowError. */
export interface MasterInterface {
  readonly createSession: Call<master.CreateSessionRequest, master.CreateSessionResponse>;
  readonly extendSession: Call<master.ExtendSessionRequest, master.ExtendSessionResponse>;
  readonly partialRunSetup: Call<master.PartialRunSetupRequest, master.PartialRunSetupResponse>;
  readonly runStep: Call<master.RunStepRequest, master.RunStepResponse>;
  readonly closeSession: Call<master.CloseSessionRequest, master.CloseSessionResponse>;
  readonly listDevices: Call<master.ListDevicesRequest, master.ListDevicesResponse>;
  readonly reset: Call<master.ResetRequest, master.ResetResponse>;
  readonly makeCallable: Call<master.MakeCallableRequest, master.MakeCallableResponse>;
  readonly runCallable: Call<master.RunCallableRequest, master.RunCallableResponse>;
  readonly releaseCallable: Call<master.ReleaseCallableRequest, master.ReleaseCallableResponse>;
}
