/** The identity of this installation and the machines it trusts; read before anything else is created. */
import type { TaskOwners } from "../tasks/room.js";
import { mayOwnTasks } from "./former-owners.js";
import { type Identity, loadIdentity } from "./identity/identity.js";
import { renewIfAsked } from "./identity/new-identity.js";
import { TrustStore } from "./trust/trust-store.js";

export interface Credentials {
  readonly identity: Identity;
  readonly trust: TrustStore;
  /** Which machines may have tasks here, according to the roles of the trusted machines. */
  readonly owners: TaskOwners;
}

/** @throws ProblemError when the files of the data folder cannot be read or created. */
export async function loadCredentials(dataDir: string): Promise<Credentials> {
  await renewIfAsked(dataDir);
  const [identity, trust] = await Promise.all([loadIdentity(dataDir), TrustStore.load(dataDir)]);
  const ownId = identity.deviceId;
  return {
    identity,
    trust,
    owners: { ownId, mayOwn: (deviceId) => mayOwnTasks(trust, ownId, deviceId) },
  };
}
