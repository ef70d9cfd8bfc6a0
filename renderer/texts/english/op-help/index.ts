/** Help for ops and their arguments, in our own words: for those that are used most. TensorFlow's own pages have the rest. */
import { argumentHelp } from "./arguments.js";
import { arrayHelp } from "./arrays.js";
import { mathHelp } from "./math.js";
import { mediaHelp } from "./media.js";
import { networkHelp } from "./networks.js";
import { stateHelp } from "./state.js";

/** By the names of ops and of arguments. */
export const opHelp = {
  ops: { ...arrayHelp, ...mathHelp, ...mediaHelp, ...networkHelp, ...stateHelp },
  arguments: argumentHelp,
} as const;
