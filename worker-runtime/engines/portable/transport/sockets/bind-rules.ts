import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import { canonicalHost, isLoopback } from "../../../../cluster/host.js";
import { invalidArgument, unavailable } from "../../../../protocol/status.js";

/** Where a task listens. */
export interface BindPlan {
  /** Addresses to listen on; at least one. */
  readonly required: readonly string[];
  /** Further ones, which a machine may not have: "::1" without IPv6. */
  readonly optional: readonly string[];
  /** Whether other machines can reach the task. */
  readonly isOpen: boolean;
}

export interface BindWishes {
  /** The host of the task's own entry in the ClusterSpec. */
  readonly host: string;
  /** The value of --bind: an address or a name of this machine, or "0.0.0.0" or "::" for all. */
  readonly bind?: string | undefined;
  /** Refuse an entry that leads to another machine. Containers and NAT look like that, too. */
  readonly checkAddress: boolean;
}

/** The machine's facts that the rules need; replaced in tests. */
export interface BindEnvironment {
  /** The addresses that a name leads to. */
  resolve(host: string): Promise<readonly string[]>;
  /** The addresses of this machine. */
  ownAddresses(): ReadonlySet<string>;
}

const LOOPBACK_4 = "127.0.0.1";
const LOOPBACK_6 = "::1";
/** Takes IPv4 as well. */
const EVERYWHERE = "::";
const EVERYWHERE_4 = "0.0.0.0";

const thisMachine: BindEnvironment = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  ownAddresses: () =>
    new Set(Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address))),
};

/**
 * Decides where a task listens. Anyone who reaches its port can run any graph, so it listens no wider than its entry in
 * the ClusterSpec requires: on loopback for `localhost` and loopback addresses; otherwise on those addresses of this
 * machine that the entry resolves to, and on loopback. An entry that resolves to a loopback address of this machine,
 * like the host name on many Linux systems, does not tell where others will dial, so it means everywhere.
 *
 * @throws TensorFlowError UNAVAILABLE for a name that does not resolve, INVALID_ARGUMENT for an entry of another
 *   machine.
 */
export async function planBinding(
  { host, bind, checkAddress }: BindWishes,
  environment: BindEnvironment = thisMachine,
): Promise<BindPlan> {
  if (bind !== undefined) {
    return await planGiven(bind, environment);
  }
  if (isEverywhere(host)) {
    return everywhere(host);
  }
  if (isLoopback(host)) {
    return loopback(host);
  }
  const addresses = checkAddress
    ? await resolveHost(host, environment)
    : await environment.resolve(host).catch(() => []);
  const own = environment.ownAddresses();
  if (addresses.some(isLoopback)) {
    return everywhere(EVERYWHERE);
  }
  // A link-local address includes its interface, which the list of own addresses does not.
  const here = addresses.filter((address) => own.has(address.replace(/%.*$/, "")));
  if (here.length === 0 && !checkAddress) {
    return everywhere(EVERYWHERE);
  }
  if (here.length === 0) {
    throw invalidArgument(
      `The ClusterSpec gives this task the address ${host} (${addresses.join(", ")}), which is none of this machine's ` +
        `(${[...own].filter((address) => !isLoopback(address)).join(", ") || "it has only loopback"}). ` +
        "In a container or behind NAT start with --skip_address_check, which listens on all addresses, or say with " +
        "--bind where to listen; otherwise correct the ClusterSpec.",
    );
  }
  return { required: here, optional: [LOOPBACK_4, LOOPBACK_6], isOpen: true };
}

async function planGiven(bind: string, environment: BindEnvironment): Promise<BindPlan> {
  if (isEverywhere(bind)) {
    return everywhere(bind);
  }
  if (isLoopback(bind)) {
    return loopback(bind);
  }
  return { required: await resolveHost(bind, environment), optional: [], isOpen: true };
}

async function resolveHost(host: string, { resolve }: BindEnvironment): Promise<readonly string[]> {
  try {
    return [...new Set(await resolve(host))];
  } catch (cause) {
    throw unavailable(
      `${host}, where this task is to listen, is a name that resolves to no address of this machine. Give its IP address, ` +
        "add the name to the hosts file or the DNS, or start with --skip_address_check.",
      { cause },
    );
  }
}

function loopback(host: string): BindPlan {
  const plain = canonicalHost(host).host;
  if (plain.endsWith("localhost")) {
    return { required: [LOOPBACK_4], optional: [LOOPBACK_6], isOpen: false };
  }
  return { required: [plain], optional: [], isOpen: false };
}

function everywhere(host: string): BindPlan {
  // Where there is no IPv6, the other one remains.
  return canonicalHost(host).host === EVERYWHERE_4
    ? { required: [EVERYWHERE_4], optional: [], isOpen: true }
    : { required: [EVERYWHERE], optional: [], isOpen: true };
}

function isEverywhere(host: string): boolean {
  return [EVERYWHERE, EVERYWHERE_4].includes(canonicalHost(host).host);
}
