/** Larger sets are not kept: what has one counts as unlike anything else. */
const MAX_SET = 64;

/** Sets of texts by number: equal sets have the same number. */
export class SetTable {
  static readonly EMPTY = 0;
  readonly #sets: (readonly string[])[] = [[]];
  readonly #numbers = new Map<string, number>([["", SetTable.EMPTY]]);
  readonly #unions = new Map<number, Map<number, number>>();

  single(element: string): number {
    return this.#numberOf([element]);
  }

  /** @param elements in any order, each once. */
  of(elements: readonly string[]): number {
    return this.#numberOf([...elements].sort());
  }

  /** The elements of a set, sorted. */
  elements(set: number): readonly string[] {
    return this.#sets[set] ?? [];
  }

  union(a: number, b: number): number {
    if (a === b || b === SetTable.EMPTY) {
      return a;
    }
    if (a === SetTable.EMPTY) {
      return b;
    }
    const known = this.#unions.get(a)?.get(b);
    if (known !== undefined) {
      return known;
    }
    const union = this.of([...new Set([...this.elements(a), ...this.elements(b)])]);
    const ofA = this.#unions.get(a) ?? new Map<number, number>();
    this.#unions.set(a, ofA.set(b, union));
    return union;
  }

  /** The set, or in place of one that has become too large, the set of this element alone. */
  limited(set: number, element: string): number {
    return this.elements(set).length > MAX_SET ? this.single(element) : set;
  }

  #numberOf(sorted: readonly string[]): number {
    const text = sorted.join("\n");
    const known = this.#numbers.get(text);
    if (known !== undefined) {
      return known;
    }
    const number = this.#sets.length;
    this.#sets.push(sorted);
    this.#numbers.set(text, number);
    return number;
  }
}
