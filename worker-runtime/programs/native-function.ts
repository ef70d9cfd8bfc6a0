/** A C function of a library that koffi has loaded; its signature is given at its declaration. */
export type NativeFunction<Args extends readonly unknown[], Result> = ((...args: Args) => Result) & {
  readonly async: (...args: [...Args, (error: unknown, result: Result) => void]) => void;
};

/** Calls a function off the event loop. */
export function callAsync<Args extends readonly unknown[], Result>(
  native: NativeFunction<Args, Result>,
  ...args: Args
): Promise<Result> {
  return new Promise((resolve, reject) => {
    native.async(...args, (error, result) => {
      if (error === null || error === undefined) {
        resolve(result);
      } else {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}
