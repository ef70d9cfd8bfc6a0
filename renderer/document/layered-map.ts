/**
 * A map that differs from another one in a few entries, which alone are stored: to copy a map of a large graph takes longer
 * than an edit may. Pure.
 */

/** The part of a map that is needed of one that is never walked through. */
export interface LookUp<V> {
  get(key: string): V | undefined;
}

/** So many differences are looked up without delay; more are merged into a copy. */
const MAX_CHANGES = 500;

export class LayeredMap<V> implements LookUp<V> {
  readonly #base: ReadonlyMap<string, V>;
  /** undefined: the base has an entry that is not in this map. */
  readonly #changes: ReadonlyMap<string, V | undefined>;

  private constructor(base: ReadonlyMap<string, V>, changes: ReadonlyMap<string, V | undefined>) {
    this.#base = base;
    this.#changes = changes;
  }

  /** @param map must not change later */
  static of<V>(map: ReadonlyMap<string, V>): LayeredMap<V> {
    return new LayeredMap(map, new Map());
  }

  get(key: string): V | undefined {
    return this.#changes.has(key) ? this.#changes.get(key) : this.#base.get(key);
  }

  /** A map with these entries in place of its own; undefined removes one. */
  with(entries: Iterable<readonly [string, V | undefined]>): LayeredMap<V> {
    const changes = new Map(this.#changes);
    for (const [key, value] of entries) changes.set(key, value);
    if (changes.size <= MAX_CHANGES) return new LayeredMap(this.#base, changes);
    const whole = new Map(this.#base);
    for (const [key, value] of changes) {
      if (value === undefined) whole.delete(key);
      else whole.set(key, value);
    }
    return new LayeredMap(whole, new Map());
  }
}
