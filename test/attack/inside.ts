/** Patterns that match no answer to a client: the inside of the gateway, and its statements. */
export const STACK = /\n\s+at \S+|\bat [\w.<>]+ \((?:file|node):|\.(?:ts|mjs|cjs):\d+|node_modules/;
export const SQL = new RegExp([
  /\b(?:select|insert into|delete from|update)\b[^"]{0,200}\b(?:from|values|set|where)\b/, /\bservice\.\w+\(/,
  /\bpg_(?:catalog|temp)\b/, /\bservice_user\b/,
].map(({ source }) => source).join('|'), 'i');
