/** Who this installation is and whom it trusts; read before anything else is made. */
import type { TaskOwners } from "../tasks/room.js";
import { mayOwnTasks } from "./former-owners.js";
import { type Identity, loadIdentity } from "./identity/identity.js";
import { renewIfAsked } from "./identity/new-identity.js";
import { TrustStore } from "./trust/trust-store.js";

export interface Credentials {
  readonly identity: Identity;
  readonly trust: TrustStore;
  /** Who may have tasks here, as far as the trusted machines' roles say. */
  readonly owners: TaskOwners;
}

/** @throws ProblemError when the files of the data folder cannot be read, or made. */
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
