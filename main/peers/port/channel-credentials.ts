import { createSecureContext } from "node:tls";
import { ChannelCredentials, type ChannelOptions } from "@grpc/grpc-js";
import { deviceIdOf } from "../../machine/device-id.js";
import type { Identity } from "../identity/identity.js";
import { wrongMachine } from "./dial-problems.js";
import { SERVER_NAME, secureContextOptions } from "./tls-options.js";

/** Options that a gRPC channel to an agent needs besides the credentials. */
export const agentChannelOptions: ChannelOptions = {
  "grpc.ssl_target_name_override": SERVER_NAME,
  "grpc.enable_http_proxy": 0,
  "grpc.service_config_disable_resolution": 1,
  "grpc.use_local_subchannel_pool": 1,
};

/**
 * Credentials of a gRPC channel to one machine's agent: it answers with exactly the pinned certificate, or the channel
 * fails.
 *
 * @param peerCertPem The certificate that was pinned when the machine was paired.
 * @param deviceId The hash of that certificate.
 */
export function agentChannelCredentials(
  identity: Identity,
  peerCertPem: string,
  deviceId: string,
): ChannelCredentials {
  return ChannelCredentials.createFromSecureContext(
    createSecureContext({ ...secureContextOptions(identity), ca: peerCertPem }),
    {
      checkServerIdentity: (_host, certificate) => {
        const actual = deviceIdOf(certificate.raw);
        return actual === deviceId ? undefined : wrongMachine("the address", deviceId, actual);
      },
    },
  );
}
