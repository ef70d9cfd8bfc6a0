import type { AnyMessage } from "./text-format/message-shape.js";
import { parseMessage } from "./text-format/parser.js";
import { printMessage } from "./text-format/printer.js";

export { TextFormatError } from "./text-format/text-format-error.js";

/**
 * Reads a message in protobuf text format.
 *
 * @param fullName the message's name in the .proto files, for example "tensorflow.GraphDef"; T is its generated type
 * @throws TextFormatError with line and column if the text is not such a message
 */
export function parseText<T>(fullName: string, text: string): T {
  return parseMessage(fullName, text) as T;
}

/**
 * Writes a message in protobuf text format, exactly as Python's `text_format.MessageToString` does, so files written by
 * both differ only if the messages do. Fields unknown to the .proto files are written under their numbers; `parseText`
 * reads them back, Python rejects them.
 */
export function formatText<T extends object>(fullName: string, message: T): string {
  return printMessage(fullName, message as AnyMessage);
}
