/** A parsed address of a ClusterSpec or target. */
export interface HostPort {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
}

const MAX_PORT = 65_535;

/** Parses "host:port" or "[v6]:port"; undefined if it is not of that form or the port is not 0 to 65535. */
export function parseHostPort(address: string): HostPort | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]+(?:%[\w.-]+)?)\]|([^\s:/[\]]+)):(\d{1,5})$/.exec(address);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host === undefined || port > MAX_PORT ? undefined : { host, port };
}

/** "host:port", with brackets around an IPv6 address. */
export function formatHostPort({ host, port }: HostPort): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * The problem with an address, as the rest of a sentence that begins with the address; undefined if it is valid. The
 * rules are those of TensorFlow's channel: it must end in a port and contain no slash.
 */
export function addressProblem(address: string): string | undefined {
  if (parseHostPort(address) !== undefined) {
    return undefined;
  }
  if (address.trim() === "") {
    return "is empty; write host:port";
  }
  if (address.includes("://")) {
    return `has a scheme; write only host:port, such as ${address.slice(address.indexOf("://") + 3)}`;
  }
  if (address.includes("/")) {
    return "contains a slash; write only host:port";
  }
  if (/\s/.test(address)) {
    return "contains a space; write host:port";
  }
  if (/^[0-9A-Fa-f]*:[0-9A-Fa-f:]+$/.test(address) && address.split(":").length > 2) {
    return `looks like IPv6; write it in brackets with a port, [${address}]:2222`;
  }
  const colon = address.lastIndexOf(":");
  if (colon === -1 || colon === address.length - 1) {
    return `has no port; write for example ${address.replace(/:$/, "")}:2222`;
  }
  return colon === 0 ? "has no host; write host:port" : "is not host:port with a port from 0 to 65535";
}
