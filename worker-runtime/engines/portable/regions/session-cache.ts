import { createHash } from "node:crypto";
import type { RegionDevice } from "./device.js";
import type { DeviceSession, SessionOutput, SessionUse } from "./device-session.js";

interface Entry {
  readonly key: string;
  readonly made: Promise<DeviceSession>;
  session: DeviceSession | undefined;
  users: number;
}

/** One user's reference to a shared session. */
export interface SharedSession {
  readonly session: DeviceSession;
  /** Whether this user has released it: runs of it may fail from then on. */
  readonly isReleased: boolean;
  /** Must be called once: the last user's call releases the session. */
  release(): void;
}

/** The sessions of a device by model: regions with identical models share one. */
export class SessionCache {
  readonly #device: RegionDevice;
  readonly #entries = new Map<string, Entry>();
  /** The models whose runs became too large for an arena. */
  readonly #outgrown = new Set<string>();

  constructor(device: RegionDevice) {
    this.#device = device;
  }

  /** The number of sessions that exist or are being created. */
  get size(): number {
    return this.#entries.size;
  }

  get device(): RegionDevice {
    return this.#device;
  }

  /**
   * @param use counts if there is no session of this model yet.
   * @throws SessionError, DeviceLostError as `RegionDevice.makeSession`.
   */
  async acquire(
    model: Uint8Array,
    outputs: readonly SessionOutput[],
    use: SessionUse = {},
  ): Promise<SharedSession> {
    const staying = outputs.map(({ stays }) => Number(stays)).join("");
    const key = createHash("sha256").update(model).update(staying).digest("base64");
    const known = this.#entries.get(key);
    this.#noteOutgrown(known);
    const keepsMemory = !this.#outgrown.has(key);
    const entry =
      known !== undefined && known.session?.isAlive !== false
        ? known
        : this.#make(key, this.#device.makeSession(model, outputs, { ...use, keepsMemory }));
    entry.users += 1;
    try {
      const session = await entry.made;
      let isReleased = false;
      return {
        session,
        get isReleased(): boolean {
          return isReleased;
        },
        release: () => {
          if (!isReleased) {
            isReleased = true;
            this.#release(entry);
          }
        },
      };
    } catch (error) {
      this.#release(entry);
      throw error;
    }
  }

  #make(key: string, made: Promise<DeviceSession>): Entry {
    const entry: Entry = { key, made, session: undefined, users: 0 };
    made.then(
      (session) => {
        entry.session = session;
      },
      () => undefined,
    );
    this.#entries.set(key, entry);
    return entry;
  }

  #noteOutgrown(entry: Entry | undefined): void {
    if (entry?.session?.isOutgrown) {
      this.#outgrown.add(entry.key);
    }
  }

  #release(entry: Entry): void {
    entry.users -= 1;
    if (entry.users === 0) {
      this.#noteOutgrown(entry);
      if (this.#entries.get(entry.key) === entry) {
        this.#entries.delete(entry.key);
      }
      entry.session?.release();
    }
  }
}
