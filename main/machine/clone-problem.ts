import type { MachineFacts } from "../api/machines.js";
import type { Problem } from "../api/problem.js";

/**
 * The problem of a machine that shares its identity with others.
 * @param addresses Their addresses, "host:port" each.
 */
export function cloneProblem(
  { name, kind }: Pick<MachineFacts, "name" | "kind">,
  addresses: readonly string[],
): Problem {
  const where = addresses.join(" and at ");
  const isOwn = kind === "this";
  return {
    code: "ALREADY_EXISTS",
    message: isOwn
      ? `Another machine has the same identity as this one; it answers at ${where}.`
      : `Two machines have the identity of ${name}; they answer at ${where}.`,
    reason:
      "Tensordeck's data folder was copied from one to the other, as with the image of a memory card. They are mistaken for each other: tasks and runs may end up on either.",
    remedy: `Make a new identity on one of them, in its window${isOwn ? "" : " (machine menu there)"} or with tensordeck agent new-identity, start it again, and pair it again.`,
  };
}
