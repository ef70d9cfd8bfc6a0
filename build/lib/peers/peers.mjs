// Peers that tests need and a machine may lack: how to find each, and how `npm test` installs it. This is the only such list.
// The tests use it through test/support/find-peers.ts.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { lackOfPrograms } from "../programs.mjs";
import { root } from "../project.mjs";
import { CHROMIUM_PACKAGES, lookForChromium } from "./chromium.mjs";
import { installCommand, installPackages, isDebian } from "./debian.mjs";
import { bringElectronNode, findElectronNode, lackOfElectronNode } from "./electron-node.mjs";
import { FIREFOX_PACKAGES, lookForFirefox } from "./firefox.mjs";
import { lackOfMemoryGroups } from "./memory-groups.mjs";
import { lackOfNamespaces, NAMESPACE_PROGRAMS } from "./namespaces.mjs";
import { bringTensorflow, findTensorflow, lackOfPython } from "./python.mjs";
import { lookForVulkan } from "./vulkan.mjs";

export { findElectronNode, findTensorflow, lookForChromium, lookForFirefox, lookForVulkan };

/** The folder with reference material (TensorFlow's own tests, protocol notes), beside the repository. */
export const sharedDir = join(root, "..", "shared");

/** A peer that is present if some programs are; listed with the Debian packages that contain them. */
function programs(title, byProgram) {
  return { title, lack: () => lackOfPrograms(byProgram), packages: Object.values(byProgram) };
}

/**
 * By name: a description; `lack`, which returns undefined if it is present, otherwise why it is not, with the system
 * packages or the command that would install it; `packages`, all required Debian packages; `bring`, which makes or
 * downloads what needs no administrator rights, and returns what is still missing; and `needsRoot` if only root can use it.
 */
const PEERS = {
  tensorflow: {
    title: "a Python with TensorFlow",
    lack: () =>
      findTensorflow() === undefined ? { why: "None was found.", command: "npm test" } : undefined,
    packages: ["python3-venv"],
    bring: bringTensorflow,
  },
  python: { title: "Python 3", lack: lackOfPython, packages: ["python3-venv"] },
  chromium: {
    title: "a browser",
    lack: () => {
      const { program, ...lack } = lookForChromium();
      return program === undefined ? lack : undefined;
    },
    packages: CHROMIUM_PACKAGES,
  },
  firefox: {
    title: "Firefox",
    lack: () => {
      const { program, ...lack } = lookForFirefox();
      return program === undefined ? lack : undefined;
    },
    packages: FIREFOX_PACKAGES,
  },
  webkit: programs("WebKitGTK's browser, and a display in memory", {
    WebKitWebDriver: "webkit2gtk-driver",
    Xvfb: "xvfb",
  }),
  vulkan: {
    title: "a software Vulkan",
    lack: () => {
      const { environment, ...lack } = lookForVulkan();
      return environment === undefined ? lack : undefined;
    },
    packages: [],
  },
  "electron-node": {
    title: "the Node.js of Electron",
    lack: lackOfElectronNode,
    packages: [],
    bring: bringElectronNode,
  },
  shared: {
    title: "the reference material",
    lack: () =>
      existsSync(join(sharedDir, "tf-peer"))
        ? undefined
        : { why: "It is not beside the project (../shared/tf-peer)." },
    packages: [],
  },
  namespaces: {
    title: "hosts in network namespaces",
    lack: lackOfNamespaces,
    packages: Object.values(NAMESPACE_PROGRAMS),
    needsRoot: true,
  },
  "memory-groups": {
    title: "control groups that limit memory",
    lack: lackOfMemoryGroups,
    packages: [],
    needsRoot: true,
  },
  nftables: programs("nftables", { nft: "nftables" }),
  iptables: programs("iptables", { iptables: "iptables" }),
  ufw: programs("ufw", { ufw: "ufw" }),
  firewalld: programs("firewalld", {
    firewalld: "firewalld",
    "firewall-cmd": "firewalld",
    "dbus-daemon": "dbus",
  }),
  avahi: programs("avahi", {
    "avahi-daemon": "avahi-daemon",
    "avahi-browse": "avahi-utils",
    "avahi-publish": "avahi-utils",
    "dbus-daemon": "dbus",
  }),
  openssl: programs("OpenSSL's program", { openssl: "openssl" }),
  systemd: programs("systemd's check of units", { "systemd-analyze": "systemd" }),
};

/** Packages that start a service when they are installed. */
const SERVICES = ["ufw", "firewalld", "avahi-daemon"];

export const PEER_NAMES = Object.keys(PEERS);

export function needsRoot(name) {
  return PEERS[name].needsRoot === true;
}

/** Cached results of `lack`; a check takes up to a few tenths of a second. */
const known = new Map();

/** The parts that a peer lacks, or undefined if it is present. */
export function lackOf(name) {
  if (!known.has(name)) known.set(name, PEERS[name].lack());
  return known.get(name);
}

function remedyOf({ packages = [], command }) {
  if (packages.length === 0) return command;
  return isDebian() ? installCommand(packages) : `install what Debian has in ${packages.join(", ")}`;
}

/** One line that says what is missing, why, and what to do. */
export function lackSentence(name, lack = lackOf(name)) {
  const remedy = remedyOf(lack);
  return `Missing: ${PEERS[name].title}. ${lack.why}${remedy === undefined ? "" : ` To change that: ${remedy}`}`;
}

/** Installs the system packages of peers, which only root can, and only on Debian and its derivatives. */
export async function installPeerPackages(names = PEER_NAMES) {
  if (!isDebian() || process.getuid() !== 0) return;
  const missing = names.filter((name) => PEERS[name].lack() !== undefined);
  await installPackages([...new Set(missing.flatMap((name) => PEERS[name].packages))]);
}

/** Installs peers as far as possible here; system packages only in continuous integration, as root. */
export async function bringPeers(names, underCi) {
  if (underCi) await installPeerPackages(names);
  for (const name of names) {
    const { bring } = PEERS[name];
    if (bring !== undefined) known.set(name, await bring());
    else lackOf(name);
  }
}

/** The lines that name the missing ones of these peers, and the command that installs them; none if all are present. */
export function lackLines(names) {
  const lacks = names.map((name) => ({ name, lack: lackOf(name) })).filter(({ lack }) => lack !== undefined);
  if (lacks.length === 0) return [];
  const lines = ["This machine does not have what some of the tests need:"];
  for (const { name, lack } of lacks) {
    const { title } = PEERS[name];
    lines.push(`  ${title}: ${lack.why}`);
    if (lack.packages === undefined && lack.command !== undefined) lines.push(`      ${lack.command}`);
  }
  const packages = [...new Set(lacks.flatMap(({ lack }) => lack.packages ?? []))];
  if (packages.length > 0) {
    lines.push("To install the programs that are missing:", `      ${remedyOf({ packages })}`);
    const services = packages.filter((name) => SERVICES.includes(name));
    if (services.length > 0) {
      lines.push(
        `  (${services.join(", ")}: services of the machine from then on; a virtual machine is the better place)`,
      );
    }
  }
  return lines;
}
