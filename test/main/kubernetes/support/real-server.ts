/** Kubernetes' own API server with etcd and the controllers that make pods of StatefulSets, where they have been built (see the README of main/kubernetes). */

import { generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort, repositoryRoot, spawnPeer } from "../../../support/peers.js";
import type { Kubelet } from "./kubelet.js";
import { type TestServer, writeKubeconfig } from "./test-server.js";

const programs = process.env.TENSORDECK_TEST_KUBERNETES ?? join(repositoryRoot, ".cache", "kubernetes");
const program = (name: string) => join(programs, name);

export const hasRealServer = ["etcd", "kube-apiserver", "kube-controller-manager"].every((name) =>
  existsSync(program(name)),
);

/** @param folder for its files */
export async function startRealServer(kubelet: Kubelet, folder: string): Promise<TestServer> {
  const kubeletPort = await kubelet.listen();
  const [clientPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${clientPort}`;
  const etcd = await spawnPeer(
    program("etcd"),
    [
      ...["--data-dir", join(folder, "etcd"), "--unsafe-no-fsync"],
      ...["--listen-client-urls", etcdUrl, "--advertise-client-urls", etcdUrl],
      ...["--listen-peer-urls", `http://127.0.0.1:${peerPort}`],
      ...["--initial-advertise-peer-urls", `http://127.0.0.1:${peerPort}`],
      ...["--initial-cluster", `default=http://127.0.0.1:${peerPort}`],
    ],
    { ready: /ready to serve client requests/ },
  );
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const file = (name: string) => join(folder, name);
  await writeFile(file("accounts.key"), privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(file("accounts.pub"), publicKey.export({ type: "spki", format: "pem" }));
  await writeFile(
    file("tokens.csv"),
    'admin-token,admin,admin,"system:masters"\nguest-token,guest,guest,"guests"\n',
  );
  const api = await spawnPeer(
    program("kube-apiserver"),
    [
      ...["--etcd-servers", etcdUrl, "--bind-address", "127.0.0.1", "--secure-port", String(port)],
      ...["--cert-dir", file("certificates"), "--token-auth-file", file("tokens.csv")],
      ...["--authorization-mode", "RBAC", "--disable-admission-plugins", "ServiceAccount"],
      ...["--service-account-issuer", "https://tensordeck.test"],
      ...["--service-account-key-file", file("accounts.pub")],
      ...["--service-account-signing-key-file", file("accounts.key")],
      ...["--service-cluster-ip-range", "10.96.0.0/24"],
      ...["--kubelet-preferred-address-types", "InternalIP"],
    ],
    { ready: /Serving securely on/ },
  );
  const server = {
    url: `https://127.0.0.1:${port}`,
    certificate: await readFile(file("certificates/apiserver.crt"), "utf8"),
    kubeletPort,
  };
  const kubeconfig = await writeKubeconfig(server, folder, "default");
  const controllers = await spawnPeer(program("kube-controller-manager"), [
    ...["--kubeconfig", kubeconfig, "--leader-elect=false", "--secure-port", "0"],
    "--controllers=statefulset-controller,job-controller,garbage-collector-controller",
  ]);
  return {
    ...server,
    stop: async () => {
      await controllers.stop();
      await api.stop();
      await etcd.stop();
      kubelet.close();
    },
  };
}
