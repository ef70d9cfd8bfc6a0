import type { ServerInterceptingCall, ServerInterceptor } from "@grpc/grpc-js";
import { MessageAssembler } from "../../receiving/message-assembler.js";

/**
 * Assembles a call's messages while they arrive: see MessageAssembler. Only an interceptor gets a call before its data.
 */
export const assembleWhileReceiving: ServerInterceptor = (_method, call) => {
  if (
    "decoder" in call &&
    "maxReceiveMessageSize" in call &&
    typeof call.maxReceiveMessageSize === "number"
  ) {
    call.decoder = new MessageAssembler(call.maxReceiveMessageSize);
  }
  // An interceptor may return the call that it got, although the types require a wrapper.
  return call as ServerInterceptingCall;
};
