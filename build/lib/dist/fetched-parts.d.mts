/** What the tests take of fetched-parts.mjs. */

export const NODE_VERSION: string;
