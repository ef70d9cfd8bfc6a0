/** The contents of files that feeds have, each of which a document holds once, however many feeds have it. */
export class FileContents {
  readonly #bytes: Map<string, Uint8Array>;

  /** @param stored base64 by id, as `toStored` gives it */
  constructor(stored: Readonly<Record<string, string>> = {}) {
    this.#bytes = new Map(Object.entries(stored).map(([id, base64]) => [id, bytesFrom(base64)]));
  }

  /** Undefined if there is none of this id. */
  bytesOf(id: string): Uint8Array | undefined {
    return this.#bytes.get(id);
  }

  /** The id of a content, which is added if it is not there yet. */
  idOf(bytes: Uint8Array): string {
    for (const [id, known] of this.#bytes) if (areEqual(known, bytes)) return id;
    let number = this.#bytes.size + 1;
    while (this.#bytes.has(String(number))) number++;
    this.#bytes.set(String(number), bytes);
    return String(number);
  }

  /** A content that stood with its feed, in the memory that it was first found in. */
  shared(base64: string): Uint8Array {
    const bytes = bytesFrom(base64);
    return this.#bytes.get(this.idOf(bytes)) ?? bytes;
  }

  toStored(): { readonly contents?: Readonly<Record<string, string>> } {
    if (this.#bytes.size === 0) return {};
    return { contents: Object.fromEntries([...this.#bytes].map(([id, bytes]) => [id, base64Of(bytes)])) };
  }
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one === other || (one.length === other.length && one.every((byte, index) => byte === other[index]));
}

function bytesFrom(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function base64Of(bytes: Uint8Array): string {
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters);
}
