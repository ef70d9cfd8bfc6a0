import { useEffect, useRef, useState } from "react";
import type { Params, Result } from "../../../main/api/contract.js";
import type { Problem } from "../../../main/api/problem.js";
import { toProblem } from "../../../main/api/wire.js";
import { client } from "../../transport/client.js";

/** Methods that take long for a large tensor. */
type Work = "tensors.statistics" | "tensors.heatMap" | "tensors.image" | "tensors.lines" | "tensors.top";

export interface WorkState<T> {
  /** The newest result, also while the next one is computed. */
  readonly result: T | undefined;
  readonly problem: Problem | undefined;
  /** The part that is done, from 0 to 1; undefined unless it takes long. */
  readonly done: number | undefined;
  /** Ends it; there is a problem that says so until the request changes. */
  cancel(): void;
}

let jobs = 0;
/** Windows choose the ids, so two of them must not choose the same. */
const WINDOW = Math.random().toString(36).slice(2);

/**
 * The application's computation on a part of a tensor. Other parameters cancel the work and begin anew; a new step only
 * follows when the work on the one before is done, so that a run that is faster than the work does not starve it.
 *
 * @param params undefined: nothing is computed
 * @param version the step of the tensor
 */
export function useTensorWork<M extends Work>(
  method: M,
  params: Omit<Params<M>, "jobId"> | undefined,
  version: number,
): WorkState<Result<M>> {
  const [state, setState] = useState<Omit<WorkState<Result<M>>, "cancel">>(NOTHING);
  const current = useRef<Requests<M>>(undefined);
  const key = params === undefined ? undefined : JSON.stringify(params);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the parameters
  useEffect(() => {
    if (params === undefined) {
      setState(NOTHING);
      return;
    }
    const requests = new Requests(method, params, (change) =>
      setState((before) => ({ ...before, ...change })),
    );
    current.current = requests;
    return () => requests.close();
  }, [method, key]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a request of other parameters also wants the step
  useEffect(() => current.current?.want(version), [method, key, version]);
  return { ...state, cancel: () => current.current?.cancel() };
}

const NOTHING = { result: undefined, problem: undefined, done: undefined };

class Requests<M extends Work> {
  readonly #method: M;
  readonly #params: Omit<Params<M>, "jobId">;
  readonly #tell: (change: Partial<WorkState<Result<M>>>) => void;
  readonly #jobId = `${WINDOW}-${jobs++}`;
  readonly #unlisten: () => void;
  #wanted: number | undefined;
  #busy = false;
  #closed = false;

  constructor(
    method: M,
    params: Omit<Params<M>, "jobId">,
    tell: (change: Partial<WorkState<Result<M>>>) => void,
  ) {
    this.#method = method;
    this.#params = params;
    this.#tell = tell;
    this.#unlisten = client().on("tensorJobs", (all) => {
      if (!this.#closed) tell({ done: all.find(({ jobId }) => jobId === this.#jobId)?.done });
    });
  }

  want(version: number): void {
    this.#wanted = version;
    void this.#work();
  }

  cancel(): void {
    // The answer of the work itself says that it was cancelled.
    void client()
      .call("tensors.cancel", { jobId: this.#jobId })
      .catch(() => undefined);
  }

  close(): void {
    this.#closed = true;
    this.#unlisten();
    if (this.#busy) this.cancel();
  }

  async #work(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    while (this.#wanted !== undefined && !this.#closed) {
      this.#wanted = undefined;
      try {
        const params = { ...this.#params, jobId: this.#jobId } as unknown as Params<M>;
        const application = client() as { call(method: M, params: Params<M>): Promise<Result<M>> };
        const result = await application.call(this.#method, params);
        if (!this.#closed) this.#tell({ result, problem: undefined, done: undefined });
      } catch (error) {
        if (!this.#closed) this.#tell({ problem: toProblem(error), done: undefined });
      }
    }
    this.#busy = false;
  }
}
