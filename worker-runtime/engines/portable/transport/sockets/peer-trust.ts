import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import {
  type ConnectionOptions,
  createSecureContext,
  type PeerCertificate,
  type SecureContextOptions,
  type TlsOptions,
} from "node:tls";
import { ChannelCredentials } from "@grpc/grpc-js";
import { invalidArgument, notFound } from "../../../../protocol/status.js";

/** The files that a task of a secure cluster is given, all in PEM. */
export interface TrustFiles {
  /** This machine's certificate. */
  readonly cert: string;
  readonly key: string;
  /** The certificates of all machines whose tasks may connect and be connected to, one after another. */
  readonly peers: string;
}

/** The name of tasks in handshakes: most addresses are IPs, which are not names for TLS. */
export const TASK_SERVER_NAME = "tensordeck-task";

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Mutual TLS between tasks: each side shows a certificate, and only certificates given beforehand count. Signer, host
 * and expiry do not matter: the certificate itself was agreed on.
 */
export class PeerTrust {
  readonly #cert: string;
  readonly #key: string;
  readonly #peers: readonly string[];
  readonly #fingerprints: ReadonlySet<string>;

  readonly #checkServer = (_host: string, certificate: PeerCertificate): Error | undefined =>
    this.isPeer(certificate)
      ? undefined
      : new Error("The task shows a certificate that is not in --tls_peers.");

  /** @throws TensorFlowError INVALID_ARGUMENT for text without certificates or a key that does not match. */
  constructor(cert: string, key: string, peers: string) {
    this.#cert = cert;
    this.#key = key;
    this.#peers = peers.match(PEM_CERTIFICATE) ?? [];
    if (this.#peers.length === 0) {
      throw invalidArgument("The file that --tls_peers names holds no certificate in PEM.");
    }
    try {
      this.#fingerprints = new Set(this.#peers.map((pem) => new X509Certificate(pem).fingerprint256));
      createSecureContext({ cert, key });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw invalidArgument(
        `The certificates of --tls_cert, --tls_key and --tls_peers cannot be used: ${why}.`,
        {
          cause,
        },
      );
    }
  }

  /** @throws TensorFlowError NOT_FOUND for a file that cannot be read, INVALID_ARGUMENT for what is in it. */
  static async read({ cert, key, peers }: TrustFiles): Promise<PeerTrust> {
    const texts = await Promise.all(
      [cert, key, peers].map(async (file) => {
        try {
          return await readFile(file, "utf8");
        } catch (cause) {
          throw notFound(`${file} cannot be read: ${cause instanceof Error ? cause.message : cause}.`, {
            cause,
          });
        }
      }),
    );
    const [certPem = "", keyPem = "", peersPem = ""] = texts;
    return new PeerTrust(certPem, keyPem, peersPem);
  }

  /** Whether a certificate is one of those that were given. */
  isPeer(certificate: { readonly fingerprint256: string } | undefined): boolean {
    return certificate !== undefined && this.#fingerprints.has(certificate.fingerprint256);
  }

  /**
   * For the side that listens. The handshake proves that the caller has the key of the certificate it shows; whether that
   * certificate counts is for `isPeer` to say, of every connection.
   */
  serverOptions(): TlsOptions {
    return { ...this.#contextOptions(), requestCert: true, rejectUnauthorized: false, ALPNProtocols: ["h2"] };
  }

  /** For the side that connects. */
  channelCredentials(): ChannelCredentials {
    return ChannelCredentials.createFromSecureContext(createSecureContext(this.#contextOptions()), {
      checkServerIdentity: this.#checkServer,
    });
  }

  /** For our own connections to a task besides gRPC channels. */
  connectionOptions(): ConnectionOptions {
    return { ...this.#contextOptions(), checkServerIdentity: this.#checkServer };
  }

  #contextOptions(): SecureContextOptions {
    return {
      cert: this.#cert,
      key: this.#key,
      ca: [...this.#peers],
      // Makes each of these certificates trusted by itself. All of Tensordeck's certificates have the same name, and
      // OpenSSL would otherwise look for the signer by name and find the first.
      allowPartialTrustChain: true,
      minVersion: "TLSv1.3",
    };
  }
}
