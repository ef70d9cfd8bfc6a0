/**
 * The interface of ONNX Runtime where npm could not install it, which is optional: the build must not need it. tsconfig.json
 * looks here where the package is not there.
 */
export * from "onnxruntime-common";

/** The execution providers that the installed library has. */
export function listSupportedBackends(): { readonly name: string; readonly bundled: boolean }[];
