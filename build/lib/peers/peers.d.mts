/** The part of peers.mjs that find-peers.ts uses, for the tests. */
export type PeerName =
  | "tensorflow"
  | "python"
  | "chromium"
  | "firefox"
  | "webkit"
  | "vulkan"
  | "electron-node"
  | "shared"
  | "namespaces"
  | "memory-groups"
  | "nftables"
  | "iptables"
  | "ufw"
  | "firewalld"
  | "avahi"
  | "openssl"
  | "systemd";

/** Why a peer is not there, and what would change that: Debian's packages, or else a command. */
export interface Lack {
  readonly why: string;
  readonly packages?: readonly string[];
  readonly command?: string;
}

export interface PythonWithTensorflow {
  readonly executable: string;
  /** Folder of the tensorflow package, which holds libtensorflow_cc and libtensorflow_framework. */
  readonly packageDir: string;
}

export const PEER_NAMES: readonly PeerName[];
export const sharedDir: string;
export function lackOf(name: PeerName): Lack | undefined;
export function lackSentence(name: PeerName, lack?: Lack): string;
export function findElectronNode(): string | undefined;
export function findTensorflow(): PythonWithTensorflow | undefined;
export function lookForChromium(): { readonly program: string } | (Lack & { readonly program?: never });
export function lookForFirefox(): { readonly program: string } | (Lack & { readonly program?: never });
export function lookForVulkan():
  | { readonly environment: Readonly<Record<string, string>> }
  | (Lack & { readonly environment?: never });
