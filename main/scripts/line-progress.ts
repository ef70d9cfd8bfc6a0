/** How far a script says that it is; pure. */

export interface LineProgress {
  readonly unit: "epoch" | "step";
  readonly done: number;
  readonly total?: number;
}

/** "Epoch 5/12" as Keras prints it, "epoch 5 of 12", "epoch: 5". */
const epoch = /\bepochs?[\s:#=]*(\d{1,9})(?:\s*(?:\/|of)\s*(\d{1,9}))?\b/i;
/** "step 1240 loss 0.28", "global_step=1240", "step 1240/3000". */
const step = /\b(?:global_)?step[\s:#=]*(\d{1,12})(?:\s*(?:\/|of)\s*(\d{1,12}))?\b/i;

/** The progress that a line reports; undefined if it reports none. An epoch with its number of epochs says more than a step. */
export function progressOf(line: string): LineProgress | undefined {
  const ofEpochs = read("epoch", epoch, line);
  const ofSteps = read("step", step, line);
  return [ofEpochs, ofSteps].find((found) => found?.total !== undefined) ?? ofSteps ?? ofEpochs;
}

function read(unit: LineProgress["unit"], pattern: RegExp, line: string): LineProgress | undefined {
  const [, done, total] = pattern.exec(line) ?? [];
  if (done === undefined) return undefined;
  return { unit, done: Number(done), ...(total !== undefined && { total: Number(total) }) };
}
