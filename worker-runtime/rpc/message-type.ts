import type { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";

/** The functions that the generated code offers for each message. */
export interface MessageType<T> {
  encode(message: T, writer?: BinaryWriter): BinaryWriter;
  decode(input: BinaryReader | Uint8Array, length?: number): T;
}

/** A unary method of a generated service definition. */
export interface UnaryMethod<Request, Response> {
  readonly name: string;
  readonly requestType: MessageType<Request>;
  readonly responseType: MessageType<Response>;
  readonly requestStream: false;
  readonly responseStream: false;
}
