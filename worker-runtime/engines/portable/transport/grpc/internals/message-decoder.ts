import type { ServerInterceptingCall, ServerInterceptor } from "@grpc/grpc-js";
import { MessageAssembler } from "../../receiving/message-assembler.js";

/**
 * Has a call's messages put together while they come: see MessageAssembler. An interceptor is the only place that is given
 * a call before its data.
 */
export const assembleWhileReceiving: ServerInterceptor = (_method, call) => {
  if (
    "decoder" in call &&
    "maxReceiveMessageSize" in call &&
    typeof call.maxReceiveMessageSize === "number"
  ) {
    call.decoder = new MessageAssembler(call.maxReceiveMessageSize);
  }
  // What an interceptor is given may be what it gives; the types ask for a wrapper around it.
  return call as ServerInterceptingCall;
};
