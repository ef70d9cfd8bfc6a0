/** Installations of a test: identities and stores in folders of their own, that trust each other as told. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Role } from "../../../main/api/machines.js";
import { type Identity, loadIdentity } from "../../../main/peers/identity/identity.js";
import { AgentPort, type AgentPortOptions } from "../../../main/peers/port/agent-port.js";
import { TrustStore } from "../../../main/peers/trust/trust-store.js";
import type { TrustedMachine } from "../../../main/peers/trust/trusted-machine.js";

export const LOOPBACK = "127.0.0.1";

export interface Installation {
  readonly dataDir: string;
  readonly identity: Identity;
  readonly trust: TrustStore;
  /** Opens its agent's port on loopback; it is closed with the installation. */
  listen(options?: Partial<AgentPortOptions>): Promise<AgentPort>;
  close(): Promise<void>;
}

/** A new installation in a temporary folder. */
export async function makeInstallation(): Promise<Installation> {
  const dataDir = await mkdtemp(join(tmpdir(), "tensordeck-trust-"));
  const identity = await loadIdentity(dataDir);
  const trust = await TrustStore.load(dataDir);
  const ports: AgentPort[] = [];
  return {
    dataDir,
    identity,
    trust,
    listen: async (options) => {
      const port = await AgentPort.listen({ identity, trust, port: 0, host: LOOPBACK, ...options });
      ports.push(port);
      return port;
    },
    close: async () => {
      await Promise.all(ports.map((port) => port.close()));
      await trust.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

/** The part of an identity that a store keeps. */
export function trusted(
  identity: Identity,
  name: string,
  role: Role = "run",
  agentPort = 2220,
): TrustedMachine {
  return {
    deviceId: identity.deviceId,
    name,
    certPem: identity.certPem,
    grantedRole: role,
    role,
    addresses: [LOOPBACK],
    agentPort,
    pairedAt: Date.now(),
  };
}

/** Makes two installations trust each other. */
export async function pairDirectly(a: Installation, b: Installation, role: Role = "run"): Promise<void> {
  await Promise.all([
    a.trust.put(trusted(b.identity, "b", role)),
    b.trust.put(trusted(a.identity, "a", role)),
  ]);
}
