/** An API server of a test, and the kubeconfig that leads to it. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";

export interface TestServer {
  /** "https://127.0.0.1:6443" */
  readonly url: string;
  /** That its clients trust, in PEM. */
  readonly certificate: string;
  /** Where the kubelet of its node listens; absent if the server answers in its place. */
  readonly kubeletPort?: number;
  stop(): Promise<void>;
}

/** Contexts "lab", which may do anything, and "guest", which may do nothing. Returns the file's path. */
export async function writeKubeconfig(
  server: Pick<TestServer, "url" | "certificate">,
  folder: string,
  namespace: string,
): Promise<string> {
  const path = join(folder, "kubeconfig.yaml");
  const user = (name: string) => ({ name, user: { token: `${name}-token` } });
  const context = (name: string, account: string) => ({
    name,
    context: { cluster: "test", user: account, namespace },
  });
  await writeFile(
    path,
    stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "lab",
      clusters: [
        {
          name: "test",
          cluster: {
            server: server.url,
            "certificate-authority-data": Buffer.from(server.certificate).toString("base64"),
          },
        },
      ],
      users: [user("admin"), user("guest")],
      contexts: [context("lab", "admin"), context("guest", "guest")],
    }),
  );
  return path;
}
