/** Which scopes of a drawing are open. Pure. */

/** All scopes but these, also those that come with later edits: a graph is drawn so where its positions say. */
export class AllBut {
  readonly closed: ReadonlySet<string>;

  constructor(closed: Iterable<string>) {
    this.closed = new Set(closed);
  }

  has(id: string): boolean {
    return !this.closed.has(id);
  }
}

/** By their ids. */
export type OpenScopes = ReadonlySet<string> | AllBut;

export function withOpened(scopes: OpenScopes, ids: readonly string[]): OpenScopes {
  if (!(scopes instanceof AllBut)) return new Set([...scopes, ...ids]);
  const opened = new Set(ids);
  return new AllBut([...scopes.closed].filter((id) => !opened.has(id)));
}

export function withClosed(scopes: OpenScopes, ids: readonly string[]): OpenScopes {
  if (scopes instanceof AllBut) return new AllBut([...scopes.closed, ...ids]);
  const closed = new Set(ids);
  return new Set([...scopes].filter((id) => !closed.has(id)));
}
