import { probeAddress } from "../../network/reachability/probe.js";

/** Whether a machine with that key answers at an address. TLS proves it to any caller, answered or not. */
export async function provesIdentity(
  deviceId: string,
  address: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const layers = await probeAddress({ address, kind: "agent", tries: 1, signal });
    return layers.some(
      ({ layer, outcome, detail }) => layer === "tls" && outcome === "ok" && detail === deviceId,
    );
  } catch {
    // Cancelled, or an address that cannot be dialled from here.
    return false;
  }
}
