import { z } from "zod";

/** The parameters and the result of a method. */
export interface Method<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  readonly params: P;
  readonly result: R;
}

export function method<P extends z.ZodType, R extends z.ZodType>(params: P, result: R): Method<P, R> {
  return { params, result };
}

/** For a method without parameters or result. */
export const nothing = z.undefined();
