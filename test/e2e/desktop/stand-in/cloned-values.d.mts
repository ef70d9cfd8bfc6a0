/** As text, which the browser's protocol carries. @throws DataCloneError for what cannot be cloned. */
export function encodeValue(value: unknown): string;
/** The value of such a text. */
export function decodeValue(text: string): unknown;
