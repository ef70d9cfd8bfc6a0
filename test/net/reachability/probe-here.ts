/** Run on a host of the test network: `probe-here.ts ADDRESS KIND` dials from there and prints the layers as JSON. */
import { type ProbeKind, probeAddress } from "../../../main/network/reachability/probe.js";

const [address = "", kind = "task"] = process.argv.slice(2);
const layers = await probeAddress({ address, kind: kind as ProbeKind });
process.stdout.write(JSON.stringify(layers));
