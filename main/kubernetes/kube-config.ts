/** The user's kubeconfig, read by Kubernetes' own client, which knows its ways to sign in. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import type { KubeConfig } from "@kubernetes/client-node";
import { defined, messageOf, problem } from "../shared/problems.js";
import { locateSignInPrograms } from "./sign-in-programs.js";

export interface KubeContext {
  readonly name: string;
  readonly cluster: string;
  /** URL of the API server. */
  readonly server: string;
  /** Absent: "default". */
  readonly namespace?: string;
  /** The context that kubectl uses. */
  readonly current: boolean;
}

export interface ContextChoice {
  /** Path of the kubeconfig; absent: as kubectl finds it ($KUBECONFIG, ~/.kube/config, or a pod's own account). */
  readonly kubeconfig?: string | undefined;
  /** Absent: the kubeconfig's current one. */
  readonly context?: string | undefined;
}

/** The contexts of a kubeconfig. @throws ProblemError if there is none, or it cannot be read */
export async function readContexts(kubeconfig?: string): Promise<KubeContext[]> {
  const config = await load(kubeconfig);
  const current = config.getCurrentContext();
  return config.getContexts().flatMap(({ name, cluster, namespace }) => {
    const server = config.getCluster(cluster)?.server;
    if (server === undefined) return [];
    return [defined({ name, cluster, server, namespace, current: name === current }) as KubeContext];
  });
}

/** The kubeconfig with a context chosen. @throws ProblemError if there is none, it cannot be read, or has no such context */
export async function chooseContext({ kubeconfig, context }: ContextChoice): Promise<KubeConfig> {
  const config = await load(kubeconfig);
  const wanted = context ?? config.getCurrentContext();
  const names = config.getContexts().map(({ name }) => name);
  if (!names.includes(wanted)) {
    throw problem(
      "NOT_FOUND",
      wanted === "" ? "The kubeconfig has no current context." : `The kubeconfig has no context "${wanted}".`,
      {
        remedy:
          names.length === 0
            ? "Choose a kubeconfig that has one."
            : `Choose one of these contexts: ${names.join(", ")}.`,
      },
    );
  }
  config.setCurrentContext(wanted);
  if (config.getCurrentCluster() === null) {
    throw problem("INVALID_ARGUMENT", `The kubeconfig does not say where the cluster of "${wanted}" is.`, {
      remedy: "Complete the entry in the kubeconfig's clusters.",
    });
  }
  const user = config.getCurrentUser();
  if (user !== null) locateSignInPrograms(user, folderOf(kubeconfig));
  return config;
}

/** The folder to which relative paths of the kubeconfig belong. */
function folderOf(kubeconfig: string | undefined): string {
  const file = kubeconfig ?? process.env.KUBECONFIG?.split(delimiter).find((name) => name !== "");
  return file === undefined ? join(homedir(), ".kube") : dirname(resolve(file));
}

async function load(kubeconfig: string | undefined): Promise<KubeConfig> {
  // The client is large: it is loaded when Kubernetes is used for the first time.
  const { KubeConfig: Config, findHomeDir } = await import("@kubernetes/client-node/dist/config.js");
  const config = new Config();
  try {
    if (kubeconfig === undefined) {
      // On Windows the client would ask a wsl.exe of whichever folder for a kubeconfig; kubectl does not.
      const home = findHomeDir();
      const isKept = home !== null && existsSync(join(home, ".kube", "config"));
      const asksWsl = process.platform === "win32" && !process.env.KUBECONFIG && !isKept;
      config.loadFromDefault(undefined, false, asksWsl ? "linux" : process.platform);
    } else config.loadFromFile(kubeconfig);
  } catch (error) {
    throw problem("INVALID_ARGUMENT", `${kubeconfig ?? "The kubeconfig"} cannot be read.`, {
      reason: messageOf(error),
      remedy: "Choose the kubeconfig that kubectl uses.",
    });
  }
  if (isMadeUp(config)) {
    throw problem("NOT_FOUND", "There is no kubeconfig.", {
      reason: "KUBECONFIG is not set, and there is no .kube/config in your home folder.",
      remedy: "Choose the file that you were given for the cluster.",
    });
  }
  return config;
}

/** Where it finds no kubeconfig, the client makes one up, for an API server without TLS on this machine. */
function isMadeUp(config: KubeConfig): boolean {
  return (
    config.getCurrentContext() === "loaded-context" &&
    config.getCurrentCluster()?.server === "http://localhost:8080"
  );
}
