/**
 * Exit codes of the scripts. What the elevated script writes is read by nobody, so its exit code says which step failed, why,
 * and whether the earlier rules are there again. All but the first differ from those of Windows and PowerShell.
 */

export const exitCodes = {
  applied: 0,
  /** The inspection failed; its error stream says why. */
  notInspected: 20,
  /** The Block rules are no longer those that were listed; nothing was changed. */
  blockRulesChanged: 21,
  /** The change was made, but rules that it replaces could not be removed; they are disabled. */
  leftBehind: 25,
  /** The prompt was answered with No, or closed. */
  declined: 41,
  /** No prompt could be shown. */
  notAsked: 42,
} as const;

/** The steps of a change, as the script numbers them, and what each does. */
export const changeSteps = {
  read: { number: 0, doing: "looking for the Block rules" },
  recover: { number: 1, doing: "bringing back the rules of an interrupted change" },
  make: { number: 2, doing: "making the new rules" },
  setAside: { number: 3, doing: "disabling Tensordeck's earlier rules" },
  rename: { number: 4, doing: "naming the new rules" },
  unblock: { number: 5, doing: "disabling the Block rules" },
} as const;
export type ChangeStep = keyof typeof changeSteps;

/** The causes that Windows tells apart, with the numbers that the script uses. */
export const failureCauses = { other: 0, noRights: 1, policy: 2 } as const;
export type FailureCause = keyof typeof failureCauses;

/** The first code of a failed change whose earlier state is there again, and of one where it is not. */
export const FAILED_CHANGE = 100;
export const BROKEN_CHANGE = 200;

export interface ChangeFailure {
  readonly step: ChangeStep;
  readonly cause: FailureCause;
  /** The rules are as they were before. */
  readonly isUndone: boolean;
}

/** The code that the script ends with; it computes the same. */
export function failureCode({ step, cause, isUndone }: ChangeFailure): number {
  return (isUndone ? FAILED_CHANGE : BROKEN_CHANGE) + 10 * changeSteps[step].number + failureCauses[cause];
}

/** The failure that an exit code tells; undefined for other codes. */
export function readFailure(code: number): ChangeFailure | undefined {
  for (const step of Object.keys(changeSteps) as ChangeStep[]) {
    for (const cause of Object.keys(failureCauses) as FailureCause[]) {
      for (const isUndone of [true, false]) {
        const failure = { step, cause, isUndone };
        if (failureCode(failure) === code) return failure;
      }
    }
  }
  return undefined;
}
