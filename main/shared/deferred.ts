/** A promise that is resolved or rejected from outside. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

export function deferred<T>(): Deferred<T> {
  let ends: Pick<Deferred<T>, "resolve" | "reject"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    ends = { resolve, reject };
  });
  return {
    promise,
    resolve: (value) => ends?.resolve(value),
    reject: (reason) => ends?.reject(reason),
  };
}
