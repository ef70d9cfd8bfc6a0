/** Documents that the system wants opened: double-clicked files, files in the program's arguments, links. */

/** More than a person selects in a file manager; the rest is ignored. */
const MAX_WAITING = 20;

export interface AskedDocuments {
  /** Calls the listener with the number of waiting ones, whenever it changes. */
  onChange(listener: (waiting: number) => void): void;
  /** Their paths, which then wait no longer. */
  take(): readonly string[];
}

/** Keeps them until a window takes them: they may come before there is one. */
export class AskedDocumentQueue implements AskedDocuments {
  readonly #listeners: ((waiting: number) => void)[] = [];
  #paths: readonly string[] = [];

  add(paths: readonly string[]): void {
    const before = this.#paths.length;
    this.#paths = [...new Set([...this.#paths, ...paths])].slice(0, MAX_WAITING);
    if (this.#paths.length !== before) this.#tell();
  }

  onChange(listener: (waiting: number) => void): void {
    this.#listeners.push(listener);
    if (this.#paths.length > 0) listener(this.#paths.length);
  }

  take(): readonly string[] {
    const taken = this.#paths;
    this.#paths = [];
    if (taken.length > 0) this.#tell();
    return taken;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener(this.#paths.length);
  }
}
