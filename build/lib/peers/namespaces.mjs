// Network namespaces, in which tests give hosts addresses of their own.
import { ask, lackOfPrograms, systemEnvironment } from "../programs.mjs";

/** The required programs, with the Debian packages that contain them. */
export const NAMESPACE_PROGRAMS = {
  unshare: "util-linux",
  nsenter: "util-linux",
  setpriv: "util-linux",
  ip: "iproute2",
  ping: "iputils-ping",
  python3: "python3",
};

const TRY_ALL =
  "mount -t tmpfs tmpfs /run && ip link add one type veth peer name other && ip link add middle type bridge";

/** Why this process cannot create hosts in network namespaces; undefined if it can. */
export function lackOfNamespaces() {
  if (process.platform !== "linux") return { why: "Only Linux has them.", command: "npm test, on Linux" };
  const lack = lackOfPrograms(NAMESPACE_PROGRAMS);
  if (lack !== undefined) return lack;
  const env = systemEnvironment();
  const { ok, errors } = ask("unshare", ["--net", "--uts", "--mount", "sh", "-c", TRY_ALL], { env });
  if (ok) return undefined;
  if (process.getuid() !== 0) {
    return { why: "Only root may make them.", command: 'sudo env "PATH=$PATH" npm test -- test/net' };
  }
  return {
    why: `This system lets nobody make them (${errors.trim()}).`,
    command:
      "npm test, as root on a machine of its own or in a container with CAP_SYS_ADMIN and CAP_NET_ADMIN",
  };
}
