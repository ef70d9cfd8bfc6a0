import { z } from "zod";

/** What a method takes and gives. */
export interface Method<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  readonly params: P;
  readonly result: R;
}

export function method<P extends z.ZodType, R extends z.ZodType>(params: P, result: R): Method<P, R> {
  return { params, result };
}

/** Of a method that takes, or gives, nothing. */
export const nothing = z.undefined();
