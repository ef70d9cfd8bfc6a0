// Changes of electron-builder.yml by the environment. Certificates and accounts are electron-builder's own variables;
// build/README.md lists them.
import { BuildError } from "../project.mjs";

/**
 * - TENSORDECK_SIGN=required: fails where a program cannot be signed. Otherwise it is then left unsigned.
 * - TENSORDECK_UPDATE_URL: the folder of the packages and of their lists, over https. Without it a package never looks for
 *   updates.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 * @throws BuildError for other values
 */
export function environmentConfiguration(env = process.env) {
  const { TENSORDECK_SIGN: sign, TENSORDECK_UPDATE_URL: url } = env;
  if (sign !== undefined && sign !== "" && sign !== "required") {
    throw new BuildError(`TENSORDECK_SIGN is ${sign}.`, 'It may be "required", or not set.');
  }
  const signed = sign === "required";
  if (!url) return signed ? { forceCodeSigning: true } : {};
  if (!URL.canParse(url) || new URL(url).protocol !== "https:") {
    throw new BuildError(
      `TENSORDECK_UPDATE_URL is ${url}.`,
      "It must be an address that begins with https://.",
    );
  }
  if (!signed) {
    throw new BuildError(
      "TENSORDECK_UPDATE_URL is set, but the packages need not be signed.",
      "An update is only as good as the signature that is checked: set TENSORDECK_SIGN=required as well.",
    );
  }
  return { forceCodeSigning: true, publish: { provider: "generic", url } };
}
