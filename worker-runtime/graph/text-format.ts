import type { AnyMessage } from "./text-format/message-shape.js";
import { parseMessage } from "./text-format/parser.js";
import { printMessage } from "./text-format/printer.js";

export { TextFormatError } from "./text-format/text-format-error.js";

/**
 * Reads a message in protobuf text format.
 *
 * @param fullName the message's name in the .proto files, for example "tensorflow.GraphDef"; T is its generated type
 * @throws TextFormatError with line and column for a text that is no such message
 */
export function parseText<T>(fullName: string, text: string): T {
  return parseMessage(fullName, text) as T;
}

/**
 * Writes a message in protobuf text format, letter by letter as Python's `text_format.MessageToString` does, so that
 * files written here and there differ only where the messages do. Fields that the .proto files do not have are
 * written under their numbers; `parseText` reads them back, Python refuses them.
 */
export function formatText<T extends object>(fullName: string, message: T): string {
  return printMessage(fullName, message as AnyMessage);
}
