/** Program: probes an address from the network it is started in and prints the layers as JSON. */
import { probeAddress } from "../../../main/network/reachability/probe.js";

const [address = "", kind, tries] = process.argv.slice(2);
const layers = await probeAddress({
  address,
  kind: kind === "agent" ? "agent" : "task",
  tries: Number(tries),
});
console.log(JSON.stringify(layers));
