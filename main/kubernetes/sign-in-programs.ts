/**
 * The programs that a kubeconfig names to sign in (gke-gcloud-auth-plugin, aws, kubelogin). Kubernetes' client would start
 * them by these names, which Windows looks for in the current folder first.
 */
import type { User } from "@kubernetes/client-node";
import { namedProgram } from "../../worker-runtime/programs/find-program.js";
import { problem } from "../shared/problems.js";

type Entry = Record<string, unknown>;

function isEntry(value: unknown): value is Entry {
  return typeof value === "object" && value !== null;
}

/**
 * Gives the programs of a user their full paths, in place.
 *
 * @param folder that of the kubeconfig, to which relative paths belong, as for kubectl.
 * @throws ProblemError FAILED_PRECONDITION where one that every call needs is not installed.
 */
export function locateSignInPrograms(user: Pick<User, "exec" | "authProvider">, folder: string): void {
  const provider: unknown = user.authProvider?.config;
  for (const exec of [user.exec, isEntry(provider) ? provider.exec : undefined]) {
    if (!isEntry(exec) || typeof exec.command !== "string") continue;
    const program = namedProgram(exec.command, folder);
    if (program === undefined) {
      throw problem(
        "FAILED_PRECONDITION",
        `The kubeconfig signs in with ${exec.command}, which is not installed.`,
        {
          reason: "No absolute folder of PATH has a program of that name.",
          remedy: typeof exec.installHint === "string" ? exec.installHint : "Install it, then try again.",
        },
      );
    }
    exec.command = program;
  }
  // Asked only once the token has expired, and then by a shell; without it the client says so.
  if (isEntry(provider) && typeof provider["cmd-path"] === "string") {
    provider["cmd-path"] = namedProgram(provider["cmd-path"], folder);
  }
}
