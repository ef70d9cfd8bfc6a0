/** Proxy variables of an environment, as gRPC reads them. They redirect calls between tasks to a web proxy. */
import { isIPv4 } from "node:net";

/** In the order in which gRPC's C library, which TensorFlow uses, reads them; Python and curl read more. */
const PROXY_VARIABLES = ["grpc_proxy", "https_proxy", "http_proxy", "all_proxy"];
const EXEMPTIONS = ["no_grpc_proxy", "no_proxy"];

type Environment = Readonly<Record<string, string | undefined>>;

export interface ProxySettings {
  /** The variables that are set, by their names as written. */
  readonly variables: Readonly<Record<string, string>>;
  /** Hosts and domains that are reached without a proxy. */
  readonly noProxy: readonly string[];
}

/** The proxy variables that are set, and the hosts that are exempt. */
export function proxySettings(env: Environment = process.env): ProxySettings {
  const variables: Record<string, string> = {};
  const noProxy = new Set<string>();
  for (const [name, value] of Object.entries(env)) {
    if (!value) continue;
    const lower = name.toLowerCase();
    if (PROXY_VARIABLES.includes(lower)) variables[name] = withoutPassword(value);
    if (!EXEMPTIONS.includes(lower)) continue;
    for (const entry of value.split(",")) {
      if (entry.trim() !== "") noProxy.add(entry.trim());
    }
  }
  return { variables, noProxy: [...noProxy] };
}

/** Whether no_proxy exempts a host: by its name, by a domain that it ends in, by a network in CIDR form, or all (*). */
export function isExempt(host: string, noProxy: readonly string[]): boolean {
  const name = host.toLowerCase();
  return noProxy.some((entry) => {
    const rule = entry.toLowerCase().replace(/^\*?\./, "");
    if (entry === "*" || name === rule || name.endsWith(`.${rule}`)) return true;
    return isInNetwork(name, rule);
  });
}

function isInNetwork(host: string, rule: string): boolean {
  const [network = "", bits] = rule.split("/");
  const length = Number(bits);
  if (bits === undefined || !isIPv4(host) || !isIPv4(network) || !(length >= 0 && length <= 32)) return false;
  const shift = 2 ** (32 - length);
  return Math.floor(numberOf(host) / shift) === Math.floor(numberOf(network) / shift);
}

function numberOf(address: string): number {
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** Shown in windows and reports, which others may see. */
function withoutPassword(value: string): string {
  return value.replace(/\/\/[^/@]*@/, "//…@");
}
