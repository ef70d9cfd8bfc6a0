/** Whether a name is that of a model in ONNX's format, which has no first bytes of its own. */
export function isOnnxFile(name: string): boolean {
  return /\.onnx$/i.test(name);
}
