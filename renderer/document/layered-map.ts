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

/** Its entries are in the order of the map below; new ones come after them, in the order in which they were added. */
export class LayeredMap<V> implements ReadonlyMap<string, V> {
  readonly size: number;
  readonly #base: ReadonlyMap<string, V>;
  /** undefined: the base has an entry that is not in this map. */
  readonly #changes: ReadonlyMap<string, V | undefined>;

  private constructor(base: ReadonlyMap<string, V>, changes: ReadonlyMap<string, V | undefined>) {
    this.#base = base;
    this.#changes = changes;
    let size = base.size;
    for (const [key, value] of changes) size += Number(value !== undefined) - Number(base.has(key));
    this.size = size;
  }

  /** @param map must not change later */
  static of<V>(map: ReadonlyMap<string, V>): LayeredMap<V> {
    return map instanceof LayeredMap ? map : new LayeredMap(map, new Map());
  }

  get(key: string): V | undefined {
    return this.#changes.get(key) ?? (this.#changes.has(key) ? undefined : this.#base.get(key));
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** A map with these entries in place of its own; undefined removes one. */
  with(entries: Iterable<readonly [string, V | undefined]>): LayeredMap<V> {
    const changes = new Map(this.#changes);
    for (const [key, value] of entries) {
      if (value === undefined && !this.#base.has(key)) changes.delete(key);
      else changes.set(key, value);
    }
    const map = new LayeredMap(this.#base, changes);
    return changes.size <= MAX_CHANGES ? map : new LayeredMap(new Map(map), new Map());
  }

  *entries(): MapIterator<[string, V]> {
    for (const [key, value] of this.#base) {
      const changed = this.#changes.has(key) ? this.#changes.get(key) : value;
      if (changed !== undefined) yield [key, changed];
    }
    for (const [key, value] of this.#changes) {
      if (value !== undefined && !this.#base.has(key)) yield [key, value];
    }
  }

  *keys(): MapIterator<string> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[string, V]> {
    return this.entries();
  }

  forEach(visit: (value: V, key: string, map: ReadonlyMap<string, V>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this);
  }
}

/** A map while it is changed; the one that it is made from stays as it is. */
export class MapDraft<V> implements LookUp<V> {
  readonly #before: LayeredMap<V>;
  readonly #changes = new Map<string, V | undefined>();

  constructor(before: ReadonlyMap<string, V>) {
    this.#before = LayeredMap.of(before);
  }

  get(key: string): V | undefined {
    return this.#changes.has(key) ? this.#changes.get(key) : this.#before.get(key);
  }

  /** undefined removes an entry. */
  set(key: string, value: V | undefined): void {
    this.#changes.set(key, value);
  }

  /** The changed map. */
  done(): LayeredMap<V> {
    return this.#changes.size === 0 ? this.#before : this.#before.with(this.#changes);
  }
}
