/** The user of a machine decides who may reach its tasks' ports; these are the messages for a refusal. */
import type { ProblemError } from "../api/wire.js";
import { problem } from "../shared/problems.js";
import type { TaskHost } from "./task-host.js";

/** How the user of a machine allows it, in its window or without one. */
export const ALLOW_EXPOSURE =
  '"Let other machines start tasks that the network reaches" in the settings there, or tensordeck agent --allow_exposed_tasks yes';

/** Another machine wants a task that the network reaches. @param machine Name of the one that is to run it. */
export function exposureRefused(machine: string): ProblemError {
  return problem(
    "PERMISSION_DENIED",
    `${machine} does not let other machines start tasks that the network reaches.`,
    {
      reason:
        "TensorFlow's protocol has no sign-in: anyone who reaches such a task can read and write the files of the account that Tensordeck runs under there.",
      remedy: `Use a secure cluster, or have the user of ${machine} allow it: ${ALLOW_EXPOSURE}.`,
    },
  );
}

/**
 * A task of another machine cannot be isolated here.
 *
 * @param why As a sentence.
 * @param instead Another way, as the beginning of a sentence.
 */
export function cannotShutOff(why: string, instead = "Use the portable engine for it"): ProblemError {
  return problem("PERMISSION_DENIED", "The network would reach the task, which its machine does not allow.", {
    reason: `TensorFlow's server listens on every address of its machine and cannot be closed off there. ${why}`,
    remedy: `${instead}, or have the user of that machine allow it: ${ALLOW_EXPOSURE}.`,
  });
}

/** Stops the tasks of other machines that the network reaches; resolves when they have ended. */
export async function stopExposedTasks(
  tasks: Pick<TaskHost, "tasks" | "stop">,
  ownId: string,
): Promise<void> {
  const exposed = tasks.tasks().filter(({ owner, isolated }) => owner !== ownId && !isolated);
  await Promise.all(exposed.map(({ id }) => tasks.stop(id)));
}
