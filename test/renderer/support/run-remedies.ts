import type { RunRemedies } from "../../../renderer/actions/run-actions.js";

/** For failed runs to which no command applies. */
export const NO_REMEDIES: RunRemedies = { otherKernel: () => undefined, firstValues: () => undefined };
