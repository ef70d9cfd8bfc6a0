/** A syntax error at a position in a text. Line and column count from 1. */
export class TextFormatError extends Error {
  override readonly name = "TextFormatError";
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(`Line ${line}, column ${column}: ${message}`);
    this.line = line;
    this.column = column;
  }
}
